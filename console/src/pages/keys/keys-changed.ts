// What follows a change of an account's keys.
import { useQueryClient } from "@tanstack/react-query";
import { keysPath } from "../../api/people.ts";

/** Reads the list again. */
export function useKeysChanged(account: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [keysPath(account)] });
}
