// Imports of ported numbers into a real database, as nodes and staff see them afterwards.
import { beforeEach, describe, expect, it } from "vitest";
import { loadDirectory, type LoadedDirectory } from "../../src/directory/load-directory.ts";
import { loadSetup } from "../../src/setup/change-setup.ts";
import { exportSetup } from "../../src/setup/describe-object.ts";
import {
  type ImportedNumbers,
  importPortedNumbers,
  listOperators,
  readPortedNumbers,
} from "../../src/setup/import-numbers.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { type Database, type Queryable, statementOf, type Transactional } from "../../src/store/database.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";
import { findPortedNumber } from "../../src/store/number-lists.ts";

let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  await seedOperators(db);
  return () => database.drop();
});

interface Given {
  readonly isChanges?: boolean;
  readonly into?: Transactional;
}

async function importText(text: string, { isChanges = false, into = db }: Given = {}): Promise<ImportedNumbers> {
  const operators = await listOperators(db);
  const chunks = (async function* () {
    yield Promise.resolve(Buffer.from(text));
  })();
  const names = operators.map(({ name }) => name);
  const { numbers, bad } = await readPortedNumbers({ chunks }, { operators: names, isChanges });
  expect(bad.count).toBe(0);
  return importPortedNumbers(into, { numbers, operators, isChanges, by: { who: "command:test" } });
}

const load = (before?: LoadedDirectory): Promise<LoadedDirectory> => loadDirectory(db, { maximumParts: 10 }, before);

function operatorsOf({ directory }: LoadedDirectory, ...numbers: readonly string[]): readonly (string | undefined)[] {
  return numbers.map((number) => directory.plan.ported.get(number as Msisdn));
}

/** Told of each statement. */
function listening(on: Transactional, told: (name: string, rows: number) => void): Transactional {
  const wrap = (tx: Queryable): Queryable => ({
    query: async (...asked) => {
      const rows = await tx.query<never>(...asked);
      told(statementOf(asked).name, rows.length);
      return rows;
    },
  });
  return { ...wrap(on), transaction: (work) => on.transaction((tx) => work(wrap(tx))) };
}

const one = "989121112201";
const two = "989121112202";
const three = "989351112203";

