// A call that must not happen twice. With its key, the same call does nothing a second time. The
// gateway remembers a key for 24 hours.
import { ApiProblem } from "./client.ts";

const hourMs = 3_600_000;
/** An hour less than the gateway keeps a key: the clocks may differ, and the call takes a while. */
const keyLifeMs = 23 * hourMs;

/** The key of a call that was made at `openSince` may have ended: the same call would be another one. */
export function hasEnded(openSince: number): boolean {
  const ageMs = Date.now() - openSince;
  // A clock that was set back says nothing about the age.
  return ageMs >= keyLifeMs || ageMs < -hourMs;
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

// Keys of calls that must not happen twice. `randomUUID` is there only behind https and on this
// machine.

export function newKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
}
