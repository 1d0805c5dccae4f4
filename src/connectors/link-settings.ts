// What dispatch, inbound and the tasks in the background need to know of any link to an operator,
// whatever its protocol: capacity, pace, deadlines, what it can carry, and what silence means.
// Pure.
import type { Carrier } from "../sms/carrying.ts";
import type { UncertainPolicy } from "../sms/submit-outcome.ts";
import { type Check, numberUpTo, oneOf, wholeNumberFrom } from "./setting-checks.ts";

export interface LinkSettings extends Carrier {
  /** Number of parallel binds. */
  readonly binds: number;
  /** Maximum number of unanswered parts on one bind. */
  readonly window: number;
  /** For the whole connector; 0: no limit. */
  readonly partsPerSecond: number;
  /** How the ids in receipts are written, compared with those in answers. */
  readonly messageIdFormat: "auto" | "decimal" | "hex";
  readonly uncertain: UncertainPolicy;
  readonly responseTimeoutMs: number;
  readonly receiptDeadlineHours: number;
  /**
   * Connectors of one group share an account at the operator, so receipts may arrive on any of
   * them. "": connectors of the same account.
   */
  readonly receiptGroup: string;
}

/** A configured link, for code that does not know its protocol. */
export interface OperatorLink {
  readonly id: number;
  readonly name: string;
  readonly settings: LinkSettings;
}

export const linkDefaults: LinkSettings = {
  binds: 1,
  window: 100,
  partsPerSecond: 0,
  defaultAlphabet: "gsm7",
  longMessages: "udh",
  messageIdFormat: "auto",
  uncertain: "resend",
  responseTimeoutMs: 10_000,
  receiptDeadlineHours: 72,
  receiptGroup: "",
};

const maximumGroupName = 64;

function groupName(value: unknown): ReturnType<Check> {
  return typeof value === "string" && value.length <= maximumGroupName
    ? { value }
    : { fault: `must be text of at most ${maximumGroupName} characters` };
}

export const linkChecks: Readonly<Record<keyof LinkSettings, Check>> = {
  binds: wholeNumberFrom(1, 100),
  window: wholeNumberFrom(1, 10_000),
  partsPerSecond: numberUpTo(100_000),
  defaultAlphabet: oneOf("gsm7", "latin1", "ascii"),
  longMessages: oneOf("udh", "sar", "payload"),
  messageIdFormat: oneOf("auto", "decimal", "hex"),
  uncertain: oneOf("resend", "hold", "fail"),
  responseTimeoutMs: wholeNumberFrom(100, 600_000),
  receiptDeadlineHours: wholeNumberFrom(1, 720),
  receiptGroup: groupName,
};
