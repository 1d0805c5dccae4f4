// Reads the accounts and templates of a setup file. API keys leave this module only as SHA-256.
import { hash } from "node:crypto";
import { userRoles, type UserRole } from "../credentials/abilities.ts";
import { parseAddressBlock } from "../credentials/ip-allow-list.ts";
import { templatePurposes } from "../sms/template.ts";
import { hintFor } from "./fault.ts";
import { readEndpoints } from "./read-endpoint.ts";
import { lineNumber, recipientNumber, templateSender } from "./read-numbers.ts";
import {
  choice,
  instant,
  nameText,
  newPassword,
  numberBetween,
  type ObjectReader,
  orNone,
  rials,
  textOf,
  ValueFault,
  wholeNumber,
  yesOrNo,
  type ValueReader,
} from "./read-values.ts";
import { permissions } from "../credentials/abilities.ts";
import type { AccountSetup, ApiKeySetup, TemplateSetup, UserSetup } from "./setup.ts";

const accountKeys = [
  ...["name", "domain", "credit", "tariff", "lines", "permissions", "requestsPerSecond", "users", "apiKeys"],
  ...["allowedIps", "blockedRecipients", "lowCredit", "duplicateSeconds", "dailyMessages", "monthlyCost"],
  "webhooks",
];

/** Decisions §6. */
export const permissionNames: readonly string[] = ["*", ...permissions];

const shortestKey = 8;
const longestSecret = 512;
const longestContent = 4_000;
// A template's text is useless after a week, and the limit keeps times in the queue within the
// range of the database.
const longestValiditySeconds = 7 * 86_400;

const longestDuplicateSeconds = 86_400;
const mostDailyMessages = 1_000_000_000;

export function readAccount(reader: ObjectReader): AccountSetup | undefined {
  reader.expectKeys(accountKeys);
  const name = reader.required("name", nameText);
  const account: AccountSetup = {
    // One without a name is left out, but its other faults are told, too.
    name: name ?? "",
    path: reader.path,
    domain: reader.optional("domain", nameText),
    credit: reader.optional("credit", openingCredit),
    tariff: reader.optional("tariff", nameText),
    lines: unique(reader.list("lines", lineNumber)),
    permissions: unique(reader.list("permissions", permission)),
    requestsPerSecond: reader.optional("requestsPerSecond", numberBetween(0, 1_000_000)),
    lowCredit: reader.optional("lowCredit", rials),
    duplicateSeconds: reader.optional("duplicateSeconds", wholeNumber(0, longestDuplicateSeconds)),
    dailyMessages: reader.optional("dailyMessages", wholeNumber(0, mostDailyMessages)),
    monthlyCost: reader.optional("monthlyCost", rials),
    users: reader.objects("users", readUser),
    apiKeys: reader.objects("apiKeys", readApiKey),
    allowedIps: unique(reader.list("allowedIps", addressBlock)),
    blockedRecipients: unique(reader.list("blockedRecipients", recipientNumber)),
    webhooks: readEndpoints(reader),
  };
  checkRepeated(reader, "users", "username", account.users);
  checkRepeated(reader, "apiKeys", "name", account.apiKeys);
  checkRepeated(reader, "webhooks", "name", account.webhooks);
  return name === undefined ? undefined : account;
}

function unique<Value>(values: readonly Value[] | undefined): readonly Value[] | undefined {
  return values === undefined || values.length < 2 ? values : [...new Set(values)];
}

function checkRepeated<Key extends string>(
  reader: ObjectReader,
  list: string,
  key: Key,
  items: readonly Readonly<Record<Key, string>>[] = [],
): void {
  for (const [index, { [key]: name }] of items.entries()) {
    if (items.findIndex((item) => item[key] === name) < index)
      reader.fault([list, index, key], `${name} is listed twice`);
  }
}

const openingCredit: ValueReader<bigint | "unlimited"> = (value) => {
  if (value === "unlimited") return value;
  const amount = rials(value);
  return amount instanceof ValueFault ? new ValueFault(`${amount.message}, or unlimited`) : amount;
};

const permission: ValueReader<string> = (value) => {
  const text = textOf(value) ?? "";
  if (permissionNames.includes(text)) return text;
  return new ValueFault(`must be one of ${permissionNames.join(", ")}`, hintFor(text, permissionNames));
};

