// What the keys of one row, and the rows of one list, must be together. Pure.
import { longestPassword, passwordFault, shortestPassword } from "../credentials/new-password.ts";
import { faultOfTlv } from "../connectors/connector-settings.ts";
import type { Fields } from "../fields/field.ts";
import { contentRuleFields, inboundRuleFields } from "../fields/service-fields.ts";
import { tlvFields } from "../fields/network-fields.ts";
import { tariffHasDefault } from "../sms/tariff.ts";
import type { GivenTlv } from "../sms/template.ts";
import { type SetupFault, ValueFault } from "./fault.ts";
import type { Given, Setup } from "./sections.ts";

interface ReadRow {
  readonly row: Readonly<Record<string, unknown>>;
  /** As it is given: without defaults. */
  readonly raw: Readonly<Record<string, unknown>>;
}

type Report = (fault: ValueFault, key?: string) => void;

export function checkRow(fields: Fields, read: ReadRow, report: Report): void {
  if (fields === contentRuleFields) checkContentRule(read, report);
  if (fields === inboundRuleFields) checkInboundRule(read, report);
  if (fields === tlvFields) checkTlv(read, report);
}

function checkTlv({ row, raw }: ReadRow, report: Report): void {
  if (["text", "hex", "number"].filter((key) => (raw[key] ?? "") !== "").length !== 1)
    report(new ValueFault("oneTlvValue"));
  if (row["tag"] === undefined) return;
  const fault = faultOfTlv(row as unknown as GivenTlv);
  if (fault !== undefined) report(new ValueFault(fault), "tag");
}

function checkContentRule({ row, raw }: ReadRow, report: Report): void {
  const hasDomains = Array.isArray(raw["domains"]) && raw["domains"].length > 0;
  if (raw["words"] === undefined && raw["links"] === undefined)
    report(new ValueFault("missing", undefined, { key: "wordsOrLinks" }), "words");
  if (row["links"] === "listed" && !hasDomains)
    report(new ValueFault("missing", undefined, { key: "nameDomains" }), "domains");
  if (row["links"] !== "listed" && hasDomains) report(new ValueFault("onlyListed"), "domains");
}

function checkInboundRule({ row, raw }: ReadRow, report: Report): void {
  const matches = ["words", "prefix", "any"].filter((key) => raw[key] !== undefined);
  if (matches.length !== 1) report(new ValueFault("oneMatch"));
  if (row["maxPerHour"] !== undefined && row["reply"] === undefined)
    report(new ValueFault("onlyWithReply"), "maxPerHour");
}

/** What appears twice or does not go together, and weak passwords. */
export function checkLists(setup: Setup): readonly SetupFault[] {
  const { routes = [], blockLists = [], sendingHours = [], contentRules = [] } = setup;
  return [
    ...findRepeated(
      routes.map(({ place, row: { operator, line } }) => ({ place, name: `${operator} / ${line}` })),
      "line",
    ),
    ...[blockLists, sendingHours, contentRules].flatMap((list) =>
      findRepeated(
        list.map(({ place, row: { name } }) => ({ place, name })),
        "name",
      ),
    ),
    ...findSharedPrefixes(setup),
    ...[...setup.staff, ...setup.accounts.flatMap(({ values: { users = [] } }) => users)].flatMap(checkPassword),
    ...setup.templates.flatMap(({ place, values: { approved, refused } }): SetupFault[] =>
      approved === true && refused ? [{ path: [...place, "refused"], key: "notWithApproved" }] : [],
    ),
  ];
}

function findRepeated(
  items: readonly { readonly place: SetupFault["path"]; readonly name: string }[],
  key: string,
): readonly SetupFault[] {
  const seen = new Set<string>();
  return items.flatMap(({ place, name }): SetupFault[] => {
    if (seen.has(name)) return [{ path: [...place, key], key: "repeated", values: { name } }];
    seen.add(name);
    return [];
  });
}

/** Of prices that were all read: those that are wrong are left out, and would look like gaps. */
export function checkPrices({ tariffs }: Setup): readonly SetupFault[] {
  return tariffs.flatMap(({ place, values: { prices } }) =>
    prices === undefined ? [] : checkPricesOf([...place, "prices"], prices),
  );
}

type Prices = NonNullable<Setup["tariffs"][number]["values"]["prices"]>;

function checkPricesOf(path: SetupFault["path"], prices: Prices): readonly SetupFault[] {
  const matches = prices.map(({ operator, line, language }) => JSON.stringify([operator, line, language]));
  const repeated = prices.flatMap((_, index): SetupFault[] =>
    matches.indexOf(matches[index] ?? "") < index ? [{ path: [...path, index], key: "priceTwice" }] : [],
  );
  if (tariffHasDefault({ name: "", prices })) return repeated;
  return [...repeated, { path, key: "priceGap", hint: { key: "priceForAll" } }];
}

/** A prefix that the file gives to two operators. */
function findSharedPrefixes({ operators }: Setup): readonly SetupFault[] {
  const owners = new Map<string, string>();
  return operators.flatMap(({ place, name, values: { prefixes = [] } }) =>
    prefixes.flatMap((prefix): SetupFault[] => {
      const owner = owners.get(prefix);
      owners.set(prefix, name);
      if (owner === undefined || owner === name) return [];
      return [{ path: [...place, "prefixes"], key: "prefixTaken", values: { prefix, owner } }];
    }),
  );
}

function checkPassword({ place, name, values: { password } }: Given<{ readonly password: string }>): SetupFault[] {
  const fault = password === undefined ? undefined : passwordFault(password, name);
  if (fault === undefined) return [];
  const values = { least: shortestPassword, most: longestPassword };
  return [{ path: [...place, "password"], key: fault === "length" ? "lengthBetween" : "weakPassword", values }];
}
