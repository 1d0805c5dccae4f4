// Which messages a call asks for, and the walk that finds them: by number through its index, a
// batch by its id, and anything else back in time, a bounded number of rows a call.
import { oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { failureKinds } from "../../sms/failure-reason.ts";
import { type MessageStatus, messageStatus } from "../../sms/message-status.ts";
import {
  type ListedMessage,
  type MessageFilter,
  listMessagesOfBatch,
  listMessagesTo,
  walkMessages,
  walkMessagesOfCampaign,
} from "../../store/message-lists.ts";
import { readRanges } from "../../store/message-reads.ts";
import { listMessageWeeks } from "../../store/partitions.ts";
import { latestUuidMs, uuidCeiling, uuidFloor, uuidv7Time } from "../../platform/uuid.ts";
import { forbidden } from "./console-context.ts";
import { pageParameters, walkStartOf } from "./console-endpoint.ts";
import { mobile } from "./console-input.ts";
import { type Walk, type WalkBounds, type Walked, rowsAtATime, walkBack, walkMs } from "./walk-back.ts";
import type { ConsoleCall } from "./console-call.ts";

const openOutcome = "open";
const statuses = Object.values(messageStatus);

/** Parameters that lists of messages and their files share. */
export const messageFilters = {
  account: orAbsent(plainText("For staff: of this account.")),
  recipient: orAbsent(mobile("Number of the recipient, in any usual form.")),
  line: orAbsent(plainText("The sender's number.")),
  status: orAbsent(
    oneOf(
      [...statuses.map(String), openOutcome],
      "A messageStatus; `open`: submitted and never answered. 0 and 4 leave those out.",
    ),
  ),
  failureKind: orAbsent(oneOf(failureKinds, "Why it failed.")),
  operator: orAbsent(plainText()),
  batch: orAbsent(uuidText()),
  campaign: orAbsent(uuidText()),
  template: orAbsent(plainText("Id of the template.")),
  text: orAbsent(plainText("For customers only: a part of the text.")),
  from: orAbsent(time("Accepted at or after.")),
  to: orAbsent(time("Accepted before.")),
};

export interface MessageSearch extends Walk {
  readonly accountId: number | undefined;
  readonly withText: boolean;
  readonly recipient: string | undefined;
  readonly batchId: string | undefined;
  readonly campaignId: string | undefined;
  readonly filter: MessageFilter;
}

/**
 * Throws 1001 for what is no filter, 403 for a text that staff ask for, 404 for an account that the
 * caller does not see.
 */
export async function readMessageSearch(
  call: ConsoleCall,
  session: ConsoleSession,
  count: number,
): Promise<MessageSearch> {
  const isStaff = session.account === undefined;
  const { account: name, recipient, batch, campaign, text, line, status, ...given } = call.readQuery(messageFilters);
  const { operator, template, failureKind, from, to } = given;
  const account = await call.accountNamed(name);
  if (isStaff && text !== undefined) throw forbidden("console.role");
  const after = walkStartOf(call.readQuery(pageParameters).after);
  const last = to === undefined ? uuidCeiling(latestUuidMs) : uuidFloor(to.getTime());
  return {
    accountId: account?.id,
    withText: !isStaff,
    recipient,
    batchId: batch,
    campaignId: campaign,
    filter: {
      line: line && cleanNumber(line, "json"),
      ...statusFilter(status),
      ...{ operator, template, failureKind, text },
    },
    fromMs: from?.getTime() ?? 0,
    ...(after === undefined || after.before > last ? { before: last } : after),
    count,
  };
}

function statusFilter(given: string | undefined): Pick<MessageFilter, "status" | "isOpen"> {
  if (given === openOutcome) return { isOpen: true };
  const status = statuses.find((each) => String(each) === given);
  return status === undefined ? {} : { status, isOpen: mayBeOpen.includes(status) ? false : undefined };
}

const mayBeOpen: readonly MessageStatus[] = [messageStatus.waiting, messageStatus.unsent];

export type MessagePage = Walked<ListedMessage>;

export async function searchMessages(call: ConsoleCall, search: MessageSearch): Promise<MessagePage> {
  const { batchId, campaignId, accountId, recipient, withText, filter } = search;
  if (batchId !== undefined) return searchBatch(call, { ...search, batchId });
  if (campaignId !== undefined) return searchCampaign(call, { ...search, campaignId });
  if (recipient !== undefined) return searchRecipient(call, { ...search, recipient });
  if (accountId === undefined) {
    const now = call.parts.db.clock.now();
    return call.reads.transaction((tx) =>
      walkBack({ ...search, now }, (bounds) => walkMessages(tx, { ...bounds, withText, filter, accountId })),
    );
  }
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return walkWeeks(call, search, (bounds) =>
    call.reads.transaction((tx) =>
      walkMessages(tx, {
        ...bounds,
        ...{ withText, filter, accountId, scan: isFiltered ? bounds.scan : bounds.limit },
      }),
    ),
  );
}

async function searchBatch(
  call: ConsoleCall,
  { batchId, accountId, recipient, withText, filter, fromMs, before, count }: MessageSearch & { batchId: string },
): Promise<MessagePage> {
  const bounds = { from: uuidFloor(fromMs), before, limit: count, withText, filter };
  const items = await listMessagesOfBatch(call.reads, { ...bounds, batchId, accountId, recipient });
  return { items, nextCursor: items.length === count ? items.at(-1)?.id : undefined };
}

async function searchCampaign(
  call: ConsoleCall,
  { campaignId, accountId, recipient, withText, filter, fromMs, before, count }: MessageSearch & { campaignId: string },
): Promise<MessagePage> {
  const begunAt = performance.now();
  const items: ListedMessage[] = [];
  for (let end = before; ;) {
    const bounds = { from: uuidFloor(fromMs), before: end, limit: count - items.length, scan: rowsAtATime };
    const of = { campaignId, accountId, recipient };
    const { found, scanned, oldest } = await walkMessagesOfCampaign(call.reads, {
      ...bounds,
      ...of,
      withText,
      filter,
    });
    items.push(...found);
    if (items.length >= count) return { items, nextCursor: items.at(-1)?.id };
    if (scanned < rowsAtATime || oldest === undefined) return { items };
    end = oldest;
    if (performance.now() - begunAt > walkMs) {
      return { items, nextCursor: end, searchedTo: new Date(uuidv7Time(end)) };
    }
  }
}

/** Weeks that are read at once, at most. */
const weeksAtOnce = 8;

/**
 * Uses the index by recipient. Reads the newest week first, and then as many weeks in one round
 * trip to the database as the time of the call is likely to allow.
 */
async function searchRecipient(
  call: ConsoleCall,
  { recipient, accountId, withText, filter, fromMs, before, count }: MessageSearch & { recipient: string },
): Promise<MessagePage> {
  const begunAt = performance.now();
  return readRanges(call.reads, { fromMs, before }, async (tx, ranges) => {
    const items: ListedMessage[] = [];
    for (let read = 0, weeks = 1; read < ranges.length;) {
      const group = ranges.slice(read, read + weeks);
      read += group.length;
      const bounds = { ranges: group, limit: count - items.length, withText, filter, accountId, recipient };
      items.push(...(await listMessagesTo(tx, bounds)));
      if (items.length >= count) return { items: items.slice(0, count), nextCursor: items[count - 1]?.id };
      const end = group.at(-1)?.from;
      const spentMs = performance.now() - begunAt;
      if (end !== undefined && read < ranges.length && spentMs > walkMs) {
        return { items, nextCursor: end, searchedTo: new Date(uuidv7Time(end)) };
      }
      const affordable = Math.floor(((walkMs - spentMs) / spentMs) * read);
      weeks = Math.max(1, Math.min(weeksAtOnce, affordable));
    }
    return { items };
  });
}

/** In milliseconds, the newest first. */
async function listPresentWeeks(call: ConsoleCall): Promise<readonly number[]> {
  return (await listMessageWeeks(call.reads)).map(Number).filter((week) => week <= Date.now());
}

interface ReadSlice {
  readonly found: readonly ListedMessage[];
  readonly scanned: number;
  readonly oldest: string | undefined;
}

/** Week by week, so that the newest messages are found before older weeks are read. */
async function walkWeeks(
  call: ConsoleCall,
  { fromMs, before, count }: Walk,
  read: (bounds: WalkBounds) => Promise<ReadSlice>,
): Promise<MessagePage> {
  const begunAt = performance.now();
  const items: ListedMessage[] = [];
  let end = before;
  // The first range covers this week and all later times.
  for (const week of [...(await listPresentWeeks(call)), 0]) {
    const from = uuidFloor(Math.max(week, fromMs));
    while (from < end) {
      const limit = count - items.length;
      const scan = Math.max(rowsAtATime, limit);
      const { found, scanned, oldest } = await read({ from, before: end, limit, scan });
      items.push(...found);
      if (items.length >= count) return { items, nextCursor: items.at(-1)?.id };
      end = scanned < scan || oldest === undefined ? from : oldest;
      if (end === from && week <= fromMs) return { items };
      if (performance.now() - begunAt > walkMs) {
        return { items, nextCursor: end, searchedTo: new Date(uuidv7Time(end)) };
      }
    }
    if (week <= fromMs) return { items };
  }
  return { items };
}
