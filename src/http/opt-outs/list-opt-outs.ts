// GET opt-outs: who wants nothing from the account's lines.
import { Type } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { cleanNumber, parseRecipient, type Msisdn } from "../../sms/msisdn.ts";
import { findLine, type SenderLine } from "../../sms/sender-line.ts";
import { listOptOuts, type ListedOptOut, type OptOutPlace } from "../../store/opt-outs.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { readCount, type GivenParameters } from "../read-parameters.ts";
import { countParameter } from "../schemas.ts";
import { readQueryParameters } from "../url-parameters.ts";
import { optOutJson } from "../../events/representations.ts";
import { optOutsAnswer } from "./opt-out-schemas.ts";

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
      querystring: Type.Object({
        line: Type.Optional(Type.String({ description: "Only this line.", examples: ["10001234"] })),
        number: Type.Optional(
          Type.String({ description: "Only this number, in any form.", examples: ["09121234567"] }),
        ),
        after: Type.Optional(Type.String({ description: "nextCursor of the previous answer." })),
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
