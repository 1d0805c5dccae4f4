import { expect, it } from "vitest";
import { uuidFloor, uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import { storeCall, useWorld } from "../support/factories.ts";
import { type AskedStatement, statementOf } from "../../src/store/database.ts";
import { findMessageOwners } from "../../src/store/message-reads.ts";

const world = useWorld({ accounts: ["a", "b", "c", "d"].map((name) => ({ name })) });

it("are the accounts with messages of that week, also one that was removed, each once", async () => {
  const { db } = world;
  for (const name of ["a", "c", "c", "d"]) await storeCall(world, { account: world.account(name) });
  const ids = ["a", "c", "d"].map((name) => world.account(name).id);
  await world.rows("delete from account where name = 'd'");
  expect(await findMessageOwners(db, uuidv7())).toEqual(ids);
  expect(await findMessageOwners(db, uuidFloor(Date.now() + 14 * 24 * 3600 * 1000))).toEqual([]);
});

it.each(["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"])(
  "are none of an id of no week at all: %s",
  async (id) => {
    expect(await findMessageOwners(world.db, id)).toEqual([]);
  },
);

it("are found by skipping in the key of that week alone", async () => {
  // Rows of other weeks and accounts' many rows are not read.
  const owners = { text: "", values: [] as unknown[] };
  const recorder = {
    query: async <Row>(...asked: AskedStatement): Promise<Row[]> => {
      Object.assign(owners, statementOf(asked));
      return [];
    },
  };
  await findMessageOwners(recorder, uuidv7());
  const plan = await world.db.transaction(async (tx) => {
    await tx.query(statement("set local enable_seqscan = off"));
    return tx.query<{ "QUERY PLAN": string }>(statement(`explain ${owners.text}`, owners.values));
  });
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text).not.toMatch(/Sort|Seq Scan on message/);
  expect(new Set(text.match(/on message_\w+/g)?.filter((each) => !each.includes("_default"))).size).toBe(1);
});
