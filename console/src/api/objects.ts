// The objects of the configuration that the network pages show, with the keys of the setup file.
import { useList } from "./lists.ts";
import { callApi } from "./client.ts";
import { useQuery } from "@tanstack/react-query";

export interface Operator {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly enabled: boolean;
}

export interface PortedNumber {
  readonly number: string;
  readonly operator: string;
  /** In a file of many: changed there, or by an own entry that wins. */
  readonly isImported: boolean;
}

export interface Line {
  readonly number: string;
  readonly kind: string;
  /** The account that receives for it. */
  readonly inbound?: string;
  /** Those that may bring messages for it; absent: all. */
  readonly connectors?: readonly string[];
}

export interface Price {
  readonly operator: string;
  readonly line: string;
  readonly language: string;
  /** Rials for one part. */
  readonly price: number;
}

export interface Tariff {
  readonly name: string;
  readonly prices: readonly Price[];
}

/** A link with its settings, as they are stored, and its state, as the nodes told last. */
export interface Connector {
  readonly name: string;
  readonly enabled: boolean;
  readonly paused?: boolean;
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly tls: unknown;
  readonly state: string;
  readonly bindStates: readonly { readonly state: string; readonly lastError?: string }[];
  /** Messages that wait and may go. */
  readonly due: number;
}

const refreshMs = 3_000;
/** Of what is offered for choosing. */
const offered = 200;

export function useConnectors(isLive = false) {
  return useQuery({
    queryKey: ["/connectors"],
    queryFn: ({ signal }) => callApi<{ readonly items: readonly Connector[] }>("GET", "/connectors", { signal }),
    refetchInterval: isLive ? refreshMs : false,
  });
}

function names<Item>(query: ReturnType<typeof useList<Item>>, nameOf: (item: Item) => string): readonly string[] {
  return query.data?.pages.flatMap(({ items }) => items.map(nameOf)) ?? [];
}

export function useOperatorNames(): readonly string[] {
  return names(useList<Operator>("/operators", { count: offered }), ({ name }) => name);
}

export function useLineNumbers(): readonly string[] {
  return names(useList<Line>("/lines", { count: offered }), ({ number }) => number);
}

export function useTariffNames(): readonly string[] {
  return names(useList<Tariff>("/tariffs", { count: offered }), ({ name }) => name);
}

export function useAccountNames(): readonly string[] {
  return names(useList<{ readonly name: string }>("/accounts", { count: offered }), ({ name }) => name);
}

export function useConnectorNames(): readonly string[] {
  return useConnectors().data?.items.map(({ name }) => name) ?? [];
}
