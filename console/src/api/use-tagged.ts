// One object with the tag of its state, read anew each time a form opens.
import { useQuery } from "@tanstack/react-query";
import { getTagged } from "./tagged.ts";

/** Begins the keys of these queries. */
export const taggedKey = "tagged";

export function useTagged<Value>(path: string) {
  return useQuery({
    queryKey: [taggedKey, path],
    queryFn: ({ signal }) => getTagged<Value>(path, signal),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
