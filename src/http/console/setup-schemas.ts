// What the objects of the configuration look like in the console's API: the keys of the setup file
// (docs/setup-file.md), without secrets in answers.
import { Type, type TSchema } from "../json-schema.ts";
import { userRoles } from "../../credentials/abilities.ts";
import { optOutModes } from "../../sms/sender-line.ts";
import { weekdays } from "../../sms/sending-hours.ts";
import type { ObjectName } from "../../setup/configured-object.ts";
import { exactly, inRials, time } from "./console-endpoint.ts";

const texts = (description: string): TSchema => Type.Array(Type.String(), { description });
const oneOf = (...words: readonly string[]): TSchema => Type.Union(words.map((word) => Type.Literal(word)));
const typeOfNumber = Type.Union([Type.Literal("auto"), Type.Integer()]);

const name = { name: Type.String() };
const number = { number: Type.String() };

const route = Type.Object(
  { operator: Type.String(), line: Type.String(), connectors: texts("In order of preference.") },
  exactly,
);

const price = Type.Object(
  { operator: Type.String(), line: Type.String(), language: Type.String(), price: inRials("For one part.") },
  exactly,
);

export const connectorShape = {
  ...name,
  enabled: Type.Boolean(),
  paused: Type.Boolean({ description: "Its binds stay and receipts come, but nothing is submitted." }),
  type: Type.Literal("smpp"),
  host: Type.String(),
  port: Type.Integer(),
  systemId: Type.String(),
  systemType: Type.String(),
  serviceType: Type.String(),
  validityPeriod: oneOf("relative", "absolute", "none"),
  bindType: oneOf("transceiver", "transmitter-receiver"),
  binds: Type.Integer({ description: "How many there shall be, over all nodes." }),
  window: Type.Integer(),
  partsPerSecond: Type.Integer(),
  tls: Type.Union([
    Type.Boolean(),
    Type.Object({ ca: Type.Optional(Type.String({ description: "PEM text." })), verify: Type.Boolean() }, exactly),
  ]),
  defaultAlphabet: oneOf("gsm7", "latin1", "ascii"),
  sourceTon: typeOfNumber,
  sourceNpi: typeOfNumber,
  destTon: Type.Integer(),
  destNpi: Type.Integer(),
  throttledStatuses: texts("Codes with which this SMSC says that it gets too much."),
  temporaryStatuses: texts("Codes after which a message is tried again."),
  permanentStatuses: texts("Codes that end a message."),
  longMessages: oneOf("udh", "sar", "payload"),
  messageIdFormat: oneOf("auto", "decimal", "hex"),
  uncertain: oneOf("resend", "hold", "fail"),
  responseTimeoutMs: Type.Integer(),
  enquireLinkSeconds: Type.Integer(),
  inactivitySeconds: Type.Integer(),
  receiptDeadlineHours: Type.Integer(),
  receiptGroup: Type.String(),
  passwordSet: Type.Boolean({ description: "The password itself is never told." }),
};

export const accountShape = {
  ...name,
  domain: Type.String({ description: "What its users give as their organisation." }),
  credit: Type.Optional(Type.Literal("unlimited", { description: "Absent: its credit limits what it sends." })),
  tariff: Type.String(),
  lines: texts("The lines that it may send from."),
  permissions: texts("`*` or the names of methods; they bound sending in the console, too."),
  requestsPerSecond: Type.Number({ description: "0: no limit." }),
  allowedIps: Type.Optional(texts("Where its programs may call from; empty: everywhere.")),
  blockedRecipients: Type.Optional(texts("Numbers that it must not send to.")),
  users: Type.Optional(
    Type.Array(
      Type.Object({ username: Type.String(), role: oneOf(...userRoles), passwordSet: Type.Boolean() }, exactly),
      {
        description: "For staff, and for customers who may manage them, as the three lists before.",
      },
    ),
  ),
  apiKeys: Type.Optional(
    Type.Array(
      Type.Object(
        {
          name: Type.String(),
          allowedIps: texts("Instead of those of the account."),
          expires: Type.Optional(time("From then on calls with it are 401; absent: never.")),
        },
        exactly,
      ),
    ),
  ),
  lowCredit: inRials("Below it, staff are told; 0: never."),
  duplicateSeconds: Type.Integer({
    description: "So long the same text from the same sender to the same number is refused with 1207; 0: never.",
  }),
  dailyMessages: Type.Integer({ description: "Above it, 1208; 0: no limit." }),
  monthlyCost: inRials("Above it, 1208; 0: no limit."),
  balance: inRials("Its credit, in rials."),
  unlimited: Type.Boolean({ description: "Without a limit the balance may be below zero." }),
};

