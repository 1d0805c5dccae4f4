// Why a message failed, by the operator's own code. Operators number their errors as they like, so
// a connector's settings say what its codes mean; a code that they do not name means nothing. The
// reason is stored with the message when it fails, so that a later change of the settings does not
// change the past. Pure.

export const failureKinds = [
  "unknownNumber",
  "unreachable",
  "memoryFull",
  /** The network's own list of numbers that refuse advertising lines. */
  "blacklist",
  "barred",
  "content",
  "network",
  "other",
] as const;

export type FailureKind = (typeof failureKinds)[number];

export interface FailureReason {
  readonly kind: FailureKind;
  /** The operator's own text, instead of the text of the kind. */
  readonly fa?: string | undefined;
  readonly en?: string | undefined;
}

/** What an operator's codes mean, by code. */
export type OperatorErrors = Readonly<Record<string, FailureKind | FailureReason>>;

/** Undefined: the code is not named. Leading zeros of a number do not matter. */
export function failureOf(errors: OperatorErrors, code: string | null | undefined): FailureReason | undefined {
  if (code === null || code === undefined || code === "") return undefined;
  const wanted = withoutZeros(code);
  const found = Object.entries(errors).find(([named]) => withoutZeros(named) === wanted)?.[1];
  return typeof found === "string" ? { kind: found } : found;
}

function withoutZeros(code: string): string {
  return code.trim().replace(/^0+(?=\d)/, "");
}
