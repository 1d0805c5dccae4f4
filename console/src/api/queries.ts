// What pages read by react-query: answers, lists that go on by a cursor, objects with the tag of
// their state, and names that people choose among. Each query is known by its endpoint.
import { type InfiniteData, useInfiniteQuery, useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { useEffect } from "react";
import { callApi, type CallOptions, callTagged, type Endpoint } from "./client.ts";
import type { Answers } from "./types.ts";

export type Asked = Pick<CallOptions, "params" | "query">;

export function useAnswer<Name extends Endpoint>(
  name: Name,
  { params, query }: Asked = {},
  options: Pick<UseQueryOptions<Answers[Name]>, "enabled" | "refetchInterval" | "staleTime"> = {},
) {
  return useQuery({
    queryKey: [name, params, query],
    queryFn: ({ signal }) => callApi(name, { params, query, signal }),
    ...options,
  });
}

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

export type ListEndpoint = {
  readonly [Name in Endpoint]: Answers[Name] extends Page<unknown> ? Name : never;
}[Endpoint];
export type ItemOf<Name extends ListEndpoint> = Answers[Name]["items"][number];

/** Whether it is read again only when that is asked for. */
export function isStillList({ meta }: { readonly meta: Readonly<Record<string, unknown>> | undefined }): boolean {
  return meta?.["isStill"] === true;
}

/** `isStill`: it is read again only when that is asked for. */
export function useList<Name extends ListEndpoint>(
  name: Name,
  { params, query }: Asked = {},
  { isStill = false } = {},
) {
  return useInfiniteQuery({
    ...(isStill && { refetchOnWindowFocus: false, refetchOnReconnect: false, meta: { isStill } }),
    queryKey: [name, params, query],
    queryFn: ({ pageParam, signal }): Promise<Answers[Name] & Page<ItemOf<Name>>> =>
      callApi(name, { params, query: { ...query, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Begins the keys of queries that fill forms. */
const formKey = "form";

/**
 * Whether the query filled a form. Such a query must not be read again while somebody types: it
 * would bring the tag of a state that they have not seen, and they would overwrite that state.
 */
export function isOfForm({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] === formKey;
}

/** What a change may make old: everything but who is signed in, and forms that are open. */
export function isOfService(query: { readonly queryKey: readonly unknown[] }): boolean {
  return query.queryKey[0] !== "session" && !isOfForm(query);
}

/** One object with the tag of its state, read again each time a form opens. */
export function useTagged<Name extends Endpoint>(name: Name, { params, query }: Asked = {}) {
  return useQuery({
    queryKey: [formKey, name, params, query],
    queryFn: ({ signal }) => callTagged(name, { params, query, signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
}

const refreshMs = 3_000;
/** Of what is offered for choosing, at a time. */
const offered = { query: { count: 200 } };

export function useConnectors(isLive = false) {
  return useAnswer("GET /connectors", {}, { refetchInterval: isLive ? refreshMs : false });
}

function names<Item>(
  { data }: { readonly data: InfiniteData<Page<Item>> | undefined },
  nameOf: (item: Item) => string,
): readonly string[] {
  return data?.pages.flatMap(({ items }) => items.map(nameOf)) ?? [];
}

export function useOperatorNames(): readonly string[] {
  return names(useList("GET /operators", offered), ({ name }) => name);
}

export function useLineNumbers(): readonly string[] {
  return names(useList("GET /lines", offered), ({ number }) => number);
}

export function useTariffNames(): readonly string[] {
  return names(useList("GET /tariffs", offered), ({ name }) => name);
}

/** All of them, page by page: a service has more customers than lines that one chooses among. */
export function useAccountNames(): readonly string[] {
  const query = useList("GET /accounts", offered, { isStill: true });
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

/** Names as a choice offers them. */
export function choicesOf(values: readonly string[]): readonly { readonly value: string; readonly text: string }[] {
  return values.map((value) => ({ value, text: value }));
}
