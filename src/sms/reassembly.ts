// Joins the parts of a subscriber's long message, in any order, with gaps and repetitions. It
// reports what is there; the caller decides how long to wait for missing parts.

export interface InboundPartText {
  /** 1 for the first. */
  readonly number: number;
  readonly total: number;
  readonly text: string;
}

export interface JoinedParts {
  readonly complete: boolean;
  readonly text: string;
}

const loneSurrogate = /\p{Surrogate}/gu;

/**
 * The text in the order of the part numbers. Of a repeated part the first received counts.
 * Surrogate halves that meet at a seam become one character again; an unpaired half becomes U+FFFD.
 */
export function joinParts(parts: readonly InboundPartText[]): JoinedParts {
  const byNumber = new Map<number, string>();
  let total = 1;
  for (const part of parts) {
    total = Math.max(total, part.total);
    if (!byNumber.has(part.number)) byNumber.set(part.number, part.text);
  }
  const ordered = [...byNumber].sort(([left], [right]) => left - right);
  const text = ordered.map(([, partText]) => partText).join("");
  return { complete: hasAll(byNumber, total), text: text.replace(loneSurrogate, "\uFFFD") };
}

/**
 * Splits the open parts of one reference, in order of arrival, into the messages they belong to. A
 * different text under a number that is taken begins a new message, to which all later parts
 * belong.
 */
export function splitMessages<Part extends InboundPartText>(parts: readonly Part[]): [Part, ...Part[]][] {
  const messages: [Part, ...Part[]][] = [];
  let texts = new Map<number, string>();
  for (const part of parts) {
    const current = messages.at(-1);
    const known = texts.get(part.number);
    if (current === undefined || (known !== undefined && known !== part.text)) {
      messages.push([part]);
      texts = new Map([[part.number, part.text]]);
    } else {
      current.push(part);
      texts.set(part.number, part.text);
    }
  }
  return messages;
}

function hasAll(byNumber: ReadonlyMap<number, string>, total: number): boolean {
  for (let number = 1; number <= total; number += 1) {
    if (!byNumber.has(number)) return false;
  }
  return true;
}

// Decides whether an equal deliver_sm repeats the previous one or is another message with the same
// text (decisions §3). Pure.

/**
 * SMSCs send a deliver_sm again, under a new sequence number, when it was not answered for this
 * long.
 */
export const repeatedAfterMs = 5000;

/** What is known about an unconfirmed part when an equal one arrives. */
export interface UnconfirmedPart {
  /** The session that brought it has ended, so its answer can no longer be sent. */
  readonly hasSessionEnded: boolean;
  /** It arrived on the same session with the same sequence number. */
  readonly isSameRequest: boolean;
  readonly owedForMs: number;
}

export function isRepetition({ hasSessionEnded, isSameRequest, owedForMs }: UnconfirmedPart): boolean {
  return hasSessionEnded || isSameRequest || owedForMs >= repeatedAfterMs;
}
