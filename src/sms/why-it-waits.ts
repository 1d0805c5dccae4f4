// Why a message waits, for those who ask about it. Pure. Times are from the database's clock.
import type { MessageRecord, QueuedRecord } from "./message-timeline.ts";
import { messageStatus, reasonCode } from "./message-status.ts";
import type { WaitReason } from "./wait-reason.ts";

/** A connector of the route, as the nodes reported it last. */
export interface RouteLink {
  readonly name: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly isBound: boolean;
  /** Since when no bind is up; null: no node holds a bind of it. */
  readonly downSince: Date | null;
}

/** What serves its queue, and how much is due there before it. */
export interface QueueAhead {
  readonly connector: string;
  /** 0: no limit. */
  readonly partsPerSecond: number;
  readonly partsBefore: number;
  readonly isAtLeast: boolean;
}

export interface WaitingFacts extends Pick<MessageRecord, "status" | "reason" | "claims" | "held" | "turnedAway"> {
  readonly queued: QueuedRecord | undefined;
  /** In order of preference. */
  readonly links: readonly RouteLink[];
  /** Absent: no link is up. */
  readonly ahead?: QueueAhead | undefined;
}

/** An answer that came longer ago says nothing of now. */
const recentMs = 60_000;

/** Undefined: it does not wait, or nothing is known. */
export function whyItWaits(facts: WaitingFacts): WaitReason | undefined {
  const { status, reason, claims, held, queued } = facts;
  if (status !== messageStatus.waiting) return undefined;
  if (reason === reasonCode.inReview) return { kind: "review" };
  const claim = claims.find(({ alive }) => alive);
  if (claim !== undefined) return { kind: "beingSent", connectors: [claim.connector], since: claim.claimedAt };
  if (queued !== undefined) return queued.isDue ? whyNotNow(facts, queued.dueAt) : whyLater(facts, queued);
  const [first] = held;
  return first && { kind: "answerAwaited", connectors: [first.connector], until: first.until };
}

/** Its time lies ahead. */
function whyLater(
  { turnedAway }: WaitingFacts,
  { dueAt: until, heldBack, wantedAt, unanswered }: QueuedRecord,
): WaitReason {
  if (heldBack) return { kind: "referenceAwaited" };
  if (wantedAt !== null) return { kind: "outsideHours", until };
  if (unanswered > 0) return { kind: "sentAgain", until };
  if (turnedAway === undefined) return { kind: "scheduled", until };
  return { kind: "refusedForNow", connectors: [turnedAway.connector], answer: turnedAway.answer, until };
}

function whyNotNow({ queued, links, turnedAway, ahead }: WaitingFacts, now: Date): WaitReason | undefined {
  if (queued?.heldBack === true) return { kind: "referenceAwaited" };
  const used = links.filter(({ enabled }) => enabled);
  if (used.length === 0) return { kind: "noConnector", connectors: [] };
  if (!used.some(({ isBound, paused }) => isBound && !paused)) return whyNoLink(used);
  if (turnedAway !== undefined && now.getTime() - turnedAway.at.getTime() < recentMs) {
    const { connector, answer, at } = turnedAway;
    return { kind: "throttled", connectors: [connector], answer, since: at };
  }
  if (ahead === undefined) return undefined;
  const { connector, partsBefore, isAtLeast, partsPerSecond } = ahead;
  const until = new Date(now.getTime() + (partsBefore / partsPerSecond) * 1000);
  return {
    ...{ kind: "inLine", connectors: [connector], partsBefore },
    ...(isAtLeast && { isAtLeast }),
    ...(partsPerSecond > 0 && { partsPerSecond }),
    ...(partsPerSecond > 0 && !isAtLeast && { until }),
  };
}

/** A connector that is paused may be down as well: it is said to be what somebody has done. */
function whyNoLink(used: readonly RouteLink[]): WaitReason {
  const connectors = used.map(({ name }) => name);
  if (used.every(({ paused }) => paused)) return { kind: "paused", connectors };
  const down = used.filter(({ paused }) => !paused);
  const times = down.flatMap(({ downSince }) => (downSince === null ? [] : [downSince.getTime()]));
  const since = times.length === down.length ? new Date(Math.max(...times)) : undefined;
  return { kind: "down", connectors, ...(since && { since }) };
}
