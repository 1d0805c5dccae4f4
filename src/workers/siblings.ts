// What the workers of one gateway tell each other, so that what is promised of one node holds for
// all of them together. A gateway without workers has no siblings.
import type { LanePlace } from "../credentials/fair-lanes.ts";

/** One of the rate limiters: of accounts, of logins by address, of changes of the console. */
export type SharedLimiter = "account" | "login" | "change";

export type SiblingNews =
  /** So many requests were taken from a bucket that all workers share. */
  | {
      readonly kind: "taken";
      readonly limiter: SharedLimiter;
      readonly key: string | number;
      readonly perSecond: number;
      readonly capacity: number;
      readonly count: number;
    }
  /** Wrong credentials came for this subject, named by its hash. */
  | { readonly kind: "wrong"; readonly key: string };

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
  /** Resolves when a password may be computed; call the function when that is done. */
  passwordTurn(place: LanePlace): Promise<() => void>;
  /** See FairLanes. */
  demote(lane: string): void;
}
