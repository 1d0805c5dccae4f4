// GET, PUT and DELETE opt-outs: who wants nothing from the account's lines, and the account's own
// entries.
import { ApiError, type FieldFinding, findingCatalogue } from "../texts/errors.ts";
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";
import { findLine, type SenderLine } from "../sms/sender-line.ts";
import { type ListedOptOut, listOptOuts, type OptOutPlace } from "../store/opt-outs.ts";
import { optOutJson } from "../events/representations.ts";
import { enterForOne, withdrawForOne } from "../setup/change-number-lists.ts";
import { array, boolean, integer, object, oneOf, orAbsent, plainText } from "./json-schema.ts";
import type { Endpoint } from "./endpoint.ts";
import { type GivenParameters, readCount } from "./read-parameters.ts";
import { countParameter } from "./schemas.ts";
import { followChange, withUnknownOutcome } from "./error-response.ts";
import type { ApiCall } from "./call.ts";

function readNumber(parameters: GivenParameters, findings: FieldFinding[]): Msisdn | undefined {
  const given = parameters.text("number");
  if (given === undefined) return undefined;
  const number = parseRecipient(cleanNumber(given, "query"));
  if (number === undefined) findings.push({ field: "number", messageKey: "number.form" });
  return number;
}

/** Throws 1053 for a line that the account has not. */
function chooseLines(parameters: GivenParameters, lines: ReadonlyMap<string, SenderLine>): readonly string[] {
  const given = parameters.text("line");
  if (given === undefined) return [...lines.keys()];
  const line = findLine(cleanNumber(given, "query"), lines);
  if (line === undefined) throw new ApiError("senderNotInAccount");
  return [line.number];
}

const beginning = "0";
const cursor = /^([0-9]{1,20})-(989[0-9]{9})-([01])$/;

function cursorOf({ line, number, accountId }: ListedOptOut): string {
  return `${line}-${number}-${accountId === 0 ? 0 : 1}`;
}

type EntrySeen = Pick<OptOutPlace, "line" | "number"> & { readonly isOwn: boolean };

/** A cursor is the last entry seen. It is opaque to callers. */
function readCursor(parameters: GivenParameters, findings: FieldFinding[]): EntrySeen | undefined {
  const given = parameters.text("after");
  if (given === undefined || given === beginning) return undefined;
  const [, line, number, own] = cursor.exec(given) ?? [];
  if (line !== undefined && number !== undefined) return { line, number, isOwn: own === "1" };
  findings.push({ field: "after", messageKey: "after.form" });
  return undefined;
}

// PUT and DELETE opt-outs/{line}/{number}: an account's own entries.

const path = "/opt-outs/:line/:number";

/** Throws 1001 or 1053. */
function entryOf(call: ApiCall) {
  const { account, actor: by } = call;
  const number = parseRecipient(cleanNumber(call.path("number"), "json"));
  if (number === undefined) throw ApiError.invalidParameter("number", "number.form");
  const line = findLine(cleanNumber(call.path("line"), "json"), account.terms.lines);
  if (line === undefined) throw new ApiError("senderNotInAccount");
  return { account, by, number, line: line.number };
}

// The shapes of opt-outs for the OpenAPI document, and their JSON.

const lineNumber = plainText({ description: "The line, in its short form.", examples: ["10001234"] });
const recipientNumber = plainText({ description: "The mobile number as 989…", examples: ["989121234567"] });

const optOutSchema = object({
  lineNumber,
  recipientNumber,
  how: oneOf(
    ["message", "api", "staff", "import"],
    "message: the person wrote a stop word. api: an account asked for it here, for itself alone. staff, import: the service's staff did.",
  ),
  createdTimestamp: integer({ description: "Unix seconds.", examples: [1795203400] }),
});

const optOutsAnswer = object({
  optOuts: array(optOutSchema, "By line and number."),
  nextCursor: plainText({
    description: "The `after` of the next call. An empty page returns the same cursor.",
    examples: ["10001234-989121234567-0"],
  }),
});

const optOutRemovedAnswer = object({
  lineNumber,
  recipientNumber,
  removed: boolean("false: there was no entry."),
});

const optOutPath = {
  line: plainText({ description: "One of the account's lines, in any form.", examples: ["10001234"] }),
  number: plainText({ description: "A mobile number, in any form.", examples: ["09121234567"] }),
};

export const optOutsOfClients: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/opt-outs",
    operationId: "listOptOuts",
    summary: "List who opted out",
    description:
      "The numbers to which the account must not send from its lines, by line and number. Pass the `nextCursor` of each answer as `after` in " +
      "the next call. Entries that other accounts made for themselves are not listed.",
    tag: "Opt-outs",
    needs: "readOptOuts",
    query: {
      line: orAbsent(plainText({ description: "Only this line.", examples: ["10001234"] })),
      number: orAbsent(plainText({ description: "Only this number, in any form.", examples: ["09121234567"] })),
      after: orAbsent(plainText("nextCursor of the previous answer.")),
      count: countParameter,
    },
    result: optOutsAnswer,
    handle: async (call) => {
      const { account } = call;
      const parameters = call.query;
      const findings: FieldFinding[] = [];
      const number = readNumber(parameters, findings);
      const after = readCursor(parameters, findings);
      const limit = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const found = await listOptOuts(call.parts.db, {
        accountId: account.id,
        lines: chooseLines(parameters, account.terms.lines),
        number,
        after: after && { ...after, accountId: after.isOwn ? account.id : 0 },
        limit,
      });
      const last = found.at(-1);
      const nextCursor = last === undefined ? (parameters.text("after") ?? beginning) : cursorOf(last);
      return `{"optOuts":[${found.map(optOutJson).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  },
  {
    method: "PUT",
    path,
    operationId: "putOptOut",
    summary: "Opt a number out",
    description:
      "From then on, sends of this account from the line to the number are refused (1202). An entry that is there already is answered as it is.",
    tag: "Opt-outs",
    needs: "changeOptOuts",
    params: optOutPath,
    result: optOutSchema,
    handle: async (call) => {
      const entry = await withUnknownOutcome(enterForOne(call.parts.db, entryOf(call)));
      await followChange(call);
      return optOutJson(entry);
    },
  },
  {
    method: "DELETE",
    path,
    operationId: "deleteOptOut",
    summary: "Take an opt-out back",
    description:
      "Only an entry that this account made with this API. One that the person or the service's staff made is answered 403 with 1005.",
    tag: "Opt-outs",
    needs: "changeOptOuts",
    params: optOutPath,
    result: optOutRemovedAnswer,
    handle: async (call) => {
      const entry = entryOf(call);
      const outcome = await withUnknownOutcome(withdrawForOne(call.parts.db, entry));
      if (outcome === "foreign") throw new ApiError("noPermission", { text: findingCatalogue["optOut.foreign"] });
      await followChange(call);
      return `{"lineNumber":"${entry.line}","recipientNumber":"${entry.number}","removed":${outcome === "removed"}}`;
    },
  },
];
