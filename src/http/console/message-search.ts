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
  type MessageSlice,
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
import { type Slice, type Walk, type Walked, rowsAtATime, walkBack, walkSlices } from "./walk-back.ts";
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
  if (batchId !== undefined) return walk(search, readBatch(call, search, batchId));
  if (campaignId !== undefined) return walk(search, readCampaign(call, search, campaignId));
  if (recipient !== undefined) return walk(search, readNumber(call, search, recipient));
  if (accountId !== undefined) return walk(search, readAccount(call, search, await listMessageWeeks(call.reads)));
  const now = call.parts.db.clock.now();
  return call.reads.transaction((tx) =>
    walkBack({ ...search, now }, (bounds) => walkMessages(tx, { ...bounds, withText, filter, accountId })),
  );
}

type Read = (before: string, limit: number) => Promise<Slice<ListedMessage, string>>;

function walk(search: MessageSearch, read: Read): Promise<MessagePage> {
  return walkSlices({ ...search, keyOf: ({ id }) => id }, read);
}

/** `end`: where the walk goes on when all rows up to there were read. */
function sliceOf({ found, scanned, oldest }: MessageSlice, scan: number, end?: string): Slice<ListedMessage, string> {
  return { found, rest: restFrom(scanned < scan ? end : oldest) };
}

function restFrom(key: string | undefined): Slice<ListedMessage, string>["rest"] {
  return key === undefined ? undefined : { key, at: new Date(uuidv7Time(key)) };
}

function readBatch(call: ConsoleCall, { fromMs, ...search }: MessageSearch, batchId: string): Read {
  const asked = { ...search, batchId, from: uuidFloor(fromMs) };
  return async (before, limit) => ({
    found: await listMessagesOfBatch(call.reads, { ...asked, before, limit }),
    rest: undefined,
  });
}

function readCampaign(call: ConsoleCall, { fromMs, ...search }: MessageSearch, campaignId: string): Read {
  const asked = { ...search, campaignId, from: uuidFloor(fromMs), scan: rowsAtATime };
  return async (before, limit) =>
    sliceOf(await walkMessagesOfCampaign(call.reads, { ...asked, before, limit }), rowsAtATime);
}

/** Weeks that are read at once. */
const weeksAtOnce = 8;

/** Uses the index by recipient. */
function readNumber(call: ConsoleCall, { fromMs, ...search }: MessageSearch, recipient: string): Read {
  return (before, limit) =>
    readRanges(call.reads, { fromMs, before }, async (tx, all) => {
      const ranges = all.slice(0, weeksAtOnce);
      const found = await listMessagesTo(tx, { ...search, recipient, ranges, limit });
      return { found, rest: restFrom(ranges.length < all.length ? ranges.at(-1)?.from : undefined) };
    });
}

/** Week by week, so that the newest messages are found before older weeks are read. */
function readAccount(call: ConsoleCall, { fromMs, ...search }: MessageSearch, weeks: readonly Date[]): Read {
  const isFiltered = Object.values(search.filter).some((value) => value !== undefined);
  return async (before, limit) => {
    // The newest one covers all later times, too.
    const week = weeks.map(Number).find((each) => each <= Date.now() && uuidFloor(each) < before) ?? 0;
    const scan = isFiltered ? Math.max(rowsAtATime, limit) : limit;
    const bounds = { ...search, from: uuidFloor(Math.max(week, fromMs)), before, limit, scan };
    const slice = await call.reads.transaction((tx) => walkMessages(tx, bounds));
    return sliceOf(slice, scan, week > fromMs ? bounds.from : undefined);
  };
}
