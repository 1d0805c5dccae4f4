// A call that must not happen twice. The tab keeps it until it is known whether it was done. With
// its key, the same call after a reload does nothing a second time. The gateway remembers a key for
// 24 hours; after that the person is asked.
import { ApiProblem } from "./client.ts";

export interface OpenCall {
  readonly key: string;
  /** When it was made first, by this browser's clock. */
  readonly openSince: number;
}

const hourMs = 3_600_000;
/** An hour less than the gateway keeps a key: the clocks may differ, and the call takes a while. */
const keyLifeMs = 23 * hourMs;

/** Its key may have ended: the same call would be another one. */
export function hasEnded({ openSince }: { readonly openSince: number }, now = Date.now()): boolean {
  // A clock that was set back says nothing about the age.
  return !(now - openSince < keyLifeMs && now >= openSince - hourMs);
}

const conflict = 409;
const keyReused = 422;
const serverError = 500;

/** The call before was accepted, with other contents under the same key. */
export function isOfOtherCall(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === keyReused;
}

/** The gateway has refused the call: it was not done. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.status < serverError && error.status !== conflict;
}

/** What was typed, by field. */
export type Typed = Readonly<Record<string, string>>;

const storeKey = (name: string): string => `hodhod.${name}`;

/**
 * What is kept of such a call, with what was typed. Storage may be closed to us; then it lasts as
 * long as the page.
 */
export function keptCall(name: string): (OpenCall & { readonly typed: Typed }) | undefined {
  try {
    const stored = sessionStorage.getItem(storeKey(name));
    if (stored === null) return undefined;
    // This tab wrote it.
    const call = JSON.parse(stored) as OpenCall & { readonly typed: Typed };
    return hasEnded(call) ? undefined : call;
  } catch {
    return undefined;
  }
}

/**
 * Makes a call with the key of the one before as long as that is open, and keeps it until its fate
 * is known.
 */
export async function callOnce<Answer>(
  name: string,
  typed: Typed,
  make: (key: string) => Promise<Answer>,
): Promise<Answer> {
  const before = keptCall(name);
  const call = { key: before?.key ?? newKey(), openSince: before?.openSince ?? Date.now(), typed };
  keep(name, call);
  try {
    const answer = await make(call.key);
    keep(name, undefined);
    return answer;
  } catch (error) {
    // If the earlier call is still open, a refusal of this one does not say what became of the
    // earlier one.
    if (isOfOtherCall(error) || (isRefusal(error) && before === undefined)) keep(name, undefined);
    throw error;
  }
}

function keep(name: string, call: object | undefined): void {
  try {
    if (call === undefined) sessionStorage.removeItem(storeKey(name));
    else sessionStorage.setItem(storeKey(name), JSON.stringify(call));
  } catch {
    return;
  }
}

// Keys of calls that must not happen twice. `randomUUID` is there only behind https and on this
// machine.

export function newKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
}
