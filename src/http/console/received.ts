// GET received: what subscribers sent to the lines. Customers see their own with its text; staff
// see all, also what no account got, and no texts.
import { literal, orAbsent, plainText, time } from "../json-schema.ts";
import { cleanNumber, parseRecipient } from "../../sms/msisdn.ts";
import {
  type ListedReceived,
  type ReceivedFilter,
  walkReceivedOf,
  walkReceivedOfAll,
} from "../../store/received-lists.ts";
import { latestUuidMs, uuidCeiling, uuidFloor } from "../../platform/uuid.ts";
import { forbidden } from "./console-context.ts";
import { type ConsoleEndpoints, pageParameters, readSequence, walkStartOf } from "./console-endpoint.ts";
import { type FileColumn, type ListFile, fileEndpoints, filePageRows } from "./list-file.ts";
import { type Walked, rowsAtATime, walkBack, walkSlices } from "./walk-back.ts";
import type { ConsoleCall } from "./console-call.ts";

/** The account of what no account got. */
const nobody = 0;
/** The id of a long message is as old as its last part, its time as its first one. */
const joiningMs = 3 * 24 * 3_600_000;

const filters = {
  account: orAbsent(plainText("For staff: of this account.")),
  unassigned: orAbsent(literal("true", "For staff: those that no account got.")),
  sender: orAbsent(plainText("Number of the subscriber.")),
  line: orAbsent(plainText("The number that it was sent to.")),
  text: orAbsent(plainText("For customers only: a part of the text.")),
  from: orAbsent(time("Received at or after.")),
  to: orAbsent(time("Received before.")),
};

const fileColumns: readonly FileColumn<ListedReceived>[] = [
  { key: "receivedAt", raw: ({ receivedAt }) => receivedAt },
  { key: "receivedMessageId", for: "programs", raw: ({ id }) => id },
  { key: "account", raw: ({ account }) => account },
  { key: "senderNumber", raw: ({ sender }) => sender },
  { key: "recipientNumber", titledAs: "line", raw: ({ recipient }) => recipient },
  { key: "complete", raw: ({ complete }) => complete },
];
const textColumns: readonly FileColumn<ListedReceived>[] = [
  { key: "content", raw: ({ content }) => content },
  { key: "contentErased", for: "programs", raw: (message) => message.contentErased || undefined },
];
const connectorColumn: FileColumn<ListedReceived> = { key: "connector", raw: ({ connector }) => connector };

interface ReceivedSearch {
  /** Undefined: of all. */
  readonly accountId: number | undefined;
  readonly withText: boolean;
  readonly filter: ReceivedFilter;
  readonly count: number;
}

async function readSearch(call: ConsoleCall, count: number): Promise<ReceivedSearch> {
  const session = call.session;
  const { account: name, unassigned, sender, line, text, from, to } = call.readQuery(filters);
  const account = await call.accountNamed(name);
  const isStaff = session.account === undefined;
  if (isStaff && text !== undefined) throw forbidden("console.role");
  return {
    accountId: isStaff && unassigned === "true" ? nobody : account?.id,
    withText: !isStaff,
    filter: {
      sender: sender && (parseRecipient(cleanNumber(sender, "json")) ?? sender),
      line: line && cleanNumber(line, "json"),
      ...{ text, from, to },
    },
    count,
  };
}

const lastSequence = 9_223_372_036_854_775_807n;

async function searchReceived(
  call: ConsoleCall,
  { accountId, withText, filter, count }: ReceivedSearch,
  after: string | undefined,
): Promise<Walked<ListedReceived>> {
  if (accountId !== undefined) {
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const walk = {
      before: readSequence(after) ?? lastSequence,
      count,
      keyOf: ({ sequence }: ListedReceived) => sequence,
    };
    return walkSlices(walk, async (before, limit) => {
      const scan = isFiltered ? Math.max(rowsAtATime, limit) : limit;
      const account = { accountId, before, withText };
      const { found, scanned, oldest } = await walkReceivedOf(call.reads, account, { limit, scan, filter });
      return { found, rest: scanned < scan ? undefined : oldest };
    });
  }
  const { from, to } = filter;
  const latest = to === undefined ? uuidCeiling(latestUuidMs) : uuidFloor(to.getTime() + joiningMs);
  const start = walkStartOf(after) ?? { before: latest };
  const now = call.parts.db.clock.now();
  return call.reads.transaction((tx) =>
    walkBack({ fromMs: from?.getTime() ?? 0, ...start, count, now }, ({ limit, scan, ...bounds }) =>
      walkReceivedOfAll(tx, bounds, { limit, scan, filter }),
    ),
  );
}

function describeReceived(message: ListedReceived, withText: boolean) {
  const { id, account, sender, recipient, receivedAt, complete, connector, content } = message;
  const isErased = message.contentErased && { contentErased: true };
  return {
    ...{ receivedMessageId: id, account, senderNumber: sender, recipientNumber: recipient, receivedAt, complete },
    ...(withText && { content, ...isErased }),
    ...(!withText && { connector }),
  };
}

export const receivedEndpoints = {
  "GET /received": {
    needs: "readReceived",
    summary: "Messages received",
    description:
      "Newest first. A call reads a bounded number of rows and answers what it found, with `searchedTo` and a `nextCursor` to go on from.",
    query: { ...pageParameters, ...filters },
    handle: async (call) => {
      const { after, count } = call.readQuery(pageParameters);
      const search = await readSearch(call, count);
      const page = await searchReceived(call, search, after);
      return { ...page, items: page.items.map((message) => describeReceived(message, search.withText)) };
    },
  },
} satisfies ConsoleEndpoints;

export const receivedFiles = fileEndpoints({
  path: "/received",
  needs: "readReceived",
  summary: "Messages received",
  description: "All that match the filters, newest first. Customers get the texts, too.",
  query: filters,
  list: async (call): Promise<ListFile<ListedReceived>> => {
    const search = await readSearch(call, filePageRows);
    return {
      name: "received",
      columns: [...fileColumns, ...(search.withText ? textColumns : [connectorColumn])],
      page: (after) => searchReceived(call, search, after),
    };
  },
});
