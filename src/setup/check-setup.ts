// Checks the references of a setup file against everything that will be stored, and what must be
// unique across objects. Pure. Checks only objects that the file names; the others were checked
// when they were stored.
import { unknownOperator } from "../sms/numbering-plan.ts";
import { lineKinds } from "../sms/sender-line.ts";
import { hintFor, type SetupFault, type SetupPath } from "./fault.ts";
import { findLiteralBraces } from "./read-account.ts";
import { checkRules, findRuleConflicts } from "./check-rules.ts";
import type { AccountSetup, Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

export interface CheckedSetup {
  readonly faults: readonly SetupFault[];
  /** Valid, but perhaps not what was meant. */
  readonly warnings: readonly SetupFault[];
}

export function checkSetup(setup: Setup, desired: SetupState): CheckedSetup {
  const check = new ReferenceCheck(desired);
  for (const { path, operator } of setup.portedNumbers) check.operator(operator, () => [...path, "operator"]);
  for (const { path, operator, line, connectors } of setup.routes ?? []) {
    check.match({ operator, line }, () => path);
    for (const [index, name] of connectors.entries())
      check.name("connectors", name, () => [...path, "connectors", index]);
  }
  for (const { path, inbound, connectors } of setup.lines) {
    if (inbound) check.name("accounts", inbound, () => [...path, "inbound"]);
    for (const [index, name] of (connectors ?? []).entries())
      check.name("connectors", name, () => [...path, "connectors", index]);
  }
  for (const { path, prices = [] } of setup.tariffs) {
    for (const [index, row] of prices.entries()) check.match(row, () => [...path, "prices", index]);
  }
  for (const account of setup.accounts) checkAccount(check, account, desired);
  checkSenders(check, setup);
  checkRules(check, setup);
  check.faults.push(...findRuleConflicts(setup, desired));
  check.faults.push(...findSharedLogins(setup, desired), ...findSharedKeys(setup, desired));
  return { faults: check.faults, warnings: findWarnings(setup, desired) };
}

function checkSenders(check: ReferenceCheck, { templates, systemLines }: Setup): void {
  for (const { path, account, sender } of templates) {
    if (account !== undefined) check.name("accounts", account, () => [...path, "account"]);
    if (sender && !isKind(sender)) check.name("lines", sender, () => [...path, "sender"]);
  }
  for (const key of ["service", "advertising"] as const) {
    const number = systemLines[key];
    if (number) check.name("lines", number, () => ["systemLines", key]);
  }
}

function isKind(line: string): boolean {
  return (lineKinds as readonly string[]).includes(line);
}

const singular = { connectors: "connector", accounts: "account", lines: "line", tariffs: "tariff" } as const;

/** Asked only for a fault: files of thousands of accounts hardly have any. */
type Place = () => SetupPath;

class ReferenceCheck {
  readonly faults: SetupFault[] = [];
  readonly #desired: SetupState;

  constructor(desired: SetupState) {
    this.#desired = desired;
  }

  name(kind: keyof typeof singular, name: string, place: Place): void {
    this.#expect(this.#desired[kind], name, place, singular[kind]);
  }

  operator(name: string, place: Place): void {
    this.#expect(this.#desired.operators, name, place, "operator");
  }

  /** The operator and line that a route or a price matches. */
  match({ operator, line }: { readonly operator: string; readonly line: string }, place: Place): void {
    if (operator !== "*" && operator !== unknownOperator) this.operator(operator, () => [...place(), "operator"]);
    this.line(line, () => [...place(), "line"]);
  }

  /** A line number, a kind of line, or all lines. */
  line(line: string, place: Place): void {
    if (line !== "*" && !isKind(line)) this.name("lines", line, place);
  }

  #expect(known: ReadonlyMap<string, unknown>, name: string, place: Place, kind: string): void {
    if (known.has(name)) return;
    const hint = hintFor(name, known.keys());
    this.faults.push({
      path: place(),
      message: `there is no ${kind} ${name}`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

function checkAccount(check: ReferenceCheck, account: AccountSetup, desired: SetupState): void {
  const { path, name, tariff, credit, lines = [] } = account;
  if (tariff !== undefined) check.name("tariffs", tariff, () => [...path, "tariff"]);
  for (const [index, number] of lines.entries()) check.name("lines", number, () => [...path, "lines", index]);
  const state = desired.accounts.get(name);
  if (credit !== undefined && state?.unlimited === false && state.balance < 0n) {
    const message = "the account's balance is negative, so its credit cannot be limited now";
    check.faults.push({ path: [...path, "credit"], message, hint: "add credit with hodhod credit, then apply again" });
  }
}

/**
 * Users log in with username, password and domain, so usernames must be unique across the accounts
 * of one domain.
 */
function findSharedLogins(setup: Setup, desired: SetupState): SetupFault[] {
  const shared = repeatedOf(loginsOf(desired));
  if (shared.size === 0) return [];
  const owners = new Map<string, string[]>();
  for (const [name, { domain, users }] of desired.accounts) {
    for (const username of users.keys()) addOwner(owners, shared, loginKey(domain, username), name);
  }
  return setup.accounts.flatMap(({ path, name }) => {
    const state = desired.accounts.get(name);
    return [...(state?.users.keys() ?? [])].flatMap((username) => {
      const domain = state?.domain ?? "";
      const others = owners.get(loginKey(domain, username))?.filter((owner) => owner !== name) ?? [];
      const message = `${username} is also a user of account ${others.join(", ")} in the domain ${domain}`;
      return others.length === 0 ? [] : [{ path: [...path, "users"], message }];
    });
  });
}

function* loginsOf({ accounts }: SetupState): Iterable<string> {
  for (const { domain, users } of accounts.values()) {
    for (const username of users.keys()) yield loginKey(domain, username);
  }
}

function loginKey(domain: string, username: string): string {
  return `${domain.toLowerCase()}\n${username}`;
}

function findSharedKeys(setup: Setup, desired: SetupState): SetupFault[] {
  const shared = repeatedOf(hashesOf(desired));
  if (shared.size === 0) return [];
  const owners = new Map<string, string[]>();
  for (const [account, { apiKeys }] of desired.accounts) {
    for (const { sha256Hex } of apiKeys.values()) addOwner(owners, shared, sha256Hex, account);
  }
  return setup.accounts.flatMap(({ path, name: account, apiKeys = [] }) =>
    apiKeys.flatMap(({ sha256Hex = "" }, index) => {
      const of = owners.get(sha256Hex) ?? [];
      const isForeign = of.some((owner) => owner !== account);
      const message = isForeign ? "is the key of another account" : "is the same as another key of the account";
      return of.length < 2 ? [] : [{ path: [...path, "apiKeys", index, "key"], message }];
    }),
  );
}

function* hashesOf({ accounts }: SetupState): Iterable<string> {
  for (const { apiKeys } of accounts.values()) {
    for (const { sha256Hex } of apiKeys.values()) yield sha256Hex;
  }
}

/** Hardly ever any: of a hundred thousand keys nothing else is kept. */
function repeatedOf(values: Iterable<string>): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) repeated.add(value);
    else seen.add(value);
  }
  return repeated;
}

function addOwner(owners: Map<string, string[]>, shared: ReadonlySet<string>, value: string, owner: string): void {
  if (shared.has(value)) owners.set(value, [...(owners.get(value) ?? []), owner]);
}

function findWarnings(setup: Setup, desired: SetupState): SetupFault[] {
  return setup.templates.flatMap(({ path, id }) => {
    const template = desired.templates.get(id);
    if (template === undefined) return [];
    const { account, sender, content } = template;
    const warnings = findLiteralBraces(content).map((braces): SetupFault => {
      const message = `${braces} is not a placeholder and will be sent unchanged`;
      return { path: [...path, "content"], message, hint: "a name has letters, digits, _ and -" };
    });
    const own = desired.accounts.get(account)?.lines ?? [];
    if (sender !== null && !isKind(sender) && !own.includes(sender)) {
      const message = `${sender} is not a line of account ${account}: sending will be refused with 1053`;
      warnings.push({ path: [...path, "sender"], message });
    }
    return warnings;
  });
}
