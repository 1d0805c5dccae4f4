// Reads the ordered lists of rules of a setup file, and the words of opt-outs. A rule is stored as
// it is read here: with its defaults, in this order of keys.
import { foldText } from "../sms/folding.ts";
import type { BlockListRule } from "../sms/block-lists.ts";
import { isWordPattern, type ContentRule } from "../sms/content-rules.ts";
import type { InboundRule } from "../sms/inbound-rules.ts";
import type { RuleScope } from "../sms/rule-scope.ts";
import {
  isExceptDate,
  isTimeOfDay,
  weekdays,
  type SendingHoursRule,
  type SendingWindow,
  type Weekday,
} from "../sms/sending-hours.ts";
import { lineMatch, lineNumber } from "./read-numbers.ts";
import {
  choice,
  nameText,
  type ObjectReader,
  orNone,
  textOf,
  timeZoneName,
  ValueFault,
  type ValueReader,
  wholeNumber,
} from "./read-values.ts";
import type { OptOutWordsSetup, RuleInFile, RulesSetup } from "./setup.ts";

const mostRules = 1_000;
const mostWords = 10_000;
const mostDates = 5_000;
const mostWindows = 100;
const longestWord = 200;
/** Some thousand characters are the most that one message carries. */
const longestReply = 4_000;
const mostRepliesPerHour = 1_000_000;

export function readRules(root: ObjectReader): RulesSetup {
  return {
    blockLists: readList(root, "blockLists", readBlockList),
    sendingHours: readList(root, "sendingHours", readSendingHours),
    contentRules: readList(root, "contentRules", readContentRule),
    inboundRules: readList(root, "inboundRules", readInboundRule),
  };
}

function readList<Rule extends object>(
  root: ObjectReader,
  key: string,
  read: (reader: ObjectReader) => Rule | undefined,
): readonly RuleInFile<Rule>[] | undefined {
  const rules = root.objects(key, (reader) => {
    const rule = read(reader);
    return rule === undefined ? undefined : { path: reader.path, rule };
  });
  expectAtMost(root, key, mostRules, rules);
  const seen = new Set<string>();
  for (const { path, rule } of rules ?? []) {
    if (!("name" in rule) || typeof rule.name !== "string") continue;
    if (seen.has(rule.name)) root.fault([...path, "name"], `${rule.name} is listed twice`);
    seen.add(rule.name);
  }
  return rules;
}

function expectAtMost(reader: ObjectReader, key: string, most: number, list: readonly unknown[] | undefined): void {
  if (list !== undefined && list.length > most) reader.fault([key], `must have at most ${most} entries`);
}

const scopeKeys = ["lines", "accounts"];

function readScope(reader: ObjectReader): RuleScope {
  return { lines: readNames(reader, "lines", lineMatch), accounts: readNames(reader, "accounts", nameText) };
}

function readNames(reader: ObjectReader, key: string, read: ValueReader<string>): readonly string[] {
  const names = reader.list(key, read);
  if (names === undefined) return ["*"];
  if (names.length === 0 && isEmptyList(reader.raw(key)))
    reader.fault([key], "must not be empty", "leave it out for all");
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) reader.fault([key, index], `${name} is listed twice`);
  return names;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function readBlockList(reader: ObjectReader): BlockListRule | undefined {
  reader.expectKeys(["name", ...scopeKeys]);
  const name = reader.required("name", nameText);
  const scope = readScope(reader);
  return name === undefined ? undefined : { name, ...scope };
}

function readSendingHours(reader: ObjectReader): SendingHoursRule | undefined {
  reader.expectKeys(["name", ...scopeKeys, "timeZone", "windows", "except"]);
  const name = reader.required("name", nameText);
  const scope = readScope(reader);
  const timeZone = reader.optional("timeZone", timeZoneName) ?? "Asia/Tehran";
  const windows = reader.objects("windows", readWindow) ?? [];
  if (reader.raw("windows") === undefined || isEmptyList(reader.raw("windows")))
    reader.fault(["windows"], "must have at least one window");
  expectAtMost(reader, "windows", mostWindows, windows);
  const except = reader.list("except", exceptDate) ?? [];
  expectAtMost(reader, "except", mostDates, except);
  return name === undefined ? undefined : { name, ...scope, timeZone, windows, except };
}

function readWindow(reader: ObjectReader): SendingWindow | undefined {
  reader.expectKeys(["days", "from", "to"]);
  const days = reader.list("days", choice<Weekday>(weekdays)) ?? weekdays;
  if (isEmptyList(reader.raw("days"))) reader.fault(["days"], "must not be empty", "leave it out for every day");
  const from = reader.required("from", timeOfDay(false));
  const to = reader.required("to", timeOfDay(true));
  return from === undefined || to === undefined ? undefined : { days: [...new Set(days)], from, to };
}

function timeOfDay(mayEndDay: boolean): ValueReader<string> {
  return (value) => {
    const text = textOf(value) ?? "";
    const example = mayEndDay ? "21:00, up to 24:00" : "09:00";
    return isTimeOfDay(text, { mayEndDay }) ? text : new ValueFault(`must be a time of day, such as ${example}`);
  };
}

const exceptDate: ValueReader<string> = (value) =>
  typeof value === "string" && isExceptDate(value)
    ? value
    : new ValueFault("must be a date, such as 1406-01-01 or 2027-03-21");

