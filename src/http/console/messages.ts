// GET messages, messages.csv and messages/{id}/text: what was sent, as a list and as a file, and
// the text of one message. Staff see no texts, which may be codes of banks, until they ask for one;
// that is written down.
import { input, object, orAbsent, plainText, uuidText } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import { findMessageText } from "../../store/console-reads.ts";
import type { ListedMessage } from "../../store/message-lists.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import { languageOf } from "../language.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  csvResponses,
  notThere,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";
import { Semaphore } from "../../platform/semaphore.ts";
import { answerCsv, csvLimits, csvPageRows, type CsvValue } from "./csv-answer.ts";
import { contentErased, describeReason, messageFields, searchedTo } from "./message-fields.ts";
import { messageFilters, readMessageSearch, searchMessages } from "./message-search.ts";
import { pathId, walkStartOf } from "./narrow.ts";

const listed = object({
  ...messageFields,
  language: plainText(),
  templateId: orAbsent(plainText()),
  content: orAbsent(plainText("The text; for customers only.")),
  contentErased,
});

export function messageEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [listAll(context), exportAll(context), getText(context)];
}

function listAll(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/messages",
    needs: "readMessages",
    schema: {
      operationId: "listMessages",
      summary: "Messages sent",
      description:
        "Newest first. A call reads a bounded number of rows and answers what it found, with `searchedTo` and a `nextCursor` to go on from.",
      tags: ["Messages"],
      querystring: input({ ...pageParameters, ...messageFilters }),
      response: consoleResponses(pageOf(listed, { searchedTo }), 400, 404),
    },
    answer: async ({ request }) => {
      const session = context.sessionOf(request);
      const query = readQuery(request);
      const page = await searchMessages(
        context,
        await readMessageSearch(context, session, { query, count: readPageSize(query) }),
      );
      const language = languageOf(request.headers["accept-language"]);
      return { ...page, items: page.items.map((message) => describeListed(message, language)) };
    },
  };
}

const csvColumns = [
  ...[
    "acceptedAt",
    "sentMessageId",
    "batchId",
    "account",
    "senderNumber",
    "recipientNumber",
    "operator",
    "language",
    "parts",
    "cost",
  ],
  ...["messageStatus", "errorCode", "errorMessage", "templateId", "sendAt", "sentAt", "finalAt"],
];

function exportAll(context: ConsoleContext): ConsoleEndpoint {
  const places = new Semaphore(csvLimits);
  return {
    method: "GET",
    path: "/messages.csv",
    needs: "readMessages",
    schema: {
      operationId: "exportMessages",
      summary: "Messages sent, as a file",
      description:
        "All that match the filters, newest first, in UTF-8 with a byte order mark. Customers get the texts, too. What a spreadsheet would take for a " +
        "formula has an apostrophe before it. One file at a time for each person, two for an account (429).",
      tags: ["Messages"],
      querystring: input(messageFilters),
      response: csvResponses(),
    },
    answer: async ({ request, reply }) => {
      const session = context.sessionOf(request);
      const search = await readMessageSearch(context, session, { query: readQuery(request), count: csvPageRows });
      const language = languageOf(request.headers["accept-language"]);
      const list = {
        name: "messages",
        columns: search.withText ? [...csvColumns, "content", "contentErased"] : csvColumns,
        record: (message: ListedMessage) => csvValues(message, language, search.withText),
        isAllowed: async () => (await context.findSession(request)) !== undefined,
        page: (after: string | undefined) => searchMessages(context, { ...search, ...walkStartOf(after) }),
      };
      return answerCsv(reply, list, { places, session });
    },
  };
}

function csvValues(message: ListedMessage, language: AnswerLanguage, withText: boolean): readonly CsvValue[] {
  const { id, batchId, account, sender, recipient, operator, parts, cost, status, sendAt, sentAt, finalAt } = message;
  const { errorCode, errorMessage } = describeReason(message, language);
  return [
    ...[new Date(uuidv7Time(id)), id, batchId, account, sender, recipient, operator, message.language, parts, cost],
    ...[status, errorCode, errorMessage, message.templateId, sendAt, sentAt, finalAt],
    ...(withText ? [message.content, isErased(message.content) || undefined] : []),
  ];
}

function describeListed(message: ListedMessage, language: AnswerLanguage): object {
  const { id, batchId, account, sender, recipient, operator, parts, cost, status, sendAt, sentAt, finalAt } = message;
  return {
    ...{ sentMessageId: id, batchId, account, senderNumber: sender, recipientNumber: recipient, operator, parts, cost },
    language: message.language,
    templateId: message.templateId,
    messageStatus: status,
    ...describeReason(message, language),
    acceptedAt: new Date(uuidv7Time(id)),
    ...{ sendAt, sentAt, finalAt, content: message.content },
    ...(isErased(message.content) && { contentErased: true }),
  };
}

/** A text that was sent is never empty. */
function isErased(content: string | null): boolean {
  return content === "";
}

function getText(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/messages/:id/text",
    needs: "readText",
    schema: {
      operationId: "getMessageText",
      summary: "The text of one message",
      description: "Each call of staff is written into the audit.",
      tags: ["Messages"],
      params: input({ id: uuidText("sentMessageId") }),
      response: consoleResponses(object({ content: plainText(), contentErased }), 404),
    },
    answer: async ({ request }) => {
      const session = context.sessionOf(request);
      const id = pathId(request);
      const found = await findMessageText(context.reads, id);
      if (found === undefined || (session.account !== undefined && session.account.name !== found.account))
        throw notThere();
      const { account, content } = found;
      if (session.kind === "staff") {
        await insertAuditEntries(context.work, context.actorOf(request), [
          { action: "use", kind: "messageText", name: id, account },
        ]);
      }
      return { content, ...(isErased(content) && { contentErased: true }) };
    },
  };
}
