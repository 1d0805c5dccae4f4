// What dispatch, inbound and the tasks in the background need to know of any link to an operator,
// whatever its protocol: capacity, pace, deadlines, what it can carry, and what silence means.
// Pure.
import {
  choice,
  entriesOf,
  list,
  number,
  string,
  type Values,
  whole,
  type FieldOf,
  optional,
  type TextForm,
  wordOrObject,
} from "../fields/field.ts";
import { failureKinds, type OperatorErrors } from "../sms/failure-reason.ts";

const ownText = optional(string(200, "sendable"));

const meaning = wordOrObject("kind", { kind: choice(failureKinds), fa: ownText, en: ownText });

/** By code. The keys of an object have the type of any text: hence the assertion. */
export function operatorErrors(codeForm: TextForm): FieldOf<OperatorErrors> {
  return entriesOf(string(40, codeForm), meaning, 500, { default: {} }) as FieldOf<OperatorErrors>;
}

export const linkFields = {
  /** How many there shall be, over all nodes. */
  binds: whole(1, 100, { default: 1, section: "pace" }),
  /** Maximum number of unanswered parts on one bind. */
  window: whole(1, 10_000, { default: 100, section: "pace" }),
  /** For the whole connector; 0: no limit. */
  partsPerSecond: number(0, 100_000, { default: 0, section: "pace" }),
  defaultAlphabet: choice(["gsm7", "latin1", "ascii", "utf8"], { default: "gsm7" }),
  longMessages: choice(["udh", "sar", "payload"], { default: "udh" }),
  /** How the ids in receipts are written, compared with those in answers. */
  messageIdFormat: choice(["auto", "decimal", "hex"], { default: "auto" }),
  /** Words of this SMSC's receipts that mean delivered, or not delivered. */
  receiptStates: entriesOf(choice(["delivered", "undelivered"]), list(string(50, "name"), 50), 2, {
    default: {},
  }),
  /** What the error codes of this SMSC's receipts mean. */
  receiptErrors: operatorErrors("name"),
  /** What the codes mean with which this SMSC refuses a message for good. */
  statusErrors: operatorErrors("status"),
  uncertain: choice(["resend", "hold", "fail"], { default: "resend" }),
  responseTimeoutMs: whole(100, 600_000, { default: 10_000 }),
  receiptDeadlineHours: whole(1, 720, { default: 72 }),
  /**
   * Connectors of one group share an account at the operator, so receipts may arrive on any of
   * them. "": connectors of the same account.
   */
  receiptGroup: string(64, "any", { default: "" }),
};

export type LinkSettings = Values<typeof linkFields>;

/** A configured link, for code that does not know its protocol. */
export interface OperatorLink {
  readonly id: number;
  readonly name: string;
  readonly settings: LinkSettings;
}
