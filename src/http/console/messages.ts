// GET messages, messages/{id} and messages/{id}/text: what was sent, the life of one message, and its text. Staff see no texts, which
// may be codes of banks, until they ask for one; that is written down.
import { Type } from "typebox";
import { errorCatalogue, errorNameOf, word, type Language } from "../../errors.ts";
import { cleanNumber, parseRecipient } from "../../sms/msisdn.ts";
import { ApiError } from "../../errors.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import {
  findMessageText,
  type ListedMessage,
  listMessagesOf,
  listMessagesOfAll,
  listMessagesOfBatch,
  listMessagesTo,
  type MessageBounds,
} from "../../store/console-reads.ts";
import { listMessageWeeks } from "../../store/partitions.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../../uuid.ts";
import { languageOf } from "../language.ts";
import type { GivenParameters } from "../read-parameters.ts";
import type { ConsoleDoor } from "./console-door.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  exactly,
  notThere,
  pageOf,
  pageParameters,
  readCount,
  readQuery,
  readTimeParameter,
  rials,
  time,
} from "./console-endpoint.ts";
import { accountWanted, pathId, readId } from "./narrow.ts";

export const messageFields = {
  sentMessageId: Type.String({ format: "uuid" }),
  batchId: Type.String({ format: "uuid" }),
  account: Type.String(),
  senderNumber: Type.String({ description: "The line." }),
  recipientNumber: Type.String({ description: "989…" }),
  operator: Type.String(),
  parts: Type.Integer(),
  cost: rials("In rials."),
  messageStatus: Type.Integer({
    minimum: 0,
    maximum: 4,
    description: "0 waiting, 1 sent to the operator, 2 delivered, 3 not delivered, 4 not sent.",
  }),
  errorCode: Type.Optional(Type.Integer({ description: "The reason of statuses 3 and 4, and of open outcomes." })),
  errorMessage: Type.Optional(Type.String()),
  acceptedAt: time("When the call was accepted."),
  sendAt: Type.Optional(time("Of a scheduled message.")),
  sentAt: Type.Optional(time("When the operator took it.")),
  finalAt: Type.Optional(time("When it reached its final status.")),
};

const listed = Type.Object(
  {
    ...messageFields,
    language: Type.String(),
    content: Type.Optional(Type.String({ description: "The text; for customers only." })),
  },
  exactly,
);

const searchedTo = Type.Optional(time("Set where the search stopped before its end: so far back it went."));

/** A call goes on to older weeks for no longer than this; what it found by then is the page. */
const searchMs = 2_000;
const latestMs = 2 ** 48 - 1;

export function messageEndpoints(door: ConsoleDoor): ConsoleEndpoint[] {
  return [listAll(door), getText(door)];
}

function listAll(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/messages",
    needs: ["see", "look"],
    schema: {
      operationId: "listMessages",
      summary: "Messages sent",
      description:
        "Newest first. A search that takes long answers what it found so far, with `searchedTo` and a `nextCursor` to go on from.",
      tags: ["Messages"],
      querystring: Type.Object({
        ...pageParameters,
        account: Type.Optional(Type.String({ description: "For staff: of this account." })),
        recipient: Type.Optional(Type.String({ description: "Number of the recipient, in any usual form." })),
        batch: Type.Optional(Type.String({ format: "uuid" })),
        from: Type.Optional(time("Accepted at or after.")),
        to: Type.Optional(time("Accepted before.")),
      }),
      response: consoleResponses(pageOf(listed, { searchedTo }), 400, 404),
    },
    answer: async ({ request }) => {
      const session = door.sessionOf(request);
      const query = readQuery(request);
      const account = await accountWanted(door, session, query.text("account"));
      const withText = session.kind === "customer";
      const page = await search(door, { ...readSearch(query), accountId: account?.id, withText });
      const language = languageOf(request.headers["accept-language"]);
      return { ...page, items: page.items.map((message) => describeListed(message, language)) };
    },
  };
}

interface Search {
  readonly accountId: number | undefined;
  readonly withText: boolean;
  readonly recipient: string | undefined;
  readonly batchId: string | undefined;
  readonly fromMs: number;
  readonly before: string;
  readonly count: number;
}

function readSearch(query: GivenParameters): Omit<Search, "accountId" | "withText"> {
  const to = readTimeParameter(query, "to");
  const after = readId(query, "after");
  const last = to === undefined ? uuidCeiling(latestMs) : uuidFloor(to.getTime());
  return {
    recipient: readRecipient(query),
    batchId: readId(query, "batch"),
    fromMs: readTimeParameter(query, "from")?.getTime() ?? 0,
    before: after === undefined || after > last ? last : after,
    count: readCount(query),
  };
}

