// The keys of accounts, with their users, API keys and endpoints, and of templates.
import { permissions, userRoles } from "../credentials/abilities.ts";
import { templatePurposes } from "../sms/template.ts";
import {
  choice,
  credit,
  instant,
  keyed,
  list,
  number,
  orNone,
  rials,
  string,
  type Values,
  whole,
  yesNo,
} from "./field.ts";

import { tlvList } from "./network-fields.ts";

const name = string(100, "name");
const addresses = string(60, "addressBlock");

const userFields = {
  password: string(400, "secret", { secret: true }),
  role: choice(userRoles, { default: "owner" }),
};

export const apiKeyFields = {
  /** As it is read and stored: SHA-256 in hexadecimal. */
  key: string(512, "apiKey", { secret: true }),
  /** Instead of those of the account. */
  allowedIps: list(addresses, 1_000, { default: [], resets: true }),
  /** From then on calls with it are 401; absent: never. */
  expires: orNone(instant({ resets: true })),
};

export const webhookFields = {
  url: string(2_048, "endpointUrl"),
  events: list(string(100, "eventPattern"), 50, { filled: true }),
  batchSize: whole(1, 100, { default: 1 }),
  enabled: yesNo({ default: true }),
  /** null: one is made. */
  secret: orNone(string(100, "endpointSecret", { secret: true })),
};

/** What an account may use up. 0: without limit. */
export const limitFields = {
  /** 0: no limit. */
  requestsPerSecond: number(0, 1_000_000, {
    default: 0,
    section: "limits",
    column: "requests_per_second",
  }),
  /** Below it, staff are told; 0: never. */
  lowCredit: rials({
    default: 0n,
    section: "limits",
    column: "low_credit",
  }),
  /** So long the same text from the same sender to the same number is refused with 1207; 0: never. */
  duplicateSeconds: whole(0, 86_400, {
    default: 0,
    section: "limits",
    column: "duplicate_seconds",
  }),
  /** Above it, 1208; 0: no limit. */
  dailyMessages: whole(0, 1e9, {
    default: 0,
    section: "limits",
    column: "daily_messages",
  }),
  /** Above it, 1208; 0: no limit. */
  monthlyCost: rials({ default: 0n, section: "limits", column: "monthly_cost" }),
};

export const accountFields = {
  /** What its users give as their organisation. "": its name. */
  domain: string(100, "name", { default: "", column: "domain" }),
  /** Absent: its credit limits what it sends. */
  credit: credit({ default: null }),
  tariff: string(100, "name", { refersTo: "tariffs", column: "tariff" }),
  /** The lines that it may send from. */
  lines: list(string(20, "lineNumber", { refersTo: "lines" }), 10_000, {
    default: [],
    sorted: true,
    column: "lines",
  }),
  /** `*` or the names of methods; they bound sending in the console, too. */
  permissions: list(choice<string>(["*", ...permissions]), permissions.length + 1, {
    default: ["*"],
    sorted: true,
    column: "permissions",
  }),
  ...limitFields,
  /** Blanks, quotes, dashes and the like that make a text dearer are replaced by plain ones. */
  tidyTexts: yesNo({
    default: false,
    column: "tidy_texts",
  }),
  /** Where its programs may call from; empty: everywhere. */
  allowedIps: list(addresses, 1_000, {
    default: [],
    column: "allowed_ips",
    kept: true,
  }),
  /** Numbers that it must not send to. */
  blockedRecipients: list(string(30, "mobile"), 100_000, {
    default: [],
    sorted: true,
    column: "blocked_recipients",
    kept: true,
  }),
  users: keyed({ key: "username", name, most: 10_000, item: "user" }, userFields, { kept: true, hiddenIn: "file" }),
  apiKeys: keyed({ key: "name", name, most: 10_000, item: "apiKey" }, apiKeyFields, { kept: true, hiddenIn: "file" }),
  webhooks: keyed({ key: "name", name: string(200, "endpointName"), most: 20, item: "webhook" }, webhookFields, {
    kept: true,
    hiddenIn: "console",
  }),
};

export type AccountValues = Values<typeof accountFields>;

export const templateFields = {
  account: string(100, "name", { refersTo: "accounts" }),
  /** With placeholders such as {code}. */
  content: string(4_000, "sendable", { column: "content" }),
  /** A line, `service` or `advertising`; absent: each call names its line. */
  sender: orNone(
    string(20, "templateSender", {
      refersTo: "lines",
      column: "sender",
    }),
  ),
  /** Only what is approved can be used for sending (else 1107). */
  approved: yesNo({
    default: false,
    column: "approved",
  }),
  /** Why it was refused. null: approved, or waiting to be looked at. */
  refused: orNone(string(500, "refusal", { column: "refused_reason" })),
  // A template's text is useless after a week, and the limit keeps times in the queue within the
  // range of the database.
  /** How long a message made of it may wait. */
  validSeconds: orNone(whole(1, 7 * 86_400, { column: "valid_seconds" })),
  /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
  purpose: choice(templatePurposes, {
    default: "code",
    column: "purpose",
  }),
  tlvs: { ...tlvList, column: "tlvs", kept: true } as const,
};