export const addressBlock: ValueReader<string> = (value) => {
  const text = typeof value === "string" ? value.trim() : "";
  return parseAddressBlock(text) === undefined
    ? new ValueFault("must be an address or a CIDR block, such as 10.0.0.0/8 or 2001:db8::/32")
    : text;
};

const secretText: ValueReader<string> = (value) => {
  const text = textOf(value);
  if (text === undefined || text === "") return new ValueFault("must be a text");
  return text.length > longestSecret ? new ValueFault(`must not be longer than ${longestSecret} characters`) : text;
};

function readUser(reader: ObjectReader): UserSetup | undefined {
  reader.expectKeys(["username", "password", "role"]);
  const username = reader.required("username", nameText);
  const password = reader.optional("password", newPassword(username));
  const role = reader.optional("role", choice<UserRole>(userRoles));
  return username === undefined ? undefined : { username, password, role };
}

const anywhere: readonly string[] = [];

function readApiKey(reader: ObjectReader): ApiKeySetup | undefined {
  reader.expectKeys(["name", "key", "allowedIps", "expires"]);
  const name = reader.required("name", nameText);
  const key = reader.optional("key", apiKeyText);
  const allowedIps = unique(reader.list("allowedIps", addressBlock)) ?? anywhere;
  const expiresAt = reader.optional("expires", orNone(instant)) ?? null;
  if (name === undefined) return undefined;
  return { name, sha256Hex: key && hash("sha256", key, "hex"), allowedIps, expiresAt };
}

/** Travels in a header and in queries, so only characters that are safe in both are allowed. */
const apiKeyText: ValueReader<string> = (value) => {
  const text = secretText(value);
  if (text instanceof ValueFault) return text;
  if (!/^[\x21-\x7e]+$/.test(text))
    return new ValueFault("must consist of ASCII letters, digits and signs, without blanks");
  return text.length < shortestKey
    ? new ValueFault(`must have at least ${shortestKey} characters`, "create one with: openssl rand -hex 32")
    : text;
};

export function readTemplate(reader: ObjectReader): TemplateSetup | undefined {
  reader.expectKeys(["id", "account", "content", "sender", "approved", "refused", "validSeconds", "purpose"]);
  const id = reader.required("id", templateId);
  const template = {
    path: reader.path,
    account: reader.optional("account", nameText),
    content: reader.optional("content", templateContent),
    sender: reader.optional("sender", orNone(templateSender)),
    approved: reader.optional("approved", yesOrNo),
    refused: reader.optional("refused", orNone(refusalText)),
    validSeconds: reader.optional("validSeconds", orNone(wholeNumber(1, longestValiditySeconds))),
    purpose: reader.optional("purpose", choice(templatePurposes)),
  };
  if (template.approved === true && template.refused)
    reader.fault(["refused"], "cannot be combined with approved: true");
  return id === undefined ? undefined : { id, ...template };
}

const longestRefusal = 500;

/** Why a template was refused, for its customer to read. */
export const refusalText: ValueReader<string> = (value) => {
  const text = textOf(value)?.trim() ?? "";
  if (text === "" || text.includes("\0")) return new ValueFault("must be a text that is not blank");
  return text.length > longestRefusal ? new ValueFault(`must not be longer than ${longestRefusal} characters`) : text;
};

const templateId: ValueReader<string> = (value) => {
  const text = textOf(value) ?? "";
  return /^[\p{L}\p{Nd}._-]{1,64}$/u.test(text)
    ? text
    : new ValueFault("must have 1 to 64 letters and digits, such as TydSt1skQE");
};

const templateContent: ValueReader<string> = (value) => {
  const text = textOf(value);
  if (text === undefined || text.trim() === "") return new ValueFault("must be a text that is not blank");
  if (/\0|\p{Surrogate}/u.test(text)) return new ValueFault("contains a character that cannot be sent");
  return text.length > longestContent ? new ValueFault(`must not be longer than ${longestContent} characters`) : text;
};

const braces = /\{([^{}]*)\}/g;
const placeholderName = /^[\p{L}\p{Nd}_-]+$/u;

/**
 * Braces that look like a placeholder but are none (decisions §4 "Templates"). They are sent
 * unchanged.
 */
export function findLiteralBraces(content: string): readonly string[] {
  return Array.from(content.matchAll(braces)).flatMap(([all, name = ""]) => (placeholderName.test(name) ? [] : all));
}
