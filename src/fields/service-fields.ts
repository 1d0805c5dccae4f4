// The settings of the whole service, its staff, and its ordered lists of rules. A rule is stored as it
// is read: with its defaults, in this order of keys.
import { staffRoles } from "../credentials/abilities.ts";
import { choice, list, objects, onlyYes, optional, orNone, string, whole, yesNo } from "./field.ts";
import { weekdays } from "../sms/sending-hours.ts";

const systemLine = string(20, "lineNumber", { refersTo: "lines" });
const words = list(string(200, "word"), 10_000, { note: "Absent: the usual ones." });
const mostDays = 36_500;

export const settingsFields = {
  service: orNone({ ...systemLine, within: { key: "systemLines", as: "service" } }),
  advertising: orNone({
    ...systemLine,
    within: { key: "systemLines", as: "advertising" },
  }),
  retentionDays: whole(1, mostDays, { default: 400 }),
  timeZone: string(100, "timeZone", {
    default: "Asia/Tehran",
    note: "Of the days of reports and limits, such as Asia/Tehran.",
  }),
  calendar: choice(["jalali", "gregorian"], { default: "jalali" }),
  eventDays: orNone(whole(1, 90, { note: "Absent: 30, or retentionDays where that is less." })),
  contentDays: whole(0, mostDays, { default: 0, note: "0: as long as the message." }),
  codeContentHours: whole(0, 24 * mostDays, {
    default: 0,
    note: "0: as long as the message.",
  }),
  optOutStop: orNone({ ...words, within: { key: "optOutWords", as: "stop" } }),
  optOutResume: orNone({ ...words, within: { key: "optOutWords", as: "resume" } }),
  optOutNotice: orNone(string(100, "notice")),
  customerNote: orNone(string(2_000, "sendable", { note: "What customers read on their first page." })),
  staffSecondFactor: choice(["optional", "required"], { default: "optional" }),
};

export const staffFields = {
  password: string(400, "secret", { secret: true }),
  role: choice(staffRoles),
  enabled: yesNo({ default: true }),
};

const name = string(100, "name");
const mostWords = 10_000;

const scopeFields = {
  name,
  lines: list(string(20, "lineMatch", { refersTo: "lines" }), 10_000, {
    default: ["*"],
    filled: true,
    note: "Numbers, kinds of lines, or `*`.",
  }),
  accounts: list(string(100, "name", { refersTo: "accounts" }), 10_000, {
    default: ["*"],
    filled: true,
    note: "Names, or `*`.",
  }),
};

export const blockListFields = scopeFields;

const windowFields = {
  days: list(choice(weekdays), weekdays.length, { default: weekdays, filled: true }),
  from: string(5, "timeOfDay"),
  to: string(5, "endOfDay"),
};

export const sendingHoursFields = {
  ...scopeFields,
  timeZone: string(100, "timeZone", { default: "Asia/Tehran" }),
  windows: objects(windowFields, 100, { filled: true }),
  except: list(string(10, "date"), 5_000, { default: [], note: "Dates on which no window begins." }),
};

export const contentRuleFields = {
  ...scopeFields,
  words: list(string(200, "wordPattern"), mostWords, { default: [], note: "Words and phrases." }),
  links: choice(["any", "none", "listed"], { default: "any" }),
  domains: list(string(253, "domain"), mostWords, { default: [], note: "That links may lead to, with links: listed." }),
  action: choice(["refuse", "review"]),
};

/** With one of `words`, `prefix` and `any`. */
export const inboundRuleFields = {
  line: string(20, "lineNumber", { refersTo: "lines" }),
  words: optional(list(string(200, "word"), mostWords, { filled: true, note: "Each the whole of a text." })),
  prefix: optional(string(200, "word")),
  any: optional(onlyYes()),
  account: string(100, "name", { refersTo: "accounts" }),
  reply: optional(string(4_000, "sendable")),
  maxPerHour: optional(whole(1, 1_000_000, { note: "Replies of the rule in an hour; absent: 600." })),
};
