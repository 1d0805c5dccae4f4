// GET accounts, accounts/{name} and accounts/{name}/statement: who has how much credit, and every
// movement of it.
import { array, boolean, input, integer, object, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import { listStatement, type StatementEntry } from "../../store/ledger.ts";
import { type AccountSummary, findAccountSummary, listAccountSummaries } from "../../store/staff-lookups.ts";
import { uuidFloor } from "../../platform/uuid.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  notThere,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
  readTimeParameter,
} from "./console-endpoint.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { readObject } from "./configured-objects.ts";
import { accountWanted, pathParameter, readId } from "./narrow.ts";
import { schemaOf } from "./setup-schemas.ts";
import { ApiError } from "../../texts/errors.ts";
import { bookCreditFor, isCreditReference } from "../../intake/book-credit.ts";
import { ValueFault } from "../../setup/fault.ts";
import type { ValueReader } from "../../setup/read-value.ts";
import { formatRials, parseRials } from "../../sms/money.ts";
import { scalarText } from "../read-parameters.ts";
import { ConsoleBody } from "./console-body.ts";

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
  messageId: orAbsent(uuidText()),
  batchId: orAbsent(uuidText()),
  reference: orAbsent(plainText("Of a credit.")),
});

const statement = object({
  items: array(entry),
  nextCursor: orAbsent(plainText()),
  openingBalance: integer("Before the first entry of the page."),
  closingBalance: integer("After the last entry of the page."),
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

const inPath = input({ name: plainText("Name of the account.") });

export function accountEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [listAccounts(context), getAccount(context), getStatement(context)];
}

function listAccounts(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts",
    needs: "readCredit",
    schema: {
      operationId: "listAccounts",
      summary: "The accounts with their credit",
      description: "In the order of their names. A customer sees the own account.",
      tags: ["Accounts"],
      querystring: input(pageParameters),
      response: consoleResponses(pageOf(account), 400),
    },
    answer: async ({ request }) => {
      const own = context.sessionOf(request).account;
      if (own !== undefined) return { items: [await findOne(context, own.name)] };
      const query = readQuery(request);
      const count = readPageSize(query);
      const page = await listAccountSummaries(context.reads, { after: query.text("after") ?? "", limit: count + 1 });
      const items = page.slice(0, count);
      return { items, ...(page.length > count && { nextCursor: items.at(-1)?.name }) };
    },
  };
}

async function findOne(context: ConsoleContext, name: string): Promise<AccountSummary> {
  const found = await findAccountSummary(context.reads, name);
  if (found === undefined) throw notThere();
  return found;
}

function getAccount(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name",
    needs: "readAccount",
    schema: {
      operationId: "getAccount",
      summary: "One account with its settings and credit",
      tags: ["Accounts"],
      params: inPath,
      description: "With the keys of the setup file, without secrets. The ETag is what PUT and DELETE want.",
      response: consoleResponses(schemaOf("accounts"), 404),
    },
    answer: async ({ request, reply }) => {
      const session = context.sessionOf(request);
      const wanted = await accountWanted(context, session, pathParameter(request, "name"));
      const found = await readObject(context, reply, { section: "accounts", name: wanted?.name ?? "" });
      if (session.kind === "staff") return found;
      return Object.fromEntries(
        Object.entries(found).filter(([key]) => {
          const needed = keyNeeds[key];
          return needed === undefined || context.may(request, needed);
        }),
      );
    },
  };
}

function getStatement(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name/statement",
    needs: "readCredit",
    schema: {
      operationId: "getStatement",
      summary: "Every movement of an account's credit",
      description:
        "Oldest first, with the balance after each. The charge of each call is one entry with its batchId. The entries add up to the balance.",
      tags: ["Accounts"],
      params: inPath,
      querystring: input({
        ...pageParameters,
        from: orAbsent(time("Beginning of the period.")),
        to: orAbsent(time("End of the period, not included.")),
      }),
      response: consoleResponses(statement, 400, 404),
    },
    answer: async ({ request }) => {
      const wanted = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
      const query = readQuery(request);
      const from = readTimeParameter(query, "from");
      const to = readTimeParameter(query, "to");
      const after = readId(query, "after") ?? (from && uuidFloor(from.getTime()));
      const asked = {
        accountId: wanted?.id ?? 0,
        ...(after !== undefined && { after }),
        ...(to !== undefined && { before: uuidFloor(to.getTime()) }),
        limit: readPageSize(query),
      };
      const page = await context.reads.transaction((tx) => listStatement(tx, asked));
      if (page === undefined) throw notThere();
      const { entries, next, ...balances } = page;
      return { items: entries.map(describeEntry), ...(next !== undefined && { nextCursor: next }), ...balances };
    },
  };
}

function describeEntry({ messages, ...rest }: StatementEntry): object {
  return { ...rest, ...(messages > 0 && { messages }) };
}

// POST accounts/{name}/credit: books credit by hand, once a reference, as `hodhod credit` does.

const booking = input({
  amount: integer("In rials; below zero takes credit back."),
  reference: plainText({ minLength: 1, maxLength: 200, description: "Such as the number of an invoice." }),
});

const booked = object({
  booked: boolean("False where this reference was booked before: nothing was changed."),
  amount: integer("As it was booked."),
  reference: plainText(),
  balance: integer("The credit now."),
});

export function creditEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [
    {
      method: "POST",
      path: "/accounts/:name/credit",
      needs: "bookCredit",
      schema: {
        operationId: "bookCredit",
        summary: "Add credit to an account, or take it back",
        description:
          "A reference is booked once in the life of an account, so that a call can be repeated. Credit never goes below zero.",
        tags: ["Accounts"],
        params: input({ name: plainText("Name of the account.") }),
        body: booking,
        response: consoleResponses(booked, 400, 404),
      },
      answer: async ({ request }) => {
        const account = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
        if (account === undefined) throw notThere();
        const { amount, reference } = readBooking(new ConsoleBody(request));
        const result = await bookCreditFor(context.work, context.actorOf(request), { account, amount, reference });
        if (result.kind === "referenceUsed") throw alreadyUsed(reference, result.amount);
        if (result.kind === "insufficient") throw tooLow(result.balance);
        return { booked: result.kind === "booked", amount, reference, balance: result.balance };
      },
    },
  ];
}

function readBooking(body: ConsoleBody) {
  const amount = body.value("amount", amountOfCredit, "console.rials", { required: true });
  const reference = body.text("reference", { required: true })?.trim();
  if (reference !== undefined && !isCreditReference(reference)) body.fault("reference", "console.reference");
  return body.finishWith({ amount, reference });
}

const amountOfCredit: ValueReader<bigint> = (value) => {
  const amount = parseRials(scalarText(value) ?? "");
  // Beyond this a number of JSON is not exact.
  const isFit = amount !== undefined && amount !== 0n && Math.abs(Number(amount)) <= Number.MAX_SAFE_INTEGER;
  return isFit ? amount : new ValueFault("rials");
};

function alreadyUsed(reference: string, amount: bigint): ApiError {
  const values = { reference, amount: formatRials(amount) };
  return ApiError.invalidParameter("reference", "console.referenceUsed", values);
}

function tooLow(balance: bigint): ApiError {
  const values = { balance: formatRials(balance) };
  return ApiError.invalidParameter("amount", "console.creditTooLow", values);
}