function readRecipient(query: GivenParameters): string | undefined {
  const given = query.text("recipient");
  if (given === undefined) return undefined;
  const recipient = parseRecipient(cleanNumber(given, "json"));
  if (recipient !== undefined) return recipient;
  throw ApiError.invalidParameters([{ field: "recipient", messageKey: "console.number" }]);
}

interface FoundPage {
  readonly items: readonly ListedMessage[];
  readonly nextCursor?: string | undefined;
  readonly searchedTo?: Date;
}

async function search(door: ConsoleDoor, { batchId, count, before, ...rest }: Search): Promise<FoundPage> {
  const { accountId, withText, recipient, fromMs } = rest;
  const limits = { accountId, withText, limit: count };
  if (batchId !== undefined) {
    const ofBatch = await listMessagesOfBatch(door.reads, { ...limits, batchId, before });
    // A batch is asked for by its id, so that other filters only take from what it has.
    const items = ofBatch.filter(
      (message) => (recipient ?? message.recipient) === message.recipient && uuidv7Time(message.id) >= fromMs,
    );
    return { items, ...(ofBatch.length === count && { nextCursor: ofBatch.at(-1)?.id }) };
  }
  return walkWeeks(door, { fromMs, before, count }, (bounds) => {
    if (recipient !== undefined)
      return door.reads.transaction((tx) => listMessagesTo(tx, { ...bounds, accountId, withText, recipient }));
    if (accountId === undefined) return listMessagesOfAll(door.reads, bounds);
    return listMessagesOf(door.reads, { ...bounds, accountId, withText });
  });
}

/** Week by week, so that the newest messages are found before older weeks are read. */
async function walkWeeks(
  door: ConsoleDoor,
  { fromMs, before, count }: Pick<Search, "fromMs" | "before" | "count">,
  read: (bounds: Pick<MessageBounds, "from" | "before" | "limit">) => Promise<readonly ListedMessage[]>,
): Promise<FoundPage> {
  const begunAt = performance.now();
  const items: ListedMessage[] = [];
  let end = before;
  for (const week of [...(await listMessageWeeks(door.reads)).map(Number), 0]) {
    const from = uuidFloor(Math.max(week, fromMs));
    if (from >= end) {
      if (week <= fromMs) return { items };
      continue;
    }
    items.push(...(await read({ from, before: end, limit: count - items.length })));
    if (items.length >= count) return { items, nextCursor: items.at(-1)?.id };
    if (week <= fromMs) return { items };
    end = from;
    if (performance.now() - begunAt > searchMs) return { items, nextCursor: end, searchedTo: new Date(week) };
  }
  return { items };
}

/** The reason of a status in words, as the clients' API tells it. */
export function describeReason(
  { reason, reasonDetail }: { readonly reason: number | null; readonly reasonDetail: string | null },
  language: Language,
): object {
  const name = reason === null ? undefined : errorNameOf(reason);
  if (name === undefined) return {};
  const detail = reasonDetail === null ? "" : ` (${reasonDetail})`;
  return { errorCode: reason, errorMessage: word(errorCatalogue[name], language, { detail }) };
}

function describeListed(message: ListedMessage, language: Language): object {
  const { id, batchId, account, sender, recipient, operator, parts, cost, status, sendAt, sentAt, finalAt } = message;
  return {
    ...{ sentMessageId: id, batchId, account, senderNumber: sender, recipientNumber: recipient, operator, parts, cost },
    language: message.language,
    messageStatus: status,
    ...describeReason(message, language),
    acceptedAt: new Date(uuidv7Time(id)),
    ...{ sendAt, sentAt, finalAt, content: message.content },
  };
}

function getText(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/messages/:id/text",
    needs: ["texts", "look"],
    schema: {
      operationId: "getMessageText",
      summary: "The text of one message",
      description: "Each call of staff is written into the audit.",
      tags: ["Messages"],
      params: Type.Object({ id: Type.String({ format: "uuid", description: "sentMessageId" }) }),
      response: consoleResponses(Type.Object({ content: Type.String() }, exactly), 404),
    },
    answer: async ({ request }) => {
      const session = door.sessionOf(request);
      const id = pathId(request, "id");
      const found = await findMessageText(door.reads, id);
      if (found === undefined || (session.account !== undefined && session.account.name !== found.account))
        throw notThere();
      const { account, content } = found;
      if (session.kind === "staff") {
        await insertAuditEntries(door.db, door.actorOf(request), [
          { action: "use", kind: "messageText", name: id, account },
        ]);
      }
      return { content };
    },
  };
}
