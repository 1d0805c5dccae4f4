// What follows a change of people.
import { useQueryClient } from "@tanstack/react-query";
import type { PeoplePath } from "../../api/people.ts";

/** Reads the list again. */
export function usePeopleChanged(path: PeoplePath): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [path] });
}
