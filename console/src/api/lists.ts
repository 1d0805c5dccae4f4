// Lists that go on by a cursor, as one query of pages.
import { useInfiniteQuery } from "@tanstack/react-query";
import { callTagged, queryOf, type Endpoint, type PathOf } from "./client.ts";
import type { Answers } from "./endpoints.ts";

/** What all lists have in common. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** Of a list whose calls read a bounded number of rows. */
export interface SearchedPage<Item> extends Page<Item> {
  /** Set if the search stopped before its end: the time back to which it has searched. */
  readonly searchedTo?: string;
}

type ListEndpoint = {
  readonly [Name in Endpoint]: Answers[Name] extends Page<unknown> ? Name : never;
}[Endpoint];
type ItemOf<Name extends ListEndpoint> = Answers[Name]["items"][number];

export type ListParameters = Readonly<Record<string, string | number | undefined>>;

/** Whether it is read again only when that is asked for. */
export function isStillList({ meta }: { readonly meta: Readonly<Record<string, unknown>> | undefined }): boolean {
  return meta?.["isStill"] === true;
}

/** `isStill`: it is read again only when that is asked for. */
export function useList<Name extends ListEndpoint>(
  path: PathOf<Name>,
  parameters: ListParameters = {},
  { isStill = false } = {},
) {
  return useInfiniteQuery({
    ...(isStill && { refetchOnWindowFocus: false, refetchOnReconnect: false, meta: { isStill } }),
    queryKey: [path, parameters],
    queryFn: async ({ pageParam, signal }) => {
      const call = await callTagged("GET", path + queryOf({ ...parameters, after: pageParam }), { signal });
      // The API's document promises it.
      return call.value as Answers[Name] & Page<ItemOf<Name>>;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
