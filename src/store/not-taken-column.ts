// The column message.not_taken: submissions that did not get a message taken, written with what
// they lead to.
import { type NotTaken, type StoredNotTaken, withNotTaken } from "../sms/not-taken.ts";
import { epochMilliseconds } from "./statement-time.ts";

/** What a message has in the column, and what comes to it. */
export interface SubmissionsNotTaken {
  readonly before: StoredNotTaken | null | undefined;
  readonly added: readonly NotTaken[];
}

/** For a parameter of `notTakenOr`; null where nothing comes to it. */
export function notTakenJson(given: SubmissionsNotTaken | undefined): string | null {
  if (given === undefined || given.added.length === 0) return null;
  return JSON.stringify(withNotTaken(given.before, given.added, performance.now()));
}

/** The column's value: the parameter with the database's time, or the one it has. */
export function notTakenOr(given: string, present: string): string {
  return `coalesce(${given}::jsonb || jsonb_build_object('at', ${epochMilliseconds}), ${present})`;
}
