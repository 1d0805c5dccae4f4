// What needs a person now, the most harmful first. Pure. Only this file contains the limits beyond
// which somebody should look.

export type Attention =
  | { readonly kind: "codesWait" | "messagesWait"; readonly seconds: number }
  | { readonly kind: "connectorUnbound"; readonly name: string; readonly seconds: number }
  | {
      readonly kind: "unanswered";
      readonly name: string;
      readonly submitted: number;
      readonly unanswered: number;
    }
  | { readonly kind: "leaseLost" | "nodeSilent" | "clockOff"; readonly name: string; readonly seconds: number }
  | { readonly kind: "lowCredit"; readonly name: string; readonly balance: number }
  | {
      readonly kind: "reviewWaits";
      readonly count: number;
      /** There may be more. */
      readonly isAtLeast?: true;
    }
  | { readonly kind: "templatesWait"; readonly count: number };

export interface Seen {
  readonly oldestCodeSeconds: number;
  readonly oldestOtherSeconds: number;
  readonly connectors: readonly {
    readonly name: string;
    readonly enabled: boolean;
    /** Absent while it is bound. */
    readonly unboundSeconds?: number;
    readonly submitted: number;
    readonly unanswered: number;
  }[];
  readonly nodes: readonly {
    readonly host: string;
    readonly silentSeconds: number;
    readonly leaseLostSeconds?: number;
    readonly clockOffSeconds?: number;
  }[];
  readonly lowCredit: readonly { readonly account: string; readonly balance: number }[];
  readonly waitingTemplates: number;
  /** Counted up to `mostReviewsCounted`. */
  readonly inReview: number;
}

const unboundSeconds = 60;
const codeSeconds = 10;
const messageSeconds = 60;
const unansweredShare = 0.01;
/** Leases end after 10 s; a node that tells nothing for longer has lost its own. */
export const silentAfterSeconds = 10;
export const mostReviewsCounted = 10_000;

export function findAttention(seen: Seen): readonly Attention[] {
  return [...ofQueue(seen), ...ofConnectors(seen), ...ofNodes(seen), ...ofAccounts(seen)];
}

function ofQueue({ oldestCodeSeconds, oldestOtherSeconds }: Seen): Attention[] {
  return [
    ...(oldestCodeSeconds >= codeSeconds ? [{ kind: "codesWait" as const, seconds: oldestCodeSeconds }] : []),
    ...(oldestOtherSeconds >= messageSeconds ? [{ kind: "messagesWait" as const, seconds: oldestOtherSeconds }] : []),
  ];
}

function ofConnectors({ connectors }: Seen): Attention[] {
  const used = connectors.filter(({ enabled }) => enabled);
  return [
    ...used.flatMap(({ name, unboundSeconds: seconds }) =>
      seconds !== undefined && seconds >= unboundSeconds ? [{ kind: "connectorUnbound" as const, name, seconds }] : [],
    ),
    ...used.flatMap(({ name, submitted, unanswered }) =>
      unanswered > submitted * unansweredShare ? [{ kind: "unanswered" as const, name, submitted, unanswered }] : [],
    ),
  ];
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
    ...lowCredit.map(({ account, balance }) => ({ kind: "lowCredit" as const, name: account, balance })),
    ...(inReview > 0 ? [ofReview(inReview)] : []),
    ...(waitingTemplates > 0 ? [{ kind: "templatesWait" as const, count: waitingTemplates }] : []),
  ];
}

function ofReview(count: number): Attention {
  return { kind: "reviewWaits", count, ...(count >= mostReviewsCounted && { isAtLeast: true }) };
}
