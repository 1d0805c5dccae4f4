// GET, PUT and DELETE opt-outs: who wants nothing from the account's lines, and the account's own
// entries.
import type { FastifyReply, FastifyRequest } from "fastify";
import { array, boolean, input, integer, object, oneOf, orAbsent, plainText } from "./json-schema.ts";
import { ApiError, type FieldFinding, findingCatalogue } from "../texts/errors.ts";
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";
import { findLine, type SenderLine } from "../sms/sender-line.ts";
import { type ListedOptOut, listOptOuts, type OptOutPlace } from "../store/opt-outs.ts";
import { admit } from "./authorize.ts";
import type { ApiContext } from "./api-context.ts";
import { type Endpoint, headerSecurity, responses } from "./endpoint.ts";
import { type GivenParameters, readCount } from "./read-parameters.ts";
import { countParameter } from "./schemas.ts";
import { readQueryParameters } from "./url-parameters.ts";
import { optOutJson } from "../events/representations.ts";
import type { Account } from "../directory/directory.ts";
import { enterForOne, withdrawForOne } from "../setup/change-opt-outs.ts";
import type { Actor } from "../store/audit.ts";
import { followChange, withUnknownOutcome } from "./outcome-unknown.ts";

export function listOptOutsEndpoint(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/opt-outs",
    schema: {
      operationId: "listOptOuts",
      summary: "List who opted out",
      description:
        "The numbers to which the account must not send from its lines, by line and number. Pass the `nextCursor` of each answer as `after` in " +
        "the next call. Entries that other accounts made for themselves are not listed.",
      tags: ["Opt-outs"],
      security: headerSecurity,
      querystring: input({
        line: orAbsent(plainText({ description: "Only this line.", examples: ["10001234"] })),
        number: orAbsent(plainText({ description: "Only this number, in any form.", examples: ["09121234567"] })),
        after: orAbsent(plainText("nextCursor of the previous answer.")),
        count: countParameter,
      }),
      response: responses(optOutsAnswer, 400),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "readOptOuts");
      const parameters = readQueryParameters(request);
      const findings: FieldFinding[] = [];
      const number = readNumber(parameters, findings);
      const after = readCursor(parameters, findings);
      const limit = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const lines = linesFrom(chooseLines(parameters, account.terms.lines), after);
      const found = await listOptOuts(context.parts.db, {
        accountId: account.id,
        lines,
        number,
        after: after?.line === lines[0] ? after : undefined,
        limit,
      });
      const last = found.at(-1);
      const nextCursor = last === undefined ? (parameters.text("after") ?? beginning) : cursorOf(last);
      return `{"optOuts":[${found.map(optOutJson).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  };
}

function readNumber(parameters: GivenParameters, findings: FieldFinding[]): Msisdn | undefined {
  const given = parameters.text("number");
  if (given === undefined) return undefined;
  const number = parseRecipient(cleanNumber(given, "query"));
  if (number === undefined) findings.push({ field: "number", messageKey: "number.form" });
  return number;
}

/** Sorted. Throws 1053 for a line that the account has not. */
function chooseLines(parameters: GivenParameters, lines: ReadonlyMap<string, SenderLine>): readonly string[] {
  const given = parameters.text("line");
  if (given === undefined) return [...lines.keys()].sort();
  const line = findLine(cleanNumber(given, "query"), lines);
  if (line === undefined) throw new ApiError("senderNotInAccount");
  return [line.number];
}

function linesFrom(lines: readonly string[], after: OptOutPlace | undefined): readonly string[] {
  return after === undefined ? lines : lines.filter((line) => line >= after.line);
}

const beginning = "0";
const cursor = /^([0-9]{1,20})-(989[0-9]{9})-([01])$/;

function cursorOf({ line, number, isOwn }: ListedOptOut): string {
  return `${line}-${number}-${isOwn ? 1 : 0}`;
}

/** A cursor is the last entry seen. It is opaque to callers. */
function readCursor(parameters: GivenParameters, findings: FieldFinding[]): OptOutPlace | undefined {
  const given = parameters.text("after");
  if (given === undefined || given === beginning) return undefined;
  const [, line, number, own] = cursor.exec(given) ?? [];
  if (line !== undefined && number !== undefined) return { line, number, isOwn: own === "1" };
  findings.push({ field: "after", messageKey: "after.form" });
  return undefined;
}

// PUT and DELETE opt-outs/{line}/{number}: an account's own entries.

const path = "/opt-outs/:line/:number";

export function putOptOut(context: ApiContext): Endpoint {
  return {
    method: "PUT",
    path,
    schema: {
      operationId: "putOptOut",
      summary: "Opt a number out",
      description:
        "From then on, sends of this account from the line to the number are refused (1202). An entry that is there already is answered as it is.",
      tags: ["Opt-outs"],
      security: headerSecurity,
      params: optOutPath,
      response: responses(optOutSchema, 400),
    },
    answer: async (request, reply) => {
      const entry = await withUnknownOutcome(enterForOne(context.parts.db, await readEntry(context, request, reply)));
      await followChange(context);
      return optOutJson(entry);
    },
  };
}

export function deleteOptOut(context: ApiContext): Endpoint {
  return {
    method: "DELETE",
    path,
    schema: {
      operationId: "deleteOptOut",
      summary: "Take an opt-out back",
      description:
        "Only an entry that this account made with this API. One that the person or the service's staff made is answered 403 with 1005.",
      tags: ["Opt-outs"],
      security: headerSecurity,
      params: optOutPath,
      response: responses(optOutRemovedAnswer, 400),
    },
    answer: async (request, reply) => {
      const entry = await readEntry(context, request, reply);
      const outcome = await withUnknownOutcome(withdrawForOne(context.parts.db, entry));
      if (outcome === "foreign") throw new ApiError("noPermission", { text: findingCatalogue["optOut.foreign"] });
      await followChange(context);
      return `{"lineNumber":"${entry.line}","recipientNumber":"${entry.number}","removed":${outcome === "removed"}}`;
    },
  };
}

interface Entry {
  readonly account: Account;
  readonly by: Actor;
  readonly line: string;
  readonly number: Msisdn;
}

async function readEntry(context: ApiContext, request: FastifyRequest, reply: FastifyReply): Promise<Entry> {
  const { account, who, address } = await admit(context, request, reply, "changeOptOuts");
  const given = request.params as { readonly line: string; readonly number: string };
  return { account, by: { who, address }, number: numberInPath(given.number), line: readLine(given.line, account) };
}

function numberInPath(given: string): Msisdn {
  const number = parseRecipient(cleanNumber(given, "json"));
  if (number === undefined) throw ApiError.invalidParameter("number", "number.form");
  return number;
}

function readLine(given: string, { terms }: Account): string {
  const line = findLine(cleanNumber(given, "json"), terms.lines);
  if (line === undefined) throw new ApiError("senderNotInAccount");
  return line.number;
}

// The shapes of opt-outs for the OpenAPI document, and their JSON.

const lineNumber = plainText({ description: "The line, in its short form.", examples: ["10001234"] });
const recipientNumber = plainText({ description: "The mobile number as 989…", examples: ["989121234567"] });

export const optOutSchema = object({
  lineNumber,
  recipientNumber,
  how: oneOf(
    ["message", "api", "staff", "import"],
    "message: the person wrote a stop word. api: an account asked for it here, for itself alone. staff, import: the service's staff did.",
  ),
  createdTimestamp: integer({ description: "Unix seconds.", examples: [1795203400] }),
});

export const optOutsAnswer = object({
  optOuts: array(optOutSchema, "By line and number."),
  nextCursor: plainText({
    description: "The `after` of the next call. An empty page returns the same cursor.",
    examples: ["10001234-989121234567-0"],
  }),
});

export const optOutRemovedAnswer = object({
  lineNumber,
  recipientNumber,
  removed: boolean("false: there was no entry."),
});

export const optOutPath = input({
  line: plainText({ description: "One of the account's lines, in any form.", examples: ["10001234"] }),
  number: plainText({ description: "A mobile number, in any form.", examples: ["09121234567"] }),
});
