// The use case behind `hodhod erase`: empties one person's number and texts everywhere but in what
// waits, in opt-outs and in block lists. It works in short transactions, because a long one would
// hold back the readers of the event log. A run that was interrupted continues when it is called again.
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import type { Database } from "../store/database.ts";
import { isRetriable } from "../store/database-errors.ts";
import { freeReferences } from "../store/concatenation-references.ts";
import {
  beforeAllReceived,
  eraseEventsOfPerson,
  eraseMessagesOfPerson,
  eraseParkedOfPerson,
  erasePartsOfPerson,
  eraseReceivedOfPerson,
  eraseReferencesOfPerson,
  eraseRepliesOfPerson,
  eraseRowsOfPerson,
  type EraseSome,
  eraseTracesOfPerson,
  findReceivedOfPerson,
  listBegunCampaigns,
  listMessagesOfPerson,
  type MessageOfPerson,
  type MessagesToErase,
} from "../store/erasure.ts";
import { walkPages } from "../store/message-reads.ts";
import { uuidFloor, uuidv7Time } from "../platform/uuid.ts";

export interface ErasedOfPerson {
  readonly messages: number;
  readonly received: number;
  /** Kept and parked. */
  readonly receipts: number;
  readonly parts: number;
  readonly events: number;
  readonly campaignRows: number;
  readonly traces: number;
  /** Messages that wait, and were left as they are. */
  readonly waiting: number;
}

export interface ErasePersonOptions {
  /** 989… */
  readonly number: string;
  readonly by: Actor;
  /** Called now and then with what has been emptied, and what is looked through. */
  readonly progress: (erased: ErasedOfPerson, at: string) => void;
}

type Counts = { -readonly [Key in keyof ErasedOfPerson]: ErasedOfPerson[Key] };

const messagesListed = 20_000;
const messagesAtOnce = 500;
/** Messages of one transaction lie so close together that few others lie between. */
const togetherMs = 10_000;
const receivedRead = 20_000;
const rowsAtOnce = 500;
const campaignsAtOnce = 100;
/** Clocks of nodes differ by less. */
const clockErrorMs = 3_600_000;
/** An operator's receipt counts for ten days. */
const receiptMs = 11 * 24 * 3_600_000;
const tries = 5;

export async function erasePerson(db: Database, options: ErasePersonOptions): Promise<ErasedOfPerson> {
  const { number, by } = options;
  const counts: Counts = {
    ...{ messages: 0, received: 0, receipts: 0, parts: 0, events: 0, campaignRows: 0, traces: 0, waiting: 0 },
  };
  // Before anything is gone. The audit does not hold the number.
  await audit(db, by, { begun: true });
  await eraseMessages(db, options, counts);
  await eraseReceived(db, options, counts);
  const tell = (at: string) => options.progress(counts, at);
  tell("parts, receipts and events");
  counts.parts += await eraseAll(db, number, erasePartsOfPerson);
  counts.receipts += await eraseAll(db, number, eraseParkedOfPerson);
  counts.events += await eraseAll(db, number, eraseEventsOfPerson);
  counts.traces += await eraseAll(db, number, eraseTracesOfPerson);
  // Otherwise the list of references would name ended messages until the next long message needs
  // one.
  await retried(() => freeReferences(db, [number]));
  await eraseSome(db, number, eraseReferencesOfPerson);
  await eraseAll(db, number, eraseRepliesOfPerson);
  tell("campaigns");
  await eraseCampaignRows(db, number, counts);
  await audit(db, by, counts);
  return counts;
}

function audit(db: Database, by: Actor, after: object): Promise<void> {
  return insertAuditEntries(db, by, [{ action: "remove", kind: "personalData", name: "", after }]);
}

/**
 * The gateway may be changing the same rows in another order: then the database ends one of both.
 */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries || !isRetriable(error)) throw error;
    }
  }
}

function eraseSome(db: Database, number: string, erase: EraseSome): Promise<number> {
  return retried(() => erase(db, number, rowsAtOnce));
}

async function eraseAll(db: Database, number: string, erase: EraseSome): Promise<number> {
  for (let sum = 0; ;) {
    const erased = await eraseSome(db, number, erase);
    sum += erased;
    if (erased < rowsAtOnce) return sum;
  }
}

/** Week by week, from the newest one. */
async function eraseMessages(db: Database, { number, progress }: ErasePersonOptions, counts: Counts): Promise<void> {
  const pages = walkPages<MessageOfPerson>(db, {
    fromMs: 0,
    limit: messagesListed,
    read: (tx, range, limit) => listMessagesOfPerson(tx, { number, range, limit }),
    idOf: ({ id }) => id,
  });
  for await (const { range, page } of pages) {
    const week = weekText(uuidv7Time(range.from));
    counts.waiting += page.filter(({ isWaiting }) => isWaiting).length;
    for (const group of groupsOf(page.filter(({ isWaiting }) => !isWaiting))) {
      const erased = await retried(() => db.transaction((tx) => eraseMessagesOfPerson(tx, toErase(number, group))));
      counts.messages += erased.messages;
      counts.receipts += erased.receipts;
      progress(counts, week);
    }
    progress(counts, week);
  }
}

function weekText(week: number): string {
  return week === 0
    ? "messages of other weeks"
    : `messages of the week of ${new Date(week).toISOString().slice(0, 10)}`;
}

/** Neighbours, the newest first. */
function groupsOf(messages: readonly MessageOfPerson[]): readonly (readonly MessageOfPerson[])[] {
  const groups: MessageOfPerson[][] = [];
  let newestMs = Infinity;
  for (const message of messages) {
    const ms = uuidv7Time(message.id);
    const group = groups.at(-1);
    if (group !== undefined && group.length < messagesAtOnce && newestMs - ms <= togetherMs) {
      group.push(message);
    } else {
      groups.push([message]);
      newestMs = ms;
    }
  }
  return groups;
}

function toErase(number: string, group: readonly MessageOfPerson[]): MessagesToErase {
  const ids = group.map(({ id }) => id);
  const [greatestId = "", leastId = ""] = [ids[0], ids.at(-1)];
  const since = new Date(uuidv7Time(leastId) - clockErrorMs);
  const lastMs = Math.max(...group.map(({ id, lastAt }) => lastAt?.getTime() ?? uuidv7Time(id)));
  const accountIds = group.map(({ accountId }) => accountId);
  return { number, accountIds, ids, leastId, greatestId, since, until: new Date(lastMs + receiptMs) };
}

async function eraseReceived(db: Database, { number, progress }: ErasePersonOptions, counts: Counts): Promise<void> {
  for (let after = beforeAllReceived; ;) {
    const { found, last } = await findReceivedOfPerson(db, { number, after, scan: receivedRead });
    for (let start = 0; start < found.length; start += rowsAtOnce) {
      const some = found.slice(start, start + rowsAtOnce);
      counts.received += await retried(() => eraseReceivedOfPerson(db, number, some));
    }
    progress(counts, "messages received");
    if (last === undefined) return;
    after = last;
  }
}

async function eraseCampaignRows(db: Database, number: string, counts: Counts): Promise<void> {
  for (let after = uuidFloor(0); ;) {
    const campaignIds = await listBegunCampaigns(db, after, campaignsAtOnce);
    const last = campaignIds.at(-1);
    if (last === undefined) return;
    counts.campaignRows += await eraseAll(db, number, (_, recipient, limit) =>
      db.transaction((tx) => eraseRowsOfPerson(tx, { number: recipient, campaignIds, limit })),
    );
    after = last;
  }
}
