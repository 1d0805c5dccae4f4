// Makes messages claimable whose time has come: scheduled ones, and those that an operator turned
// away for a while. What is not due has rows of its own in the queue; this moves it, in steps.
import type { Database, Queryable } from "../store/database.ts";
import { releaseDue } from "../store/queue-times.ts";
import { octet } from "../sms/concatenation.ts";
import {
  findFirstInLine,
  findPhonesWithLine,
  freeReferences,
  leaveLine,
  letGo,
  takeReferences,
} from "../store/concatenation-references.ts";

interface ReleaseOptions {
  readonly db: Database;
  readonly announceDue: (due: { readonly urgent: boolean }) => void;
}

const batch = 1000;
const phonesAtATime = 100;

/** Until nothing more is due. What is released can be sent while the rest is. */
export async function releaseDueMessages(
  { db, announceDue }: ReleaseOptions,
  signal?: AbortSignal,
): Promise<{ released: number }> {
  let released = 0;
  for (;;) {
    const { count, isUrgent } = await releaseDue(db, batch);
    if (count > 0) announceDue({ urgent: isUrgent });
    released += count;
    if (count < batch || signal?.aborted === true) return { released };
  }
}

/**
 * Releases long messages that wait for a reference of their phone, in order, as many as there are
 * free references.
 */
export async function releaseWaitingForReferences({
  db,
  announceDue,
}: ReleaseOptions): Promise<Record<string, number>> {
  let released = 0;
  let after: string | undefined = "";
  while (after !== undefined) {
    const phones: string[] = await findPhonesWithLine(db, { after, limit: phonesAtATime });
    for (const phone of phones) released += await db.transaction((tx) => releaseFirst(tx, phone));
    after = phones.length === phonesAtATime ? phones.at(-1) : undefined;
  }
  if (released > 0) announceDue({ urgent: true });
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
