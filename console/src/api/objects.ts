// The connectors with their state, and the names of objects that people choose among.
import { useQuery, type InfiniteData } from "@tanstack/react-query";
import { useEffect } from "react";
import { callApi } from "./client.ts";
import { useList, type Page } from "./lists.ts";

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
