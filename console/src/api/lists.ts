// Lists that go on by a cursor, as one query of pages.
import { useInfiniteQuery } from "@tanstack/react-query";
import { callApi, queryOf } from "./client.ts";
import type { Page } from "./types.ts";

/** Of a list whose calls read a bounded number of rows. */
export interface SearchedPage<Item> extends Page<Item> {
  /** Set where the search stopped before its end: so far back it went. */
  readonly searchedTo?: string;
}

export type ListParameters = Readonly<Record<string, string | number | undefined>>;

/** `isStill`: it is read anew only when that is asked for. */
export function useList<Item, ItemPage extends Page<Item> = Page<Item>>(
  path: string,
  parameters: ListParameters = {},
  { isStill = false } = {},
) {
  return useInfiniteQuery({
    ...(isStill && { refetchOnWindowFocus: false, refetchOnReconnect: false }),
    queryKey: [path, parameters],
    queryFn: ({ pageParam, signal }) =>
      callApi<ItemPage>("GET", path + queryOf({ ...parameters, after: pageParam }), { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
