// GET accounts, accounts/{name} and accounts/{name}/statement: who has how much credit, and every
// movement of it.
import { array, boolean, input, integer, object, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import { movementTexts, statementTitle } from "../../texts/list-file-texts.ts";
import { localize } from "../../texts/localize.ts";
import { type StatementEntry, type StatementPage, listStatement } from "../../store/ledger.ts";
import { type AccountSummary, findAccountSummary, listAccountSummaries } from "../../store/staff-lookups.ts";
import { uuidFloor } from "../../platform/uuid.ts";
import { type ConsoleEndpoint, pageFrom, pageOf, pageParameters } from "./console-endpoint.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { readObject } from "./configured-objects.ts";
import { schemaOf } from "./setup-schemas.ts";
import { ApiError } from "../../texts/errors.ts";
import { bookCreditFor, isCreditReference } from "../../intake/book-credit.ts";
import { formatRials, parseRials } from "../../sms/money.ts";
import { scalarText } from "../read-parameters.ts";
import { byRule } from "./console-input.ts";
import type { ConsoleCall } from "./console-call.ts";
import { type FileColumn, type ListFile, fileEndpoints, filePageRows } from "./list-file.ts";

const account = object({
  name: plainText(),
  domain: plainText("What its users give as their organisation."),
  tariff: plainText(),
  balance: integer("Its credit, in rials."),
  unlimited: boolean("Without a limit the balance may be below zero."),
  lines: integer(),
  users: integer(),
  apiKeys: integer(),
});

const entry = object({
  id: uuidText(),
  at: time("When it was booked."),
  kind: oneOf(
    ["opening", "credit", "charge", "refund", "carried", "void"],
    "`carried` is the sum of movements that are no longer stored.",
  ),
  amount: integer("In rials; below zero for a charge."),
  balance: integer("After this entry."),
  messages: orAbsent(integer("How many messages a charge paid for.")),
  parts: orAbsent(integer("Of these messages, as long as they are kept.")),
  messageId: orAbsent(uuidText()),
  batchId: orAbsent(uuidText()),
  reference: orAbsent(plainText("Of a credit.")),
  campaign: orAbsent(
    object(
      { id: uuidText(), name: plainText() },
      "Whose rows were paid for or refunded, as long as their messages are kept.",
    ),
  ),
});

const statement = object({
  items: array(entry),
  nextCursor: orAbsent(plainText()),
  closingBalance: integer("After the first entry of the page."),
  openingBalance: integer("Before the last entry of the page."),
  balance: integer("Now."),
  unlimited: boolean(),
});

/** What a customer's user must be allowed to see these keys. */
const keyNeeds: Readonly<Record<string, Operation>> = {
  users: "manageAccess",
  apiKeys: "manageAccess",
  allowedIps: "manageAccess",
  blockedRecipients: "manageAccess",
  credit: "readCredit",
  balance: "readCredit",
  unlimited: "readCredit",
};

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

function describeEntry({ messages, ...rest }: StatementEntry): object {
  return { ...rest, ...(messages > 0 && { messages }) };
}

// POST accounts/{name}/credit: books credit by hand, once a reference, as `hodhod credit` does.

const booking = input({
  amount: byRule(integer("In rials; below zero takes credit back."), amountOfCredit, "console.rials"),
  reference: plainText({ minLength: 1, maxLength: 200, description: "Such as the number of an invoice." }),
});

const booked = object({
  booked: boolean("False where this reference was booked before: nothing was changed."),
  amount: integer("As it was booked."),
  reference: plainText(),
  balance: integer("The credit now."),
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

export const accountEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/accounts",
    needs: "readCredit",
    summary: "The accounts with their credit",
    description: "In the order of their names. A customer sees the own account.",
    query: pageParameters,
    result: pageOf(account),
    handle: async (call) => {
      const own = call.session.account;
      if (own !== undefined) return { items: [await findOne(call, own.name)] };
      const { after = "", count } = call.readQuery(pageParameters);
      const page = await listAccountSummaries(call.reads, { after, limit: count + 1 });
      return pageFrom(page, count, ({ name }) => name);
    },
  },
  {
    method: "GET",
    path: "/accounts/:name",
    needs: "readAccount",
    summary: "One account with its settings and credit",
    description: "With the keys of the setup file, without secrets. The ETag is what PUT and DELETE want.",
    result: schemaOf("accounts"),
    handle: async (call) => {
      const session = call.session;
      const wanted = await call.account();
      const found = await readObject(call, { section: "accounts", name: wanted.name });
      if (session.account === undefined) return found;
      return Object.fromEntries(
        Object.entries(found).filter(([key]) => {
          const needed = keyNeeds[key];
          return needed === undefined || call.may(needed);
        }),
      );
    },
  },
  {
    method: "GET",
    path: "/accounts/:name/statement",
    needs: "readCredit",
    summary: "Every movement of an account's credit",
    description:
      "Newest first, with the balance after each. The charge of each call is one entry with its batchId. The entries add up to the balance.",
    query: statementPage,
    result: statement,
    handle: async (call) => {
      const { after, count } = call.readQuery(statementPage);
      const { entries, next, ...balances } = await readStatement(call, after, count);
      return { items: entries.map(describeEntry), ...(next !== undefined && { nextCursor: next }), ...balances };
    },
  },
  ...fileEndpoints({
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
  }),
];

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

export const creditEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "POST",
    path: "/accounts/:name/credit",
    needs: "bookCredit",
    summary: "Add credit to an account, or take it back",
    description:
      "A reference is booked once in the life of an account, so that a call can be repeated. Credit never goes below zero.",
    body: booking,
    result: booked,
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
];