const lineNumber = Type.String({ description: "Number of a line." });

const scope = { lines: texts("Numbers, kinds of lines, or `*`."), accounts: texts("Names, or `*`.") };

/** Each list of rules, in the order in which they are tried. */
const rules = {
  blockLists: Type.Object({ ...name, ...scope }, exactly),
  sendingHours: Type.Object(
    {
      ...{ ...name, ...scope, timeZone: Type.String() },
      windows: Type.Array(
        Type.Object({ days: Type.Array(oneOf(...weekdays)), from: Type.String(), to: Type.String() }, exactly),
      ),
      except: texts("Dates on which no window begins."),
    },
    exactly,
  ),
  contentRules: Type.Object(
    {
      ...{ ...name, ...scope, words: texts("Words and phrases.") },
      links: oneOf("any", "none", "listed"),
      domains: texts("That links may lead to, with links: listed."),
      action: oneOf("refuse", "review"),
    },
    exactly,
  ),
  inboundRules: Type.Object(
    {
      line: Type.String(),
      words: Type.Optional(texts("Each the whole of a text.")),
      prefix: Type.Optional(Type.String()),
      any: Type.Optional(Type.Literal(true)),
      account: Type.String(),
      reply: Type.Optional(Type.String()),
      maxPerHour: Type.Optional(Type.Integer({ description: "Replies of the rule in an hour; absent: 600." })),
    },
    exactly,
  ),
};

/** Each object as GET answers it. */
export const told: Readonly<Record<Exclude<ObjectName["section"], "templates">, TSchema>> = {
  operators: Type.Object(
    { ...name, prefixes: texts("National, without the leading 0."), enabled: Type.Boolean() },
    exactly,
  ),
  portedNumbers: Type.Object({ ...number, operator: Type.String() }, exactly),
  connectors: Type.Object(connectorShape, exactly),
  lines: Type.Object(
    {
      ...number,
      kind: oneOf("dedicated", "service", "advertising"),
      inbound: Type.Optional(Type.String({ description: "The account that receives for it." })),
      connectors: Type.Optional(texts("Those that may bring messages for it; absent: all.")),
      optOut: Type.Optional(oneOf(...optOutModes)),
    },
    exactly,
  ),
  tariffs: Type.Object({ ...name, prices: Type.Array(price) }, exactly),
  accounts: Type.Object(accountShape, exactly),
  routes: Type.Object({ routes: Type.Array(route) }, exactly),
  blockLists: Type.Object({ blockLists: Type.Array(rules.blockLists) }, exactly),
  sendingHours: Type.Object({ sendingHours: Type.Array(rules.sendingHours) }, exactly),
  contentRules: Type.Object({ contentRules: Type.Array(rules.contentRules) }, exactly),
  inboundRules: Type.Object({ inboundRules: Type.Array(rules.inboundRules) }, exactly),
  settings: Type.Object(
    {
      systemLines: Type.Object(
        { service: Type.Optional(lineNumber), advertising: Type.Optional(lineNumber) },
        { ...exactly, description: "The lines of templates with `sender: service` or `advertising`." },
      ),
      retentionDays: Type.Integer(),
      timeZone: Type.String({ description: "Of the days of reports and limits, such as Asia/Tehran." }),
      calendar: oneOf("jalali", "gregorian"),
      eventDays: Type.Optional(Type.Integer({ description: "Absent: 30, or retentionDays where that is less." })),
      contentDays: Type.Integer({ description: "0: as long as the message." }),
      codeContentHours: Type.Integer({ description: "0: as long as the message." }),
      optOutWords: Type.Optional(
        Type.Object(
          { stop: Type.Optional(texts("Absent: the usual ones.")), resume: Type.Optional(texts("The same.")) },
          exactly,
        ),
      ),
      optOutNotice: Type.Optional(Type.String()),
      staffSecondFactor: oneOf("optional", "required"),
    },
    exactly,
  ),
};
