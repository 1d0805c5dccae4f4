// What pages read by react-query: lists that go on by a cursor, names that people choose among, and
// objects with the tag of their state.
import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Endpoint, type PathOf, type Readable, callApi, callTagged, getTagged, queryOf } from "./client.ts";
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

// The connectors with their state, and the names of objects that people choose among.

const refreshMs = 3_000;
/** Of what is offered for choosing, at a time. */
const offered = 200;

export function useConnectors(isLive = false) {
  return useQuery({
    queryKey: ["/connectors"],
    queryFn: ({ signal }) => callApi<"GET /connectors">("GET", "/connectors", { signal }),
    refetchInterval: isLive ? refreshMs : false,
  });
}

function names<Item>(
  { data }: { readonly data: InfiniteData<Page<Item>> | undefined },
  nameOf: (item: Item) => string,
): readonly string[] {
  return data?.pages.flatMap(({ items }) => items.map(nameOf)) ?? [];
}

export function useOperatorNames(): readonly string[] {
  return names(useList<"GET /operators">("/operators", { count: offered }), ({ name }) => name);
}

export function useLineNumbers(): readonly string[] {
  return names(useList<"GET /lines">("/lines", { count: offered }), ({ number }) => number);
}

export function useTariffNames(): readonly string[] {
  return names(useList<"GET /tariffs">("/tariffs", { count: offered }), ({ name }) => name);
}

/** All of them, page by page: a service has more customers than lines that one chooses among. */
export function useAccountNames(): readonly string[] {
  const query = useList<"GET /accounts">("/accounts", { count: offered }, { isStill: true });
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  const goesOn = hasNextPage && !isFetchingNextPage && !isError;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return names(query, ({ name }) => name);
}

export function useConnectorNames(): readonly string[] {
  return useConnectors().data?.items.map(({ name }) => name) ?? [];
}

// One object with the tag of its state, read again each time a form opens.

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
