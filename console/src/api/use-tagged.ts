// One object with the tag of its state, read again each time a form opens.
import { useQuery } from "@tanstack/react-query";
import type { PathOf } from "./client.ts";
import { getTagged, type Readable } from "./tagged.ts";

/** Begins the keys of these queries. */
export const taggedKey = "tagged";

/**
 * Whether the query filled a form. Such a query must not be read again while somebody types: it
 * would bring the tag of a state that they have not seen, and they would overwrite that state.
 */
export function isOfForm({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] === taggedKey || queryKey[0] === "form";
}

export function useTagged<Name extends Readable>(path: PathOf<Name>) {
  return useQuery({
    queryKey: [taggedKey, path],
    queryFn: ({ signal }) => getTagged<Name>(path, signal),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
