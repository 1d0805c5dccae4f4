// Makes messages claimable whose time has come: scheduled ones, and those that an operator turned
// away for a while. What is not due stands apart in the queue; this moves it, in steps.
import { PeriodicService } from "../platform/service.ts";
import type { Database, Queryable } from "../store/database.ts";
import { releaseDue } from "../store/queue-times.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { octet } from "../sms/concatenation.ts";
import {
  findFirstInLine,
  findPhonesWithLine,
  freeReferences,
  leaveLine,
  letGo,
  takeReferences,
} from "../store/concatenation-references.ts";

export interface ReleaseDueOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly onReleased: (due: { readonly urgent: boolean }) => void;
}

const everyMs = 250;
const batch = 1000;

export function releaseDueMessages(options: ReleaseDueOptions): PeriodicService {
  return new PeriodicService({
    name: "release-due",
    everyMs,
    runOnce: (signal) => releaseDueOnce(options, signal),
    telemetry: options.telemetry,
  });
}

/** Until nothing more is due. What is released can be sent while the rest is. */
export async function releaseDueOnce(
  { db, onReleased }: Pick<ReleaseDueOptions, "db" | "onReleased">,
  signal?: AbortSignal,
): Promise<{ released: number }> {
  let released = 0;
  for (;;) {
    const { count, isUrgent } = await releaseDue(db, batch);
    if (count > 0) onReleased({ urgent: isUrgent });
    released += count;
    if (count < batch || signal?.aborted === true) return { released };
  }
}

// Releases long messages that wait for a reference of their phone, in order, as many as there are
// free references.

export interface ReleaseHeldBackOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly onReleased: () => void;
}

const releaseHeldEveryMs = 1000;
/**
 * A phone with all references in use costs one lookup per reference: a tenth of one core at most.
 */
const restFactor = 10;
const phonesAtATime = 100;

export function releaseHeldBack(options: ReleaseHeldBackOptions): PeriodicService {
  return new PeriodicService({
    name: "release-held-back",
    everyMs: releaseHeldEveryMs,
    restFactor,
    runOnce: () => releaseHeldBackOnce(options),
    telemetry: options.telemetry,
  });
}

export async function releaseHeldBackOnce({ db, onReleased }: ReleaseHeldBackOptions): Promise<Record<string, number>> {
  let released = 0;
  let after: string | undefined = "";
  while (after !== undefined) {
    const phones: string[] = await findPhonesWithLine(db, { after, limit: phonesAtATime });
    for (const phone of phones) released += await db.transaction((tx) => releaseFirst(tx, phone));
    after = phones.length === phonesAtATime ? phones.at(-1) : undefined;
  }
  if (released > 0) onReleased();
  return { released };
}

async function releaseFirst(tx: Queryable, phone: string): Promise<number> {
  await freeReferences(tx, [phone]);
  await leaveLine(tx, phone);
  const first = await findFirstInLine(tx, phone, octet);
  if (first.length === 0) return 0;
  const answers = await takeReferences(tx, first, { space: octet, fromLine: true });
  const numbered = answers.filter(({ number }) => number !== null).map(({ messageId }) => messageId);
  await letGo(tx, phone, numbered);
  return numbered.length;
}
