// What a message may wait for. Free of other modules: the console's pages use it, too.

export const waitKinds = [
  /** Staff have to allow it. */
  "review",
  /** A node has it: it is submitted now. */
  "beingSent",
  /** Submitted and never answered, and not submitted again. */
  "answerAwaited",
  /** Other long messages to its phone are under way. */
  "referenceAwaited",
  "scheduled",
  "outsideHours",
  /** Submitted and never answered. */
  "sentAgain",
  /** The operator turned it away for now. */
  "refusedForNow",
  /** The route has no connector that is enabled. */
  "noConnector",
  "paused",
  "down",
  "throttled",
  /** Others go first. */
  "inLine",
] as const;

export type WaitKind = (typeof waitKinds)[number];

export interface WaitReason {
  readonly kind: WaitKind;
  /** Which keep it, or which will take it. */
  readonly connectors?: readonly string[];
  /** Of the operator: the name of its command_status. */
  readonly answer?: string;
  readonly since?: Date;
  /** When it will be sent, as far as that is known. */
  readonly until?: Date;
  readonly partsBefore?: number;
  /** There may be more. */
  readonly isAtLeast?: true;
  readonly partsPerSecond?: number;
}
