// Setup files: refused with faults that can be told, and then nothing has changed; or applied, and
// then a running gateway can read what is stored, and applying the same again changes nothing.
import { readFileSync } from "node:fs";
import { prepareDatabase } from "../src/app/prepare-database.ts";
import { DirectoryService } from "../src/directory/directory-service.ts";
import { readConfig } from "../src/platform/config.ts";
import { applySetup } from "../src/setup/change-setup.ts";
import { formatFault, SetupFaults } from "../src/setup/fault.ts";
import { parse } from "yaml";
import { changedTables, createDatabase, Digester, type OwnDatabase } from "./database.ts";
import { withoutHolding } from "./event-loop.ts";
import { mutateText, mutateValue, oddTexts, writeOddJson } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, type Subject, type Surroundings, type Target } from "./target.ts";
import { writeExpression, type Value } from "./value.ts";

interface SetupInput {
  readonly [key: string]: string | boolean;
  readonly text: string;
  readonly prune: boolean;
  readonly dryRun: boolean;
}

// Passwords are left out: each costs what a hash is meant to cost.
const baseText = readFileSync(new URL("../test/fixtures/setup.yaml", import.meta.url), "utf8").replace(
  /^ {4}users:\n.*\n/m,
  "",
);
const baseDocument = parse(baseText) as Value;

const oddLines = [
  "a: &a [*a]",
  "x: *nothing",
  "<<: *a",
  "? [complex, key]\n: 1",
  "- - - -",
  "key: !!binary aGk=",
  "key: !!set {a}",
  "%YAML 9.9",
  "---",
  "...",
  "\t- tab",
  "name: 'open",
  'name: "\\x"',
  "accounts: null",
  "accounts:",
  "__proto__: {a: 1}",
  "credit: 99999999999999999999",
  "credit: 1e3",
  "credit: 0x10",
  "credit: -1",
  "price: 1.5",
  "number: 0912",
  "key: ~",
];

function mutateLines(random: Random, text: string): string {
  const lines = text.split("\n");
  for (let left = random.between(1, 4); left > 0; left -= 1) {
    const at = random.below(lines.length);
    const line = lines[at] ?? "";
    const changed = random.oneOf<readonly string[]>(
      () => [],
      () => [line, line],
      () => [`  ${line}`],
      () => [line.replace(/^ {2}/, "")],
      () => [line.replace(/: .*/, `: ${random.pick(oddTexts)}`)],
      () => [line.replace(/: .*/, `: ${JSON.stringify(random.pick(oddTexts))}`)],
      () => [line, random.pick(oddLines)],
      () => [line.replace(/\S.*/, random.pick(oddLines))],
      () => [mutateText(random, line, random.pick(lines))],
      () => [line, ...lines.slice(random.below(lines.length)).slice(0, 5)],
    );
    lines.splice(at, 1, ...changed);
  }
  return lines.join("\n");
}

/** Deeper than any file means, in one of the ways that files nest. */
function nestedText(random: Random): string {
  const depth = random.pick([50, 500, 5000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ["- ", ""],
    ["? ", ""],
  ] as const);
  return `accounts: ${random.chance(0.5) ? "\n" : ""}${open.repeat(depth)}${random.chance(0.5) ? close.repeat(depth) : ""}`;
}

/** Each line doubles the one before: small to write, endless to read. */
function doublingText(random: Random): string {
  const levels = random.between(3, 40);
  const lines = Array.from({ length: levels }, (_, level) => `  - &l${level} [*l${level - 1}, *l${level - 1}]`);
  return `accounts:\n  - &l-1 []\n${lines.join("\n").replaceAll("l-1", "x")}`;
}

function generateText(random: Random): string {
  if (random.chance(0.02)) return nestedText(random);
  if (random.chance(0.02)) return doublingText(random);
  if (random.chance(0.5)) return mutateLines(random, baseText);
  let document = baseDocument;
  for (let left = random.between(1, 3); left > 0; left -= 1) document = mutateValue(random, document);
  return writeOddJson(random, document);
}

