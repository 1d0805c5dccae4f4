// The settings of the whole service, its staff, and its ordered lists of rules. A rule is stored as it
// is read: with its defaults, in this order of keys.
import { staffRoles } from "../credentials/abilities.ts";
import { choice, list, objects, onlyYes, optional, orNone, string, whole, yesNo } from "./field.ts";
import { weekdays } from "../sms/sending-hours.ts";

const systemLine = string(20, "lineNumber", { refersTo: "lines" });
/** Absent: the usual ones. */
const words = list(string(200, "word"), 10_000);
const mostDays = 36_500;

export const settingsFields = {
  service: orNone({ ...systemLine, within: { key: "systemLines", as: "service" } }),
  advertising: orNone({
    ...systemLine,
    within: { key: "systemLines", as: "advertising" },
  }),
  retentionDays: whole(1, mostDays, { default: 400 }),
  /** Of the days of reports and limits, such as Asia/Tehran. */
  timeZone: string(100, "timeZone", {
    default: "Asia/Tehran",
  }),
  calendar: choice(["jalali", "gregorian"], { default: "jalali" }),
  /** Absent: 30, or retentionDays where that is less. */
  eventDays: orNone(whole(1, 90)),
  /** 0: as long as the message. */
  contentDays: whole(0, mostDays, { default: 0 }),
  /** 0: as long as the message. */
  codeContentHours: whole(0, 24 * mostDays, {
    default: 0,
  }),
  optOutStop: orNone({ ...words, within: { key: "optOutWords", as: "stop" } }),
  optOutResume: orNone({ ...words, within: { key: "optOutWords", as: "resume" } }),
  optOutNotice: orNone(string(100, "notice")),
  /** What customers read on their first page. */
  customerNote: orNone(string(2_000, "sendable")),
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
  /** Numbers, kinds of lines, or `*`. */
  lines: list(string(20, "lineMatch", { refersTo: "lines" }), 10_000, {
    default: ["*"],
    filled: true,
  }),
  /** Names, or `*`. */
  accounts: list(string(100, "name", { refersTo: "accounts" }), 10_000, {
    default: ["*"],
    filled: true,
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
  /** Dates on which no window begins. */
  except: list(string(10, "date"), 5_000, { default: [] }),
};

export const contentRuleFields = {
  ...scopeFields,
  /** Words and phrases. */
  words: list(string(200, "wordPattern"), mostWords, { default: [] }),
  links: choice(["any", "none", "listed"], { default: "any" }),
  /** That links may lead to, with links: listed. */
  domains: list(string(253, "domain"), mostWords, { default: [] }),
  action: choice(["refuse", "review"]),
};

/** With one of `words`, `prefix` and `any`. */
export const inboundRuleFields = {
  line: string(20, "lineNumber", { refersTo: "lines" }),
  /** Each the whole of a text. */
  words: optional(list(string(200, "word"), mostWords, { filled: true })),
  prefix: optional(string(200, "word")),
  any: optional(onlyYes()),
  account: string(100, "name", { refersTo: "accounts" }),
  reply: optional(string(4_000, "sendable")),
  /** Replies of the rule in an hour; absent: 600. */
  maxPerHour: optional(whole(1, 1_000_000)),
};
