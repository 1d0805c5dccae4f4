// The lists of numbers that nothing is sent to where a rule names them, by the path of
// `hodhod block-list`: the lists, whether a number is on one, putting it on and taking it off.
// Whole lists are imported and deleted by the command.
import type { FastifyRequest } from "fastify";
import { followChange } from "../outcome-unknown.ts";
import { array, boolean, input, integer, object, orAbsent, plainText, time } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { readBlockListUses } from "../../setup/block-list-uses.ts";
import { addToBlockList, BlockListFault, removeFromBlockList } from "../../setup/change-block-lists.ts";
import { cleanNumber, type Msisdn, parseRecipient } from "../../sms/msisdn.ts";
import { findBlockListId, isListed, listBlockLists, listListedNumbers } from "../../store/block-lists.ts";
import type { GivenParameters } from "../read-parameters.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  notThere,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";
import { pathParameter } from "./narrow.ts";

const names = (description: string) => orAbsent(array(plainText(), description));

const blockList = object({
  name: plainText(),
  numbers: integer("How many are on it."),
  updatedAt: time("When it was last changed."),
  lines: names("Lines where a rule lets it count: numbers, kinds, or `*`. Absent: no rule names it."),
  accounts: names("Accounts for which it counts there: names, or `*`."),
});
const placed = object({ number: plainText("989…"), isListed: boolean() });
const changedPlace = object({ ...placed.properties, changed: boolean("false: it was so before.") });
const inPath = input({
  name: plainText("Name of the list."),
  number: plainText("A mobile number, in any form."),
});
const path = "/block-lists/:name/numbers/:number";
const tags = ["Network"] as const;

export function blockListEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [list(context), listNumbers(context), find(context), put(context), remove(context)];
}

function list(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/block-lists",
    needs: "readService",
    schema: {
      operationId: "listBlockLists",
      summary: "The block lists",
      description: "All of them, in the order of their names, with how many numbers they have and where they count.",
      tags,
      response: consoleResponses(pageOf(blockList)),
    },
    answer: () =>
      context.reads.transaction(async (tx) => {
        const uses = await readBlockListUses(tx);
        const lists = await listBlockLists(tx);
        const items = lists.map(({ name, numbers, updatedAt }) => ({ name, numbers, updatedAt, ...uses.get(name) }));
        return { items };
      }),
  };
}

const listedNumber = object({ number: plainText("989…") });

function listNumbers(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/block-lists/:name/numbers",
    needs: "readService",
    schema: {
      operationId: "listListedNumbers",
      summary: "The numbers of a block list",
      description: "In their order.",
      tags,
      params: input({ name: inPath.properties.name }),
      querystring: input({
        ...pageParameters,
        number: orAbsent(plainText("Only this number, in any form.")),
      }),
      response: consoleResponses(pageOf(listedNumber), 400, 404),
    },
    answer: async ({ request }) => {
      const query = readQuery(request);
      const count = readPageSize(query);
      const after = readNumber(query, "after");
      const wanted = readNumber(query, "number");
      const id = await findBlockListId(context.reads, pathParameter(request, "name"));
      if (id === undefined) throw notThere();
      if (wanted !== undefined)
        return { items: (await isListed(context.reads, id, wanted)) ? [{ number: wanted }] : [] };
      const found = await listListedNumbers(context.reads, id, { after, limit: count + 1 });
      const items = found.slice(0, count);
      return { items: items.map((number) => ({ number })), ...(found.length > count && { nextCursor: items.at(-1) }) };
    },
  };
}

/** Throws 1001. */
function readNumber(query: GivenParameters, field: string): Msisdn | undefined {
  const given = query.text(field);
  if (given === undefined) return undefined;
  const number = parseRecipient(cleanNumber(given, "query"));
  if (number !== undefined) return number;
  throw ApiError.invalidParameter(field, "console.number", { field });
}

function find(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path,
    needs: "readService",
    schema: {
      operationId: "findListedNumber",
      summary: "Whether a number is on a block list",
      tags,
      params: inPath,
      response: consoleResponses(placed, 400, 404),
    },
    answer: async ({ request }) => {
      const number = numberIn(request);
      const id = await findBlockListId(context.reads, pathParameter(request, "name"));
      if (id === undefined) throw notThere();
      return { number, isListed: await isListed(context.reads, id, number) };
    },
  };
}

function put(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PUT",
    path,
    needs: "changeNetwork",
    schema: {
      operationId: "putListedNumber",
      summary: "Put a number on a block list",
      description:
        "Counts at once for calls to this node, within a second for others. What was accepted before is sent.",
      tags,
      params: inPath,
      response: consoleResponses(changedPlace, 400, 404),
    },
    answer: ({ request }) => change(context, request, true),
  };
}

function remove(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path,
    needs: "changeNetwork",
    schema: {
      operationId: "deleteListedNumber",
      summary: "Take a number off a block list",
      tags,
      params: inPath,
      response: consoleResponses(changedPlace, 400, 404),
    },
    answer: ({ request }) => change(context, request, false),
  };
}

/** Throws 404 for a list that is not there. */
async function change(context: ConsoleContext, request: FastifyRequest, isListed: boolean): Promise<object> {
  const wanted = { name: pathParameter(request, "name"), number: numberIn(request), by: context.actorOf(request) };
  const make = isListed ? addToBlockList : removeFromBlockList;
  const version = await make(context.changes, wanted).catch((error: unknown) => {
    throw error instanceof BlockListFault ? notThere() : error;
  });
  await followChange(context);
  return { number: wanted.number, isListed, changed: version !== undefined };
}

/** Throws 1001. */
function numberIn(request: FastifyRequest): Msisdn {
  const number = parseRecipient(cleanNumber(pathParameter(request, "number"), "query"));
  if (number === undefined) throw ApiError.invalidParameter("number", "number.form");
  return number;
}
