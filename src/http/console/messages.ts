// GET messages, messages.csv, messages.xlsx and messages/{id}/text: what was sent, as a list and as a file, and
// the text of one message. Staff see no texts, which may be codes of banks, until they ask for one;
// that is written down.
import { ApiError } from "../../texts/errors.ts";
import { describeReason } from "../../texts/reason-text.ts";
import { stateText } from "../../texts/list-file-texts.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import type { ListedMessage } from "../../store/message-lists.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import { type ConsoleEndpoints, pageParameters, walkStartOf } from "./console-endpoint.ts";
import { type FileColumn, fileEndpoints, filePageRows, type ListFile } from "./list-file.ts";
import { describeMessage } from "./message-fields.ts";
import { messageFilters, readMessageSearch, searchMessages } from "./message-search.ts";
import { findMessageText } from "../../store/message-reads.ts";

const fileColumns = (language: AnswerLanguage): readonly FileColumn<ListedMessage>[] => [
  { key: "acceptedAt", raw: ({ id }) => new Date(uuidv7Time(id)) },
  { key: "sentMessageId", for: "programs", raw: ({ id }) => id },
  { key: "batchId", for: "programs", raw: ({ batchId }) => batchId },
  { key: "account", raw: ({ account }) => account },
  { key: "senderNumber", titledAs: "line", raw: ({ sender }) => sender },
  { key: "recipientNumber", raw: ({ recipient }) => recipient },
  { key: "operator", raw: ({ operator }) => operator },
  { key: "language", for: "programs", raw: (message) => message.language },
  { key: "parts", raw: ({ parts }) => parts },
  { key: "cost", raw: ({ cost }) => cost },
  { key: "messageStatus", for: "programs", raw: ({ status }) => status },
  { key: "state", for: "people", raw: ({ status }) => status, shown: ({ status }) => stateText(status) },
  { key: "errorCode", for: "programs", raw: (message) => describeReason(message, language).errorCode },
  { key: "errorMessage", raw: (message) => describeReason(message, language).errorMessage },
  {
    key: "failureKind",
    for: "people",
    raw: ({ failure }) => failure?.kind,
    shown: (message) => describeReason(message, language).failureText,
  },
  { key: "templateId", raw: ({ templateId }) => templateId },
  { key: "sendAt", raw: ({ sendAt }) => sendAt },
  { key: "sentAt", raw: ({ sentAt }) => sentAt },
  { key: "finalAt", raw: ({ finalAt }) => finalAt },
];

const textColumns: readonly FileColumn<ListedMessage>[] = [
  { key: "content", raw: ({ content }) => content },
  { key: "contentErased", for: "programs", raw: ({ content }) => isErased(content) || undefined },
];
const lastColumns: readonly FileColumn<ListedMessage>[] = [
  { key: "sentMessageId", for: "people", raw: ({ id }) => id },
  // Programs may read by position: what is new for them comes last.
  { key: "failureKind", for: "programs", raw: ({ failure }) => failure?.kind },
];

function describeListed(message: ListedMessage, language: AnswerLanguage) {
  const { templateId, content } = message;
  return {
    ...describeMessage(message, language),
    ...{ language: message.language, templateId, content },
    ...(isErased(content) && { contentErased: true }),
  };
}

/** A text that was sent is never empty. */
function isErased(content: string | null): boolean {
  return content === "";
}

export const messageEndpoints = {
  "GET /messages": {
    needs: "readMessages",
    summary: "Messages sent",
    description:
      "Newest first. A call reads a bounded number of rows and answers what it found, with `searchedTo` and a `nextCursor` to go on from.",
    query: { ...pageParameters, ...messageFilters },
    handle: async (call) => {
      const session = call.session;
      const { count } = call.readQuery(pageParameters);
      const page = await searchMessages(call, await readMessageSearch(call, session, count));
      const language = call.language;
      return { ...page, items: page.items.map((message) => describeListed(message, language)) };
    },
  },
  "GET /messages/{id}/text": {
    needs: "readText",
    summary: "The text of one message",
    description: "Each call of staff is written into the audit.",
    handle: async (call) => {
      const session = call.session;
      const id = call.id;
      const found = await findMessageText(call.reads, id);
      if (found === undefined || (session.account !== undefined && session.account.name !== found.account))
        throw ApiError.notThere();
      const { account, content } = found;
      if (session.account === undefined) {
        await insertAuditEntries(call.work, call.actor, [{ action: "use", kind: "messageText", name: id, account }]);
      }
      return { content, ...(isErased(content) && { contentErased: true }) };
    },
  },
} satisfies ConsoleEndpoints;

export const messageFiles = fileEndpoints({
  path: "/messages",
  needs: "readMessages",
  summary: "Messages sent",
  description: "All that match the filters, newest first. Customers get the texts, too.",
  query: messageFilters,
  list: async (call, language): Promise<ListFile<ListedMessage>> => {
    const search = await readMessageSearch(call, call.session, filePageRows);
    return {
      name: "messages",
      columns: [...fileColumns(language), ...(search.withText ? textColumns : []), ...lastColumns],
      page: (after) => searchMessages(call, { ...search, ...walkStartOf(after) }),
    };
  },
});
