// The API keys of an account: made here and shown once, then known by name and last characters.
// Rotating makes a new key under the same name, while the old one goes on for a time.
import type { FastifyReply, FastifyRequest } from "fastify";
import { array, input, literal, object, oneOf, orAbsent, plainText, time } from "../json-schema.ts";
import {
  type ApiKeyChange,
  ApiKeyUnchanged,
  keepHours,
  removeApiKey,
  rotateApiKey,
  type SavedApiKey,
  saveApiKey,
} from "../../credentials/api-keys.ts";
import { ApiError, type FindingKey } from "../../texts/errors.ts";
import { ValueFault } from "../../setup/fault.ts";
import { instantText, nameText, type ValueReader } from "../../setup/read-value.ts";
import { findApiKey, listApiKeysOf, type StoredApiKey } from "../../store/api-keys.ts";
import { ConsoleBody, mostAddresses, readAddresses } from "./console-body.ts";
import { conditions, expectCondition, expectMatch, expectVersion, giveTag, tagOfObject } from "./conditions.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, notThere } from "./console-endpoint.ts";
import { accountWanted, pathParameter } from "./narrow.ts";

const keys = {
  name: plainText(),
  lastFour: orAbsent(plainText("Absent: it came from a setup file.")),
  allowedIps: array(plainText(), "Empty: those of the account."),
  createdAt: orAbsent(time("When it was made; absent: it came from a setup file.")),
  lastUsedAt: orAbsent(time("To some two minutes.")),
  expires: orAbsent(time("From then on calls with it are 401; absent: never.")),
  retired: orAbsent(literal(true, "Replaced by a newer one, and good until it expires.")),
};
const apiKey = object(keys);
const made = object({ ...keys, key: orAbsent(plainText("Of a new one: shown this once.")) });

const ofAccount = input({ name: plainText("Name of the account.") });
const one = input({
  name: plainText("Name of the account."),
  key: plainText("Name of the key."),
});
const needs = "manageAccess";

export function apiKeyEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [list(context), get(context), put(context), remove(context), rotate(context)];
}

/** Throws 404. */
async function accountOf(context: ConsoleContext, request: FastifyRequest) {
  const account = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
  if (account === undefined) throw notThere();
  return account;
}

function describe({ expiresAt, retired, ...key }: StoredApiKey): object {
  return { ...key, expires: expiresAt, ...(retired && { retired }) };
}

/** Of what a change replaces: a use is not another state. */
function tagOf(found: StoredApiKey | undefined): string | undefined {
  return found && tagOfObject({ ...found, lastUsedAt: undefined });
}

function tell(reply: FastifyReply, found: StoredApiKey | undefined): object {
  if (found === undefined) throw notThere();
  giveTag(reply, tagOf(found));
  return describe(found);
}

function tellSaved(reply: FastifyReply, { stored, key }: SavedApiKey): object {
  return { ...tell(reply, stored), ...(key !== undefined && { key }) };
}

function list(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name/api-keys",
    needs,
    schema: {
      operationId: "listApiKeys",
      summary: "The API keys of an account",
      description: "All of them, in the order of their names.",
      tags: ["Accounts"],
      params: ofAccount,
      response: consoleResponses(object({ items: array(apiKey) }), 404),
    },
    answer: async ({ request }) => {
      const { id } = await accountOf(context, request);
      return { items: (await listApiKeysOf(context.reads, id)).map(describe) };
    },
  };
}

function get(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name/api-keys/:key",
    needs,
    schema: {
      operationId: "getApiKey",
      summary: "One API key of an account",
      tags: ["Accounts"],
      params: one,
      response: consoleResponses(apiKey, 404),
    },
    answer: async ({ request, reply }) => {
      const { id } = await accountOf(context, request);
      return tell(reply, await findApiKey(context.reads, id, pathParameter(request, "key")));
    },
  };
}

function put(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PUT",
    path: "/accounts/:name/api-keys/:key",
    needs,
    schema: {
      operationId: "putApiKey",
      summary: "Make an API key, or change what one may do",
      description: "The answer to a new one has the key: it is shown this once, and stored as a hash.",
      tags: ["Accounts"],
      params: one,
      headers: input(conditions),
      body: input({
        allowedIps: orAbsent(array(plainText(), { maxItems: mostAddresses })),
        expires: orAbsent(time("In the future.")),
      }),
      response: consoleResponses(made, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      expectCondition(request.headers);
      const change = await changeOf(context, request);
      const body = new ConsoleBody(request);
      if (nameText(change.name) instanceof ValueFault) body.fault("name", "console.name");
      const wanted = {
        allowedIps: readAddresses(body),
        expiresAt: body.value("expires", futureTime, "console.future") ?? null,
      };
      body.finish();
      return tellSaved(reply, await orRefuse(() => saveApiKey(change, wanted)));
    },
  };
}

const futureTime: ValueReader<Date> = (value) => {
  const at = instantText(value);
  return at instanceof Date && at.getTime() > Date.now() ? at : new ValueFault("instant");
};

async function changeOf(context: ConsoleContext, request: FastifyRequest): Promise<ApiKeyChange> {
  const account = await accountOf(context, request);
  const name = pathParameter(request, "key");
  const traces = [
    { kind: "apiKey", name, account: account.name },
    // A setup file changes an account with its keys.
    { kind: "account", name: account.name, keys: ["apiKeys", "keysChanged"] },
  ];
  return {
    db: context.changes,
    actor: context.actorOf(request),
    account,
    name,
    expect: (stored) => expectVersion(request.headers, tagOf(stored), traces),
  };
}

const refusals: Readonly<Record<Exclude<ApiKeyUnchanged["reason"], "unknown">, FindingKey>> = {
  tooMany: "console.tooManyKeys",
  retired: "console.keyRetired",
  expired: "console.keyExpired",
};

async function orRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiKeyUnchanged)) throw error;
    if (error.reason === "unknown") throw notThere();
    throw ApiError.invalidParameter("name", refusals[error.reason]);
  }
}

function remove(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/accounts/:name/api-keys/:key",
    needs,
    schema: {
      operationId: "deleteApiKey",
      summary: "Remove an API key",
      description: "Calls with it are 401 within a second.",
      tags: ["Accounts"],
      params: one,
      headers: input(conditions),
      response: consoleResponses(object({}), 404, 412, 428),
    },
    answer: async ({ request }) => {
      expectMatch(request.headers);
      const change = await changeOf(context, request);
      await orRefuse(() => removeApiKey(change));
      return {};
    },
  };
}

function rotate(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/accounts/:name/api-keys/:key/rotate",
    needs,
    schema: {
      operationId: "rotateApiKey",
      summary: "Replace an API key by a new one of the same name",
      description:
        "The answer has the new key: it is shown this once. The old one goes on for the hours that are given, 0 for not at all. " +
        "Of two who saw the same key, one rotates it: the other is 412.",
      tags: ["Accounts"],
      params: one,
      headers: input({ "If-Match": conditions["If-Match"] }),
      body: input({ keepHours: oneOf(keepHours) }),
      response: consoleResponses(made, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      expectMatch(request.headers);
      const change = await changeOf(context, request);
      const body = new ConsoleBody(request);
      const hours = body.value("keepHours", hoursToKeep, "console.keepHours", { required: true });
      const { hours: kept } = body.finishWith({ hours });
      return tellSaved(reply, await orRefuse(() => rotateApiKey(change, kept)));
    },
  };
}

const hoursToKeep: ValueReader<(typeof keepHours)[number]> = (value) =>
  keepHours.find((hours) => hours === value) ?? new ValueFault("choice");
