// What needs a person now, the most harmful first. Pure. Only this file contains the limits beyond
// which somebody should look.
import type { NamedFall } from "../sms/delivery-quality.ts";
import type { WaitCount } from "./waiting.ts";

export interface Attention extends Partial<NamedFall> {
  readonly kind:
    | "codesWait"
    | "messagesWait"
    | "noConnector"
    | "routeOff"
    | "connectorUnbound"
    /** No node holds it. */
    | "connectorNoNode"
    /** A route has no other connector. */
    | "connectorPaused"
    | "unanswered"
    | "deliveryFell"
    | "leaseLost"
    | "nodeSilent"
    | "clockOff"
    | "lowCredit"
    | "reviewWaits"
    | "templatesWait";
  /** Of a route without an enabled connector. */
  readonly operator?: string;
  readonly line?: string;
  /** For how long; of a clock: how far it is off. Absent of a connector that is only paused. */
  readonly seconds?: number;
  /** What becomes of the messages of a connector; `unrouted`: no route leads to it. */
  readonly messages?: "wait" | "otherConnector" | "unrouted";
  /** How many messages, or templates, wait. */
  readonly count?: number;
  /** There may be more than `count`. */
  readonly isAtLeast?: true;
  readonly lastError?: string;
  readonly submitted?: number;
  readonly unanswered?: number;
  readonly balance?: number;
  /** Below which the credit is low. */
  readonly limit?: number;
}

export interface Seen {
  readonly oldestCodeSeconds: number;
  readonly oldestOtherSeconds: number;
  readonly connectors: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly paused: boolean;
    /** Absent while it is bound. */
    readonly unboundSeconds?: number;
    readonly lastError?: string;
    readonly binds: readonly object[];
    readonly submitted: number;
    readonly unanswered: number;
  }[];
  /** With the names of their connectors. */
  readonly routes: readonly {
    readonly operator: string;
    readonly line: string;
    readonly connectors: readonly string[];
  }[];
  readonly waits: readonly Pick<WaitCount, "kind" | "connectors" | "messages">[];
  readonly nodes: readonly {
    readonly host: string;
    readonly silentSeconds: number;
    readonly leaseLostSeconds?: number;
    readonly clockOffSeconds?: number;
  }[];
  readonly falls: readonly NamedFall[];
  readonly lowCredit: readonly { readonly account: string; readonly balance: number; readonly limit: number }[];
  readonly waitingTemplates: number;
  /** Counted up to `mostReviewsCounted`. */
  readonly inReview: number;
}

const codeSeconds = 10;
const messageSeconds = 60;
const unansweredShare = 0.01;
/** Leases end after 10 s; a node that tells nothing for longer has lost its own. */
export const silentAfterSeconds = 10;
export const mostReviewsCounted = 10_000;

export function findAttention(seen: Seen): readonly Attention[] {
  return [...ofConnectors(seen), ...ofQueue(seen), ...ofDelivery(seen), ...ofNodes(seen), ...ofAccounts(seen)];
}

function ofQueue({ oldestCodeSeconds, oldestOtherSeconds }: Seen): Attention[] {
  return [
    ...(oldestCodeSeconds >= codeSeconds ? [{ kind: "codesWait" as const, seconds: oldestCodeSeconds }] : []),
    ...(oldestOtherSeconds >= messageSeconds ? [{ kind: "messagesWait" as const, seconds: oldestOtherSeconds }] : []),
  ];
}

function ofConnectors({ connectors, routes, waits }: Seen): Attention[] {
  const used = connectors.filter(({ enabled }) => enabled);
  if (used.length === 0) return [{ kind: "noConnector" }];
  const isOff = (name: string): boolean => !used.some((each) => each.name === name);
  const isUp = (name: string): boolean =>
    used.some((each) => each.name === name && each.unboundSeconds === undefined && !each.paused);
  const messagesOf = (name: string) => {
    const own = routes.filter((route) => route.connectors.includes(name));
    if (own.length === 0) return "unrouted";
    return own.every((route) => route.connectors.some(isUp)) ? "otherConnector" : "wait";
  };
  const countOf = (name: string, why: WaitCount["kind"]): number =>
    waits.reduce(
      (total, { kind, connectors: of = [], messages }) => total + (kind === why && of.includes(name) ? messages : 0),
      0,
    );
  return [
    ...routes
      .filter((route) => route.connectors.every(isOff))
      .map(({ operator, line }) => ({ kind: "routeOff" as const, operator, line })),
    ...used.flatMap(({ name, paused, unboundSeconds: seconds, lastError, binds }): Attention[] => {
      const messages = messagesOf(name);
      if (seconds === undefined) {
        const count = countOf(name, "paused");
        return paused && messages === "wait" ? [{ kind: "connectorPaused", name, messages, count }] : [];
      }
      const kind = binds.length === 0 ? "connectorNoNode" : "connectorUnbound";
      const cause = lastError === undefined ? {} : { lastError };
      return [{ kind, name, seconds, messages, count: countOf(name, "down"), ...cause }];
    }),
    ...used.flatMap(({ name, submitted, unanswered }) =>
      unanswered > submitted * unansweredShare ? [{ kind: "unanswered" as const, name, submitted, unanswered }] : [],
    ),
  ];
}

/** Each node finds them for itself, at times of its own. */
function ofDelivery({ falls }: Seen): Attention[] {
  const byName = new Map(falls.map((fall) => [`${fall.by} ${fall.name}`, fall]));
  return [...byName.values()].map((fall) => ({ kind: "deliveryFell", ...fall }));
}

function ofNodes({ nodes }: Seen): Attention[] {
  const speaking = nodes.filter(({ silentSeconds }) => silentSeconds < silentAfterSeconds);
  // Workers of one machine have one clock.
  const clocks = new Map(speaking.map(({ host, clockOffSeconds }) => [host, clockOffSeconds]));
  return [
    ...nodes.flatMap(({ host, silentSeconds, leaseLostSeconds }): Attention[] => {
      if (silentSeconds >= silentAfterSeconds) return [{ kind: "nodeSilent", name: host, seconds: silentSeconds }];
      return leaseLostSeconds === undefined ? [] : [{ kind: "leaseLost", name: host, seconds: leaseLostSeconds }];
    }),
    ...[...clocks].flatMap(([name, seconds]): Attention[] =>
      seconds === undefined ? [] : [{ kind: "clockOff", name, seconds }],
    ),
  ];
}

function ofAccounts({ lowCredit, inReview, waitingTemplates }: Seen): Attention[] {
  return [
    ...lowCredit.map(({ account: name, ...credit }) => ({ kind: "lowCredit" as const, name, ...credit })),
    ...(inReview > 0 ? [ofReview(inReview)] : []),
    ...(waitingTemplates > 0 ? [{ kind: "templatesWait" as const, count: waitingTemplates }] : []),
  ];
}

function ofReview(count: number): Attention {
  return { kind: "reviewWaits", count, ...(count >= mostReviewsCounted && { isAtLeast: true }) };
}
