// What the workers of one gateway tell each other, so that what is promised of one node holds for
// all of them together. A gateway without workers has no siblings.

/** One of the rate limiters: of accounts, of changes of the console. */
export type SharedLimiter = "account" | "change";

/** So many requests were taken from a bucket that all workers share. */
export interface SiblingNews {
  readonly kind: "taken";
  readonly limiter: SharedLimiter;
  readonly key: string | number;
  readonly perSecond: number;
  readonly capacity: number;
  readonly count: number;
}

export interface Siblings {
  /** The same for all workers of this gateway, and for no other one. */
  readonly gatewayId: string;
  /** Workers of this gateway, this one included. */
  readonly workers: number;
  /** Whether all workers are ready. */
  readiness(): Promise<Record<string, boolean>>;
  /** Told to all others, some milliseconds later. */
  tell(news: SiblingNews): void;
  onNews(listener: (news: SiblingNews) => void): void;
}
