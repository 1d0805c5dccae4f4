// PUT and DELETE opt-outs/{line}/{number}: an account's own entries.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Account } from "../../directory/directory.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { cleanNumber, parseRecipient, type Msisdn } from "../../sms/msisdn.ts";
import { findLine } from "../../sms/sender-line.ts";
import { enterForOne, withdrawForOne } from "../../setup/change-opt-outs.ts";
import type { Actor } from "../../store/audit.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { followChange, withUnknownOutcome } from "../outcome-unknown.ts";
import { optOutJson } from "../../events/representations.ts";
import { optOutPath, optOutRemovedAnswer, optOutSchema } from "./opt-out-schemas.ts";

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
  return { account, by: { who, address }, number: readNumber(given.number), line: readLine(given.line, account) };
}

function readNumber(given: string): Msisdn {
  const number = parseRecipient(cleanNumber(given, "json"));
  if (number === undefined) throw ApiError.invalidParameter("number", "number.form");
  return number;
}

function readLine(given: string, { terms }: Account): string {
  const line = findLine(cleanNumber(given, "json"), terms.lines);
  if (line === undefined) throw new ApiError("senderNotInAccount");
  return line.number;
}
