// Holds the declarations of all configured objects: no text without a bound, and none that is
// looked at before its length is.
import { expect, it } from "vitest";
import type { Fields, ValueKind } from "../../src/fields/field.ts";
import { settingsFields } from "../../src/fields/service-fields.ts";
import { faultMessage } from "../../src/setup/fault.ts";
import { readSetup } from "../../src/setup/read-setup.ts";
import { listSections, namedSections } from "../../src/setup/sections.ts";

/** Private keys are the longest texts of a setup. */
const longestText = 16_000;

/** All texts and lists within, with the names of their keys. */
function* kindsIn(key: string, kind: ValueKind): Iterable<readonly [string, ValueKind]> {
  yield [key, kind];
  if (kind.kind === "list") yield* kindsIn(`${key}[]`, kind.of);
  if (kind.kind === "record") {
    yield* kindsIn(`${key}.*`, kind.key);
    yield* kindsIn(key, kind.of);
  }
  if (kind.kind === "keyed") yield* kindsIn(`${key}.${kind.key}`, kind.name);
  if (kind.kind === "rows" || kind.kind === "keyed") yield* kindsOf(key, kind.fields);
}

function* kindsOf(object: string, fields: Fields): Iterable<readonly [string, ValueKind]> {
  for (const [key, field] of Object.entries(fields)) yield* kindsIn(`${object}.${key}`, field);
}

const declared = [
  ...Object.entries(namedSections).flatMap(([section, { fields, key, name }]) => [
    ...kindsIn(`${section}.${key}`, name),
    ...kindsOf(section, fields),
  ]),
  ...Object.entries(listSections).flatMap(([section, { fields }]) => [...kindsOf(section, fields)]),
  ...kindsOf("settings", settingsFields),
];

it("finds what is declared", () => {
  const keys = declared.map(([key]) => key);
  expect(keys).toEqual(
    expect.arrayContaining(["accounts.users.password", "contentRules.words[]", "tariffs.prices.line"]),
  );
});

it.each(declared)("%s has a greatest length", (_, kind) => {
  if (kind.kind === "text") expect(kind.max > 0 && kind.max <= longestText).toBe(true);
  if ("most" in kind) expect(kind.most).toBeGreaterThan(0);
});

it("refuses long texts and lists by their length alone", () => {
  const long = "{a}".repeat(100_000);
  const setup = {
    templates: [{ id: "T", account: "a", content: long }],
    inboundRules: [{ line: "1000", any: true, account: "a", reply: long }],
    contentRules: [{ name: long, words: [long], action: "refuse" }],
    accounts: [{ name: "a", blockedRecipients: Array.from({ length: 100_001 }, () => long) }],
    timeZone: long,
  };
  const { faults } = readSetup(setup);
  expect(faults.map((fault) => [fault.path.join("."), faultMessage(fault, "en")])).toEqual([
    ["accounts.0.blockedRecipients", "must have at most 100000 entries"],
    ["templates.0.content", "must not be longer than 4000 characters"],
    ["contentRules.0.name", "must not be longer than 100 characters"],
    ["contentRules.0.words.0", "must not be longer than 200 characters"],
    ["inboundRules.0.reply", "must not be longer than 4000 characters"],
    ["timeZone", "must not be longer than 100 characters"],
  ]);
});
