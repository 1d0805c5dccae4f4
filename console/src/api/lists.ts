// Lists that go on by a cursor, as one query of pages.
import { useInfiniteQuery } from "@tanstack/react-query";
import { callApi, queryOf } from "./client.ts";
import type { Page } from "./types.ts";

export type ListParameters = Readonly<Record<string, string | number | undefined>>;

export function useList<Item, ItemPage extends Page<Item> = Page<Item>>(path: string, parameters: ListParameters = {}) {
  return useInfiniteQuery({
    queryKey: [path, parameters],
    queryFn: ({ pageParam, signal }) =>
      callApi<ItemPage>("GET", path + queryOf({ ...parameters, after: pageParam }), { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
