// Every statement of src/store, whatever calls it, is given to a migrated database to prepare: a
// wrong table, column or type fails here, not at a customer's. Statements that take rows are
// exported by name; plain ones stand in their functions and are found in the source.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageStatus, reasonCode } from "../../src/sms/message-status.ts";
import { templateChanges, templateColumns, templateNames } from "../../src/store/configured-accounts.ts";
import { completeUntil } from "../../src/store/event-log.ts";
import { messagesTo, ownersBetween } from "../../src/store/message-reads.ts";
import * as deliveryQuality from "../../src/store/delivery-quality.ts";
import * as sqlTexts from "../../src/store/sql-texts.ts";
import type { RowStatement } from "../../src/store/row-statement.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const folder = path.resolve(import.meta.dirname, "../../src/store");

interface FoundStatement {
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

/** The names of message-status.ts. */
const names = new Map<string, string>(
  Object.entries({ messageStatus, reasonCode }).flatMap(([table, entries]) =>
    Object.entries(entries).map(([name, code]) => [`${table}.${name}`, String(code)] as const),
  ),
);

/** Fragments that several files share. */
const shared = new Map<string, string | ((...operands: string[]) => string)>(
  Object.entries<unknown>({
    ...sqlTexts,
    ...deliveryQuality,
    ownersBetween,
    completeUntil,
    templateChanges,
    templateColumns,
    templateNames,
  }) as [string, string | ((...operands: string[]) => string)][],
);

function callShared(whole: string, name: string, first: string, second: string | undefined): string {
  const fragment = shared.get(name);
  return typeof fragment === "function" ? fragment(first, ...(second === undefined ? [] : [second])) : whole;
}

/** Of statements that name the parts that they read. */
function readPart(_: string, asked: string): string {
  const placeholders = JSON.parse(asked.replace(/(\w+):/g, '"$1":')) as Parameters<typeof messagesTo>[1];
  return messagesTo({ from: "", before: "", parts: ["message_default"] }, placeholders);
}

/** Statements that a file exports, also in lists and tables. */
async function listExported(file: string): Promise<readonly FoundStatement[]> {
  const module = (await import(path.join(folder, file))) as Readonly<Record<string, unknown>>;
  return Object.values(module)
    .flatMap(statementsIn)
    .map(({ name, text }) => ({ file, name, text }));
}

function statementsIn(value: unknown): readonly RowStatement<unknown>[] {
  if (isStatement(value)) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(statementsIn);
}

function isStatement(value: unknown): value is RowStatement<unknown> {
  return typeof value === "object" && value !== null && "name" in value && "text" in value && "with" in value;
}

/**
 * Texts that stand behind their names, or begin with the comment that names them, with the file's
 * own constants and the shared fragments put in.
 */
function findStatements(file: string): readonly FoundStatement[] {
  const source = readFileSync(path.join(folder, file), "utf8");
  const constants = new Map(
    [...source.matchAll(/^(?:export )?const (\w+)(?:: string)? =\s*(?:`([^`]*)`|"((?:[^"\\]|\\.)*)"|([\d_]+));/gm)].map(
      (match) => [match[1] ?? "", match[2] ?? match[3] ?? match[4]?.replaceAll("_", "") ?? ""],
    ),
  );
  const fill = (text: string): string =>
    text
      .replace(/\$\{(\w+\.\w+)\}/g, (whole, name: string) => names.get(name) ?? whole)
      .replace(/\$\{messagesTo\(range, (\{[^}]*\})\)\}/g, readPart)
      .replaceAll("${where.text}", "true")
      .replace(/\$\{(?:where\.)?value\([^)]*\)\}/g, "null")
      .replace(/\$\{(\w+)\("([^"]*)"(?:, "([^"]*)")?\)\}/g, callShared)
      .replace(/\$\{(\w+)\}/g, (whole, name: string) => {
        const value = constants.get(name) ?? shared.get(name);
        return typeof value === "string" ? fill(value) : whole;
      });
  const named = [
    ...source.matchAll(/(composed)?\(\s*"(\w+)",\s*`(\s*(?:select|insert|update|delete|with)\b[^`]*)`/g),
  ].flatMap(([, isComposed, name = "", text = ""]) => {
    const filled = fill(text);
    // One that is composed for each call in another way is prepared by the tests that call it.
    return isComposed !== undefined && filled.includes("${") ? [] : [{ file, name, text: filled }];
  });
  const short = [...source.matchAll(/\(\s*"(\w+)",\s*"((?:select|insert|update|delete|with) (?:[^"\\]|\\.)*)"/g)];
  const apart = [...source.matchAll(/`(\s*\/\* (\w+) \*\/[^`]*)`/g)];
  return [
    ...named,
    ...short.map(([, name = "", text = ""]) => ({ file, name, text })),
    ...apart.map(([, text = "", name = ""]) => ({ file, name, text: fill(text) })),
  ];
}

const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
const exported = (await Promise.all(files.map(listExported))).flat();
const statements = [...exported, ...files.flatMap(findStatements)];

/** Whether it assigns to message.status; `m.status = 0` only compares. */
function changesStatus(text: string): boolean {
  const assignments = [...text.matchAll(/update message\b(?: m)?\s+set([\s\S]*?)\n? +(?:from|where) /g)];
  return assignments.some(([, assigned = ""]) => /(?<![.\w])status\s*=/.test(assigned));
}

describe("the statements of store/", () => {
  let test: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    test = await createTestDatabase();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await test.drop();
  });

  it("are found, and each name stands for one text", () => {
    expect(exported.length).toBeGreaterThan(20);
    expect(statements.length).toBeGreaterThan(250);
    const twice = statements.filter(
      ({ name }, index) => statements.findIndex((other) => other.name === name) !== index,
    );
    expect(twice.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it("that take rows of three columns and more are exported, with a table of these columns", () => {
    const written = files.flatMap((file) => {
      const source = readFileSync(path.join(folder, file), "utf8");
      return (source.match(/unnest\((\$\d+::[\w ]+\[\],\s*){2,}\$\d/g) ?? []).map((place) => `${file}: ${place}`);
    });
    expect(written).toEqual([]);
    const defined = files.flatMap((file) => {
      const source = readFileSync(path.join(folder, file), "utf8");
      return [...source.matchAll(/\w*Statement\(\s*"(\w+)"/g)].map((match) => match[1]);
    });
    const names = new Set(exported.map(({ name }) => name));
    expect(defined.filter((name) => name === undefined || !names.has(name))).toEqual([]);
  });

  it("note each change of a message's status for the reports", () => {
    const changing = statements.filter(({ text }) => changesStatus(text));
    expect(changing.map(({ name }) => name)).toEqual(expect.arrayContaining(["endUnsent", "recordProgress"]));
    const forgetful = changing.filter(({ text }) => !text.includes("insert into report_change"));
    expect(forgetful.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it.each(statements.map(({ file, name, text }) => [file, name, text] as const))(
    "%s: %s",
    async (_file, name, text) => {
      expect(text, "a part that is neither a constant of the same file nor shared").not.toContain("${");
      await client.query(`prepare "${name}" as ${text}`);
    },
  );
});