function readContentRule(reader: ObjectReader): ContentRule | undefined {
  reader.expectKeys(["name", ...scopeKeys, "words", "links", "domains", "action"]);
  const name = reader.required("name", nameText);
  const scope = readScope(reader);
  const words = reader.list("words", wordPattern) ?? [];
  const links = reader.optional("links", choice<ContentRule["links"]>(["any", "none", "listed"])) ?? "any";
  const domains = reader.list("domains", domainName) ?? [];
  const action = reader.required("action", choice<ContentRule["action"]>(["refuse", "review"]));
  expectAtMost(reader, "words", mostWords, words);
  expectAtMost(reader, "domains", mostWords, domains);
  if (reader.raw("words") === undefined && reader.raw("links") === undefined)
    reader.fault(["words"], "is missing", "give words, links or both");
  if (links === "listed" && isAbsentOrEmpty(reader.raw("domains")))
    reader.fault(["domains"], "is missing", "with links: listed, name the domains that are allowed");
  if (links !== "listed" && domains.length > 0) reader.fault(["domains"], "counts only with links: listed");
  if (name === undefined || action === undefined) return undefined;
  return { name, ...scope, words, links, domains, action };
}

function isAbsentOrEmpty(value: unknown): boolean {
  return value === undefined || value === null || isEmptyList(value);
}

const wordText: ValueReader<string> = (value) => {
  const text = textOf(value);
  if (text === undefined || foldText(text) === "") return new ValueFault("must be a word with letters or digits");
  return text.length > longestWord
    ? new ValueFault(`must not be longer than ${longestWord} characters`)
    : storable(text);
};

const wordPattern: ValueReader<string> = (value) => {
  const text = wordText(value);
  if (text instanceof ValueFault || isWordPattern(text)) return text;
  return new ValueFault("must be a word with letters or digits");
};

/** The database stores neither a null character nor half of a character. */
function storable(text: string): string | ValueFault {
  return /\0|\p{Surrogate}/u.test(text) ? new ValueFault("contains a character that cannot be sent") : text;
}

const domainForm =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u;

const domainName: ValueReader<string> = (value) => {
  const text = (textOf(value) ?? "").toLowerCase();
  return text.length <= 253 && domainForm.test(text)
    ? text
    : new ValueFault("must be the name of a domain, such as example.com");
};

function readInboundRule(reader: ObjectReader): InboundRule | undefined {
  reader.expectKeys(["line", "words", "prefix", "any", "account", "reply", "maxPerHour"]);
  const line = reader.required("line", lineNumber);
  const match = readMatch(reader);
  const account = reader.required("account", nameText);
  const reply = reader.optional("reply", orNone(replyText)) ?? undefined;
  const maxPerHour = reader.optional("maxPerHour", orNone(wholeNumber(1, mostRepliesPerHour))) ?? undefined;
  if (maxPerHour !== undefined && isAbsentOrEmpty(reader.raw("reply")))
    reader.fault(["maxPerHour"], "counts only with a reply");
  if (line === undefined || match === undefined || account === undefined) return undefined;
  return {
    line,
    ...match,
    account,
    ...(reply !== undefined && { reply }),
    ...(maxPerHour !== undefined && { maxPerHour }),
  };
}

function readMatch(reader: ObjectReader): Pick<InboundRule, "words" | "prefix" | "any"> | undefined {
  const given = ["words", "prefix", "any"].filter((key) => reader.raw(key) !== undefined);
  const [key] = given;
  if (key === undefined || given.length > 1) {
    reader.fault([], "must have exactly one of words, prefix and any");
    return undefined;
  }
  if (key === "words") {
    const words = reader.list("words", wordText);
    if (isEmptyList(reader.raw("words"))) reader.fault(["words"], "must not be empty");
    expectAtMost(reader, "words", mostWords, words);
    return words && { words };
  }
  if (key === "prefix") {
    const prefix = reader.required("prefix", wordText);
    return prefix === undefined ? undefined : { prefix };
  }
  if (reader.raw("any") === true) return { any: true };
  reader.fault(["any"], "must be true");
  return undefined;
}

const replyText: ValueReader<string> = (value) => {
  const text = textOf(value);
  if (text === undefined || text.trim() === "") return new ValueFault("must be a text that is not blank");
  return text.length > longestReply
    ? new ValueFault(`must not be longer than ${longestReply} characters`)
    : storable(text);
};

/** null: the usual words. */
export function readOptOutWords(root: ObjectReader): OptOutWordsSetup {
  const value = root.raw("optOutWords");
  const reader = value === undefined ? undefined : root.object(["optOutWords"], value);
  reader?.expectKeys(["stop", "resume"]);
  const words = (key: string): readonly string[] | null | undefined => {
    if (reader?.raw(key) === null) return null;
    const list = reader?.list(key, wordText);
    expectAtMost(root, key, mostWords, list);
    return list;
  };
  return { stop: words("stop"), resume: words("resume") };
}

const longestNotice = 100;

export const noticeText: ValueReader<string> = (value) => {
  const text = textOf(value)?.trim() ?? "";
  if (foldText(text) === "") return new ValueFault("must be a word with letters or digits");
  return text.length > longestNotice
    ? new ValueFault(`must not be longer than ${longestNotice} characters`)
    : storable(text);
};
