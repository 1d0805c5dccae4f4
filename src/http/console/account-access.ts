// What programs of an account sign in with, and from where. Its API keys are made here and shown once,
// then known by name and last characters.
// Rotating makes a new key under the same name, while the old one stays valid for a time.
import { array, input, oneOf, orAbsent, orDefault, plainText, time } from "../json-schema.ts";
import {
  type ApiKeyChange,
  keepHours,
  removeApiKey,
  rotateApiKey,
  saveApiKey,
  type SavedApiKey,
} from "../../credentials/api-keys.ts";
import { ApiError } from "../../texts/errors.ts";
import { ValueFault } from "../../setup/fault.ts";
import { instantText, nameText, recipientNumber } from "../../setup/read-value.ts";
import { findApiKey, listApiKeysOf, type StoredApiKey } from "../../store/credentials.ts";
import { loadSetup, type StoredSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { foldNames } from "../read-parameters.ts";
import { allowedIps, byRule, readInputs } from "./console-input.ts";
import { tagOfObject, type ConsoleCall } from "./console-call.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { changeConfiguration } from "./configured-objects.ts";

const needs = "manageAccess";

function describe({ expiresAt, retired, ...key }: StoredApiKey) {
  return {
    ...key,
    /** From then on calls with it are 401; absent: never. */
    expires: expiresAt,
    /** Replaced by a newer one, and good until it expires. */
    ...(retired && { retired }),
  };
}

/** Of what a change replaces: a use is not another state. */
function tagOf(found: StoredApiKey | undefined): string | undefined {
  return found && tagOfObject({ ...found, lastUsedAt: undefined });
}

function answerKey(call: ConsoleCall, found: StoredApiKey | undefined) {
  if (found === undefined) throw ApiError.notThere();
  call.giveTag(tagOf(found));
  return describe(found);
}

/** The key of a new one is shown this once. */
function answerSaved(call: ConsoleCall, { stored, key }: SavedApiKey) {
  return { ...answerKey(call, stored), ...(key !== undefined && { key }) };
}

const body = input({
  allowedIps,
  expires: orAbsent(
    byRule(
      time("In the future."),
      (value) => {
        const at = instantText(value);
        return at instanceof Date && at.getTime() > Date.now() ? at : undefined;
      },
      "console.future",
    ),
  ),
});

async function changeOf(call: ConsoleCall): Promise<ApiKeyChange> {
  const account = await call.account();
  const name = call.path("key");
  const traces = [
    { kind: "apiKey", name, account: account.name },
    // A setup file changes an account with its keys.
    { kind: "account", name: account.name, keys: ["apiKeys", "keysChanged"] },
  ];
  return {
    db: call.changes,
    actor: call.actor,
    account,
    name,
    expect: (stored) => call.expectVersion(tagOf(stored), traces),
  };
}

const rotation = input({ keepHours: oneOf(keepHours) });

export const apiKeyEndpoints = {
  "GET /accounts/{name}/api-keys": {
    needs,
    summary: "The API keys of an account",
    description: "All of them, in the order of their names.",
    handle: async (call) => {
      const { id } = await call.account();
      return { items: (await listApiKeysOf(call.reads, id)).map(describe) };
    },
  },
  "GET /accounts/{name}/api-keys/{key}": {
    needs,
    summary: "One API key of an account",
    handle: async (call) => {
      const { id } = await call.account();
      return answerKey(call, await findApiKey(call.reads, id, call.path("key")));
    },
  },
  "PUT /accounts/{name}/api-keys/{key}": {
    needs,
    summary: "Make an API key, or change what one may do",
    description: "The answer to a new one has the key: it is shown this once, and stored as a hash.",
    condition: "either",
    body,
    handle: async (call) => {
      const change = await changeOf(call);
      if (nameText(change.name) instanceof ValueFault) throw ApiError.invalidParameter("name", "console.name");
      const { expires: expiresAt = null, ...wanted } = call.readBody(body);
      return answerSaved(call, await saveApiKey(change, { ...wanted, expiresAt }));
    },
  },
  "DELETE /accounts/{name}/api-keys/{key}": {
    needs,
    summary: "Remove an API key",
    description: "Calls with it are 401 within a second.",
    condition: "If-Match",
    handle: async (call) => {
      await removeApiKey(await changeOf(call));
      return {};
    },
  },
  "POST /accounts/{name}/api-keys/{key}/rotate": {
    needs,
    summary: "Replace an API key by a new one of the same name",
    description:
      "The answer has the new key: it is shown this once. The old one goes on for the hours that are given, 0 for not at all. " +
      "Of two who saw the same key, one rotates it: the other is 412.",
    condition: "If-Match",
    body: rotation,
    handle: async (call) => {
      const change = await changeOf(call);
      const { keepHours: kept } = call.readBody(rotation);
      return answerSaved(call, await rotateApiKey(change, kept));
    },
  },
} satisfies ConsoleEndpoints;

// Where an account's programs may call from, and whom it never sends to: keys of the account that
// its owners keep themselves.

/** Enough for the block list of an account within the limit of a body. */
const mostNumbers = 80_000;

const wantedAddresses = input({
  allowedIps,
  blockedRecipients: orDefault(
    array(byRule(plainText(), recipientNumber, "console.recipient"), { maxItems: mostNumbers, uniqueItems: true }),
    [],
  ),
});

function describeAddresses({ state: { accounts } }: StoredSetup, name: string) {
  const found = accounts.get(name);
  return found && { allowedIps: found.allowedIps, blockedRecipients: found.blockedRecipients };
}

function answerAddresses(call: ConsoleCall, stored: StoredSetup, name: string) {
  const found = describeAddresses(stored, name);
  if (found === undefined) throw ApiError.notThere();
  call.giveTag(tagOfObject(found));
  return found;
}

export const addressEndpoints = {
  "GET /accounts/{name}/addresses": {
    needs: "manageAccess",
    summary: "The IP addresses and the block list of an account",
    handle: async (call) => {
      const { name } = await call.account();
      return answerAddresses(
        call,
        await call.reads.transaction((tx) => loadSetup(tx, scopeOf("accounts", name))),
        name,
      );
    },
  },
  "PUT /accounts/{name}/addresses": {
    needs: "manageAccess",
    summary: "Replace the IP addresses and the block list of an account",
    description: "Both are whole lists; one that is left out is empty. The addresses bind programs, not the console.",
    condition: "If-Match",
    body: wantedAddresses,
    handle: async (call) => {
      const { name } = await call.account();
      const fields = foldNames(call.object({ values: mostNumbers + 10_000 }));
      const given = readInputs(wantedAddresses.properties, (field) => fields.get(field.toLowerCase()));
      const stored = await changeConfiguration(call, { accounts: [name] }, (before) => {
        call.expectVersion(tagOfObject(describeAddresses(before, name)), [
          { kind: "account", name, keys: ["allowedIps", "blockedRecipients"] },
        ]);
        return { given: { accounts: [{ name, ...given }] } };
      });
      return answerAddresses(call, stored, name);
    },
  },
} satisfies ConsoleEndpoints;