const base: SetupInput = { text: baseText, prune: true, dryRun: false };
const restoresOfOneCopy = 20;

class SetupSubject implements Subject<SetupInput> {
  readonly #server: string | undefined;
  /** Migrated, with a setup applied; every subject of a change is a copy of it. */
  readonly #template: string;
  readonly #dropTemplate: () => Promise<void>;
  #own: OwnDatabase | undefined;
  #digester: Digester | undefined;
  #applied = 0;
  #refused = 0;
  #restored = 0;

  static async open({ databaseServer: server }: Surroundings): Promise<SetupSubject> {
    const { db, name, drop } = await createDatabase(server);
    await prepareDatabase({ config: readConfig({}), db });
    await applySetup(db, { text: baseText, folder: ".", prune: false, dryRun: false });
    await db.close();
    return new SetupSubject(server, name, drop);
  }

  private constructor(server: string | undefined, template: string, dropTemplate: () => Promise<void>) {
    this.#server = server;
    this.#template = template;
    this.#dropTemplate = dropTemplate;
  }

  async check(input: SetupInput): Promise<void> {
    this.#own ??= await createDatabase(this.#server, this.#template);
    const { db } = this.#own;
    this.#digester ??= new Digester(db);
    const before = await this.#digester.digest();
    const changes = await this.#apply(input);
    const after = await this.#digester.digest();
    const isSame = after.text === before.text;
    const outcome = changes === undefined ? "refused" : input.dryRun ? "tried" : "without effect";
    if (changes === undefined || changes === 0 || input.dryRun)
      demand(isSame, () => `a setup that was ${outcome} changed ${changedTables(before, after)}`);
    else await this.#demandUsable(input);
    if (!isSame) await this.#restore();
  }

  /** How many changes; undefined when the file was refused. */
  async #apply({ text, prune, dryRun }: SetupInput): Promise<number | undefined> {
    const db = this.#own?.db;
    if (db === undefined) throw new Error("no database");
    try {
      const setup = { text, folder: "/nowhere", prune, dryRun };
      const { changes } = await withoutHolding(() => applySetup(db, setup));
      this.#applied += 1;
      return changes.length;
    } catch (error) {
      if (!(error instanceof SetupFaults)) throw error;
      demand(error.faults.length > 0, "refused without a fault");
      for (const fault of error.faults) demand(formatFault(fault) !== "", "a fault without words");
      this.#refused += 1;
      return undefined;
    }
  }

  async #demandUsable(input: SetupInput): Promise<void> {
    const { db, telemetry } = this.#own ?? (await createDatabase(this.#server, this.#template));
    const directory = new DirectoryService({ database: db, telemetry, maximumParts: 10 });
    await directory.start();
    await directory.stop();
    const again = await this.#apply(input);
    demand(again === 0, () => `applied a second time, ${again === undefined ? "it is refused" : "it changes more"}`);
  }

  /** What no setup can take back gathers, until the copy is made anew. */
  async #restore(): Promise<void> {
    this.#restored += 1;
    const isBack = this.#restored % restoresOfOneCopy > 0 && (await this.#apply(base).catch(() => undefined));
    if (isBack === false || isBack === undefined) await this.#renew();
  }

  async #renew(): Promise<void> {
    await this.#own?.drop();
    this.#own = undefined;
    this.#digester = undefined;
  }

  notes(): string {
    return `${this.#applied} applied, ${this.#refused} refused`;
  }

  async close(): Promise<void> {
    await this.#renew();
    await this.#dropTemplate();
  }
}

export const setupTarget: Target = defineTarget<SetupInput>({
  from: import.meta.url,
  name: "setups",
  title: "setup files: refused without a trace, or applied and usable",
  budgetMs: 20_000,
  growthMegabytes: 24,
  needsDatabase: true,
  generate: (random) => ({ text: generateText(random), prune: random.chance(0.3), dryRun: random.chance(0.1) }),
  open: (surroundings) => SetupSubject.open(surroundings),
  write: writeExpression,
});
