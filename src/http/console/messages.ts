// GET messages, messages.csv and messages/{id}/text: what was sent, as a list and as a file, and
// the text of one message. Staff see no texts, which may be codes of banks, until they ask for one;
// that is written down.
import { object, orAbsent, plainText, uuidText } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import { findMessageText } from "../../store/console-reads.ts";
import type { ListedMessage } from "../../store/message-lists.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import { notThere } from "./console-context.ts";
import { type ConsoleEndpoint, pageOf, pageParameters, readPageSize, walkStartOf } from "./console-endpoint.ts";
import { type CsvValue, answerCsv, csvPageRows } from "./csv-answer.ts";
import { contentErased, describeReason, messageFields, searchedTo } from "./message-fields.ts";
import { messageFilters, readMessageSearch, searchMessages } from "./message-search.ts";

const listed = object({
  ...messageFields,
  language: plainText(),
  templateId: orAbsent(plainText()),
  content: orAbsent(plainText("The text; for customers only.")),
  contentErased,
});

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

export const messageEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/messages",
    needs: "readMessages",
    operationId: "listMessages",
    summary: "Messages sent",
    description:
      "Newest first. A call reads a bounded number of rows and answers what it found, with `searchedTo` and a `nextCursor` to go on from.",
    tag: "Messages",
    query: { ...pageParameters, ...messageFilters },
    result: pageOf(listed, { searchedTo }),
    handle: async (call) => {
      const session = call.session;
      const query = call.query;
      const page = await searchMessages(
        call,
        await readMessageSearch(call, session, { query, count: readPageSize(query) }),
      );
      const language = call.language;
      return { ...page, items: page.items.map((message) => describeListed(message, language)) };
    },
  },
  {
    method: "GET",
    path: "/messages.csv",
    needs: "readMessages",
    operationId: "exportMessages",
    summary: "Messages sent, as a file",
    description:
      "All that match the filters, newest first, in UTF-8 with a byte order mark. Customers get the texts, too. What a spreadsheet would take for a " +
      "formula has an apostrophe before it. One file at a time for each person, two for an account (429).",
    tag: "Messages",
    query: messageFilters,
    contents: { "text/csv": plainText() },
    handle: async (call) => {
      const session = call.session;
      const search = await readMessageSearch(call, session, { query: call.query, count: csvPageRows });
      const language = call.language;
      const list = {
        name: "messages",
        columns: search.withText ? [...csvColumns, "content", "contentErased"] : csvColumns,
        record: (message: ListedMessage) => csvValues(message, language, search.withText),
        page: (after: string | undefined) => searchMessages(call, { ...search, ...walkStartOf(after) }),
      };
      return answerCsv(call, list);
    },
  },
  {
    method: "GET",
    path: "/messages/:id/text",
    needs: "readText",
    operationId: "getMessageText",
    summary: "The text of one message",
    description: "Each call of staff is written into the audit.",
    tag: "Messages",
    params: { id: uuidText("sentMessageId") },
    result: object({ content: plainText(), contentErased }),
    handle: async (call) => {
      const session = call.session;
      const id = call.id;
      const found = await findMessageText(call.reads, id);
      if (found === undefined || (session.account !== undefined && session.account.name !== found.account))
        throw notThere();
      const { account, content } = found;
      if (session.kind === "staff") {
        await insertAuditEntries(call.work, call.actor, [{ action: "use", kind: "messageText", name: id, account }]);
      }
      return { content, ...(isErased(content) && { contentErased: true }) };
    },
  },
];
