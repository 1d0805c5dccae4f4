// GET accounts, accounts/{name} and accounts/{name}/statement: who has how much credit, and every
// movement of it.
import { input, integer, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import { movementTexts, statementTitle } from "../../texts/list-file-texts.ts";
import { localize } from "../../texts/localize.ts";
import { type StatementEntry, type StatementPage, listStatement } from "../../store/ledger.ts";
import { type AccountSummary, findAccountSummary, listAccountSummaries } from "../../store/staff-lookups.ts";
import { uuidFloor } from "../../platform/uuid.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import { readObject } from "./configured-objects.ts";
import { ApiError } from "../../texts/errors.ts";
import { bookCreditFor, isCreditReference } from "../../intake/book-credit.ts";
import { formatRials, parseRials } from "../../sms/money.ts";
import { scalarText } from "../read-parameters.ts";
import { byRule } from "./console-input.ts";
import type { ConsoleCall } from "./console-call.ts";
import { type FileColumn, type ListFile, fileEndpoints, filePageRows } from "./list-file.ts";

const period = {
  from: orAbsent(time("Beginning of the period.")),
  to: orAbsent(time("End of the period, not included.")),
};

const statementPage = { ...pageParameters, after: orAbsent(uuidText()), ...period };

async function findOne(call: ConsoleCall, name: string): Promise<AccountSummary> {
  const found = await findAccountSummary(call.reads, name);
  if (found === undefined) throw ApiError.notThere();
  return found;
}

function describeEntry({ messages, ...rest }: StatementEntry) {
  return { ...rest, ...(messages > 0 && { messages }) };
}

// POST accounts/{name}/credit: books credit by hand, once a reference, as `hodhod credit` does.

const booking = input({
  amount: byRule(integer("In rials; below zero takes credit back."), amountOfCredit, "console.rials"),
  reference: plainText({ minLength: 1, maxLength: 200, description: "Such as the number of an invoice." }),
});

function amountOfCredit(value: unknown): bigint | undefined {
  const amount = parseRials(scalarText(value) ?? "");
  // Beyond this a number of JSON is not exact.
  const isFit = amount !== undefined && amount !== 0n && Math.abs(Number(amount)) <= Number.MAX_SAFE_INTEGER;
  return isFit ? amount : undefined;
}

function alreadyUsed(reference: string, amount: bigint): ApiError {
  const values = { reference, amount: formatRials(amount) };
  return ApiError.invalidParameter("reference", "console.referenceUsed", values);
}

function tooLow(balance: bigint): ApiError {
  const values = { balance: formatRials(balance) };
  return ApiError.invalidParameter("amount", "console.creditTooLow", values);
}

export const accountEndpoints = {
  "GET /accounts": {
    needs: "readCredit",
    summary: "The accounts with their credit",
    description: "In the order of their names. A customer sees the own account.",
    query: pageParameters,
    handle: async (call) => {
      const own = call.session.account;
      if (own !== undefined) return { items: [await findOne(call, own.name)] };
      const { after = "", count } = call.readQuery(pageParameters);
      const page = await listAccountSummaries(call.reads, { after, limit: count + 1 });
      return pageFrom(
        page,
        count,
        ({ name }) => name,
        (account) => account,
      );
    },
  },
  "GET /accounts/{name}": {
    needs: "readAccount",
    summary: "One account with its settings and credit",
    description: "With the keys of the setup file, without secrets. The ETag is what PUT and DELETE want.",
    handle: async (call) => {
      const { name } = await call.account();
      const isStaff = call.session.account === undefined;
      const found = await readObject(call, { section: "accounts", name });
      const { users, apiKeys, allowedIps, blockedRecipients, credit, balance, unlimited, ...all } = found;
      return {
        ...all,
        ...((isStaff || call.may("manageAccess")) && { users, apiKeys, allowedIps, blockedRecipients }),
        ...((isStaff || call.may("readCredit")) && { credit, balance, unlimited }),
      };
    },
  },
  "GET /accounts/{name}/statement": {
    needs: "readCredit",
    summary: "Every movement of an account's credit",
    description:
      "Newest first, with the balance after each. The charge of each call is one entry with its batchId. The entries add up to the balance.",
    query: statementPage,
    handle: async (call) => {
      const { after, count } = call.readQuery(statementPage);
      const { entries, next, ...balances } = await readStatement(call, after, count);
      return { items: entries.map(describeEntry), ...(next !== undefined && { nextCursor: next }), ...balances };
    },
  },
} satisfies ConsoleEndpoints;

export const statementFiles = fileEndpoints({
  path: "/accounts/:name/statement",
  needs: "readCredit",
  summary: "Every movement of an account's credit",
  description: "Newest first, with the balance after each.",
  query: period,
  list: async (call, language): Promise<ListFile<StatementEntry>> => ({
    name: "statement",
    title: `${localize(statementTitle, language)} ${(await call.account()).name}`,
    columns: statementColumns,
    page: async (after) => {
      const { entries, next } = await readStatement(call, after, filePageRows);
      return { items: entries, nextCursor: next };
    },
  }),
});

const statementColumns: readonly FileColumn<StatementEntry>[] = [
  { key: "at", raw: ({ at }) => at },
  { key: "kind", raw: ({ kind }) => kind, shown: ({ kind }) => movementTexts[kind] ?? kind },
  { key: "amount", raw: ({ amount }) => amount },
  { key: "balance", raw: ({ balance }) => balance },
  { key: "messages", raw: ({ messages }) => messages || undefined },
  { key: "parts", raw: ({ parts }) => parts },
  { key: "campaign", raw: ({ campaign }) => campaign?.name },
  { key: "reference", raw: ({ reference }) => reference },
  { key: "batchId", raw: ({ batchId }) => batchId },
  { key: "messageId", raw: ({ messageId }) => messageId },
];

/** Throws 1001. */
async function readStatement(call: ConsoleCall, after: string | undefined, limit: number): Promise<StatementPage> {
  const { id } = await call.account();
  const { from, to } = call.readQuery(period);
  const end = after ?? (to && uuidFloor(to.getTime()));
  const asked = {
    ...{ accountId: id, limit },
    ...(from !== undefined && { after: uuidFloor(from.getTime()) }),
    ...(end !== undefined && { before: end }),
  };
  const page = await call.reads.transaction((tx) => listStatement(tx, asked));
  if (page === undefined) throw ApiError.notThere();
  return page;
}

export const creditEndpoints = {
  "POST /accounts/{name}/credit": {
    needs: "bookCredit",
    summary: "Add credit to an account, or take it back",
    description:
      "A reference is booked once in the life of an account, so that a call can be repeated. Credit never goes below zero.",
    body: booking,
    handle: async (call) => {
      const account = await call.account();
      const { amount, ...given } = call.readBody(booking);
      const reference = given.reference.trim();
      if (!isCreditReference(reference)) throw ApiError.invalidParameter("reference", "console.reference");
      const result = await bookCreditFor(call.work, call.actor, { account, amount, reference });
      if (result.kind === "referenceUsed") throw alreadyUsed(reference, result.amount);
      if (result.kind === "insufficient") throw tooLow(result.balance);
      return { booked: result.kind === "booked", amount, reference, balance: result.balance };
    },
  },
} satisfies ConsoleEndpoints;
