// The message in the making with the key of its call. Both survive a reload, so that a message
// whose answer was lost goes again under the same key, and is not sent twice.
import { hasEnded, isOfOtherCall, isRefusal, newKey } from "../../api/open-call.ts";
import { atOnce, type ScheduleValue } from "../../parts/schedule.tsx";

export interface Draft {
  readonly sender: string;
  readonly recipients: string;
  readonly template: string;
  readonly content: string;
  readonly values: Readonly<Record<string, string>>;
  readonly schedule: ScheduleValue;
}

export interface Attempt {
  readonly draft: Draft;
  readonly key: string;
  /** A call with this key was made, and it is not known whether its message was accepted. */
  readonly isOpen: boolean;
  /** When that call was made first, by this browser's clock. */
  readonly openSince?: number;
}

/** Its key has ended, so that the same call could send the message a second time. */
export function isBeyondKey({ isOpen, openSince = 0 }: Attempt): boolean {
  return isOpen && hasEnded(openSince);
}

/** As a call is made with it. */
export function opened(attempt: Attempt): Attempt {
  return attempt.isOpen ? attempt : { ...attempt, isOpen: true, openSince: Date.now() };
}

/** The person has looked, and wants it sent as another message. */
export function anew({ draft }: Attempt): Attempt {
  return { draft, key: newKey(), isOpen: false };
}

const storeKey = "hodhod.send";
const emptyDraft: Draft = { sender: "", recipients: "", template: "", content: "", values: {}, schedule: atOnce };

export function nextAttempt(sender: string): Attempt {
  return { draft: { ...emptyDraft, sender }, key: newKey(), isOpen: false };
}

export function storedAttempt(): Attempt {
  const next = nextAttempt("");
  try {
    const stored = JSON.parse(sessionStorage.getItem(storeKey) ?? "{}") as Partial<Attempt>;
    return { ...next, ...stored, draft: { ...next.draft, ...stored.draft } };
  } catch {
    return next;
  }
}

export function storeAttempt(attempt: Attempt): void {
  try {
    sessionStorage.setItem(storeKey, JSON.stringify(attempt));
  } catch {
    return;
  }
}

/** With this line where none was chosen. */
export function withSender(attempt: Attempt, sender: string): Attempt {
  return attempt.draft.sender === "" ? { ...attempt, draft: { ...attempt.draft, sender } } : attempt;
}

/**
 * A changed message is a new call with a new key. If the call before may have been accepted, the
 * key stays, so that both messages cannot be sent without the person noticing.
 */
export function changed(attempt: Attempt, part: Partial<Draft>): Attempt {
  return { ...attempt, draft: { ...attempt.draft, ...part }, key: attempt.isOpen ? attempt.key : newKey() };
}

/** `wasOpen`: so it was before the call that failed. */
export function refused(attempt: Attempt, { error, wasOpen }: { error: unknown; wasOpen: boolean }): Attempt {
  if (isOfOtherCall(error)) return anew(attempt);
  return { ...attempt, isOpen: wasOpen || !isRefusal(error) };
}
