// The keys of the ordered lists of rules. A rule is stored as it is read: with its defaults, in this
// order of keys.
import { weekdays } from "../sms/sending-hours.ts";
import { choice, list, onlyYes, optional, objects, string, whole } from "./field.ts";

const name = string(100, "name");
const words = 10_000;

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

export const windowFields = {
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
  words: list(string(200, "wordPattern"), words, { default: [], note: "Words and phrases." }),
  links: choice(["any", "none", "listed"], { default: "any" }),
  domains: list(string(253, "domain"), words, { default: [], note: "That links may lead to, with links: listed." }),
  action: choice(["refuse", "review"]),
};

/** With one of `words`, `prefix` and `any`. */
export const inboundRuleFields = {
  line: string(20, "lineNumber", { refersTo: "lines" }),
  words: optional(list(string(200, "word"), words, { filled: true, note: "Each the whole of a text." })),
  prefix: optional(string(200, "word")),
  any: optional(onlyYes()),
  account: string(100, "name", { refersTo: "accounts" }),
  reply: optional(string(4_000, "sendable")),
  maxPerHour: optional(whole(1, 1_000_000, { note: "Replies of the rule in an hour; absent: 600." })),
};