describe("an import", () => {
  it("replaces all that was imported before, and a node follows from one to the other", async () => {
    const first = await importText(`${one},Irancell\n${two},Irancell\n${three},MCI`);
    expect([first.before, first.after]).toEqual([0, 3]);
    const before = await load();
    expect(operatorsOf(before, one, two, three)).toEqual(["Irancell", "Irancell", "MCI"]);
    const second = await importText(`${two},RighTel\n${three},MCI`);
    expect([second.before, second.after]).toEqual([3, 2]);
    const after = await load(before);
    expect(operatorsOf(after, one, two, three)).toEqual([undefined, "RighTel", "MCI"]);
    expect(after.directory.portedNumbers).toEqual({ given: 0, imported: 2 });
  });

  it("of changes puts numbers in, moves them, takes them out, and leaves all others", async () => {
    await importText(`${one},Irancell\n${two},Irancell\n${three},MCI`);
    const before = await load();
    const changed = await importText(`${one},MCI\n${two},\n989991112204,Irancell\n${three}\n${three},RighTel`, {
      isChanges: true,
    });
    expect([changed.before, changed.after]).toEqual([3, 3]);
    const after = await load(before);
    expect(operatorsOf(after, one, two, three, "989991112204")).toEqual(["MCI", undefined, "RighTel", "Irancell"]);
  });

  it("is read block by block: of a change a node reads the blocks that it touched", async () => {
    const many = Array.from({ length: 300 }, (_, index) => `${989_120_000_000 + index * 65_536},Irancell`);
    await importText(many.join("\n"));
    const before = await load();
    await importText("989120000001,MCI", { isChanges: true });
    let blocks = 0;
    const listened = listening(db, (name, rows) => {
      expect(name).not.toBe("page_ported_block");
      if (name === "in_ported_block") blocks += rows;
    });
    const after = await loadDirectory(listened, { maximumParts: 10 }, before);
    expect(blocks).toBe(2);
    expect(after.directory.portedNumbers.imported).toBe(301);
    expect(after.accounts).toBe(before.accounts);
  });

  it("that changes nothing raises no version and writes no audit", async () => {
    await importText(`${one},Irancell`);
    const versions = () => db.query(statement("select version from configuration"));
    const before = await versions();
    const audited = () => db.query(statement("select after from audit_entry where kind = 'portedNumber'"));
    expect(await audited()).toEqual([{ after: { imported: 1 } }]);
    expect((await importText(`${one},Irancell`)).version).toBeUndefined();
    expect((await importText(two, { isChanges: true })).version).toBeUndefined();
    expect(await versions()).toEqual(before);
    expect(await audited()).toHaveLength(1);
  });

  it("that is cut off before its end changes nothing and leaves nothing behind", async () => {
    await importText(`${one},Irancell`);
    const node = await load();
    const rows = () => db.query(statement("select * from ported_block"));
    const before = await rows();
    let saves = 0;
    const cut = listening(db, (name) => {
      if (name === "save_ported_block" && (saves += 1) === 2) throw new Error("cut off");
    });
    const many = Array.from({ length: 2000 }, (_, index) => `${989_000_000_000 + index * 65_536},MCI`).join("\n");
    await expect(importText(many, { into: cut })).rejects.toThrow("cut off");
    expect(await rows()).toEqual(before);
    expect(operatorsOf(await load(), one, "989000000000")).toEqual(["Irancell", undefined]);
    expect((await importText(many)).after).toBe(2000);
    // So many blocks that a node reads all.
    const followed = await load(node);
    expect(followed.directory.portedNumbers.imported).toBe(2000);
    expect(operatorsOf(followed, one, "989000000000", "989065536000")).toEqual([undefined, "MCI", "MCI"]);
  });

  it("beside another waits for it: the last one counts as a whole", async () => {
    const texts = [`${one},MCI\n${two},MCI`, `${two},RighTel\n${three},RighTel`];
    await Promise.all(texts.map((text) => importText(text)));
    const found = operatorsOf(await load(), one, two, three);
    expect([
      ["MCI", "MCI", undefined],
      [undefined, "RighTel", "RighTel"],
    ]).toContainEqual(found);
  });

  it("for an operator that is gone meanwhile changes nothing", async () => {
    const without: Transactional = {
      query: (...asked) => db.query(...asked),
      transaction: async (work) => {
        await db.query(statement("delete from configured_object where name = 'RighTel'"));
        return db.transaction(work);
      },
    };
    await expect(importText(`${one},RighTel\n${two},MCI`, { into: without })).rejects.toThrow("were changed meanwhile");
    expect((await load()).directory.portedNumbers.imported).toBe(0);
  });
});

describe("imported numbers", () => {
  const apply = (setup: object, prune = false) => applyDocument(db, setup, { prune });

  it("give way to those of a setup file, and come back when these go", async () => {
    await importText(`${one},Irancell\n${two},Irancell`);
    await apply({ portedNumbers: [{ number: one, operator: "RighTel" }] });
    const loaded = await load();
    expect(operatorsOf(loaded, one, two)).toEqual(["RighTel", "Irancell"]);
    expect(await findPortedNumber(db, one as Msisdn)).toEqual({ number: one, operator: "RighTel", isImported: false });
    await importText(`${one},MCI`);
    expect(operatorsOf(await load(loaded), one, two)).toEqual(["RighTel", undefined]);
    await apply({ operators: [{ name: "MCI" }] }, true);
    expect(operatorsOf(await load(), one)).toEqual(["MCI"]);
    expect(await findPortedNumber(db, one as Msisdn)).toEqual({ number: one, operator: "MCI", isImported: true });
    expect(await findPortedNumber(db, two as Msisdn)).toBeUndefined();
  });

  it("stay with their operators through --prune, and are in no setup file", async () => {
    await importText(`${one},Irancell\n${two},RighTel`);
    const { changes } = await apply({ operators: [{ name: "MCI", prefixes: ["912"] }] }, true);
    const removed = changes.filter(({ action }) => action === "remove").map(({ name }) => name);
    expect(removed).toContain("Taliya");
    expect(removed).not.toContain("Irancell");
    expect(removed).not.toContain("RighTel");
    expect(operatorsOf(await load(), one, two)).toEqual(["Irancell", "RighTel"]);
    const { state } = await db.transaction((tx) => loadSetup(tx, {}));
    expect(exportSetup(state)).not.toContain(one);
  });
});
