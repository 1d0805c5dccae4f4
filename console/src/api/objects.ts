// The connectors with their state, and the names of objects that people choose among.
import { useQuery, type InfiniteData } from "@tanstack/react-query";
import { callApi } from "./client.ts";
import { useList, type Page } from "./lists.ts";

const refreshMs = 3_000;
/** Of what is offered for choosing. */
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

export function useAccountNames(): readonly string[] {
  return names(useList<"GET /accounts">("/accounts", { count: offered }), ({ name }) => name);
}

export function useConnectorNames(): readonly string[] {
  return useConnectors().data?.items.map(({ name }) => name) ?? [];
}
