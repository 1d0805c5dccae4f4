// Every statement of src/store, whatever calls it, is given to a migrated database to prepare: a
// wrong table, column or type fails here, not at a customer's.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as idTime from "../../src/store/id-time.ts";
import * as notTakenColumn from "../../src/store/not-taken-column.ts";
import * as notedChanges from "../../src/store/noted-changes.ts";
import * as partBits from "../../src/store/part-bits.ts";
import * as queuePriority from "../../src/store/queue-priority.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const folder = path.resolve(import.meta.dirname, "../../src/store");

interface FoundStatement {
  readonly name: string;
  readonly text: string;
}

/** Fragments that several files share. */
const shared = new Map<string, string | ((...operands: string[]) => string)>(
  Object.entries({ ...partBits, ...idTime, ...notedChanges, ...queuePriority, notTakenOr: notTakenColumn.notTakenOr }),
);

function callShared(whole: string, name: string, first: string, second: string | undefined): string {
  const fragment = shared.get(name);
  return typeof fragment === "function" ? fragment(first, ...(second === undefined ? [] : [second])) : whole;
}

/**
 * Templates that begin with the comment that names them, with the file's own constants and the
 * shared fragments put in.
 */
function findStatements(file: string): readonly FoundStatement[] {
  const source = readFileSync(path.join(folder, file), "utf8");
  const constants = new Map(
    [...source.matchAll(/^(?:export )?const (\w+)(?:: string)? =\s*(?:`([^`]*)`|"((?:[^"\\]|\\.)*)"|(\d+));/gm)].map(
      (match) => [match[1] ?? "", match[2] ?? match[3] ?? match[4] ?? ""],
    ),
  );
  const fill = (text: string): string =>
    text
      .replace(/\$\{(\w+)\("([^"]*)"(?:, "([^"]*)")?\)\}/g, callShared)
      .replace(/\$\{(\w+)\}/g, (whole, name: string) => {
        const value = constants.get(name) ?? shared.get(name);
        return typeof value === "string" ? fill(value) : whole;
      });
  return [...source.matchAll(/`(\s*\/\* (\w+) \*\/[^`]*)`/g)].map((match) => ({
    name: match[2] ?? "",
    text: fill(match[1] ?? ""),
  }));
}

const statements = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .flatMap((file) => findStatements(file).map((statement) => ({ file, ...statement })));

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
    expect(statements.length).toBeGreaterThan(30);
    const twice = statements.filter(
      ({ name }, index) => statements.findIndex((other) => other.name === name) !== index,
    );
    expect(twice.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
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
