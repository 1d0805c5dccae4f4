// Messages are found by an id alone, whosever they are.
import { expect, it } from "vitest";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import { storeCall, useWorld } from "../support/factories.ts";
import { type AskedStatement, statementOf } from "../../src/store/database.ts";
import { findNamedMessages } from "../../src/store/staff-lookups.ts";

const world = useWorld({ accounts: ["a", "b", "c", "d"].map((name) => ({ name })) });

const findOf = async (id: string, accountId?: number) =>
  (await findNamedMessages(world.db, id, accountId)).map(({ account, messageId }) => [account, messageId]);

it("of any account with messages of that week, also of one that was removed", async () => {
  for (const name of ["a", "c", "c"]) await storeCall(world, { account: world.account(name) });
  const [id = ""] = await storeCall(world, { account: world.account("d") });
  const { id: removed } = world.account("d");
  expect(await findOf(id)).toEqual([["d", id]]);
  expect(await findOf(id, removed)).toEqual([["d", id]]);
  expect(await findOf(id, world.account("a").id)).toEqual([]);
  await world.rows("delete from account where name = 'd'");
  expect(await findOf(id)).toEqual([[`account ${removed}`, id]]);
});

it.each(["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", uuidv7()])(
  "not by an id that none has: %s",
  async (id) => {
    expect(await findOf(id)).toEqual([]);
  },
);

it("by skipping in the key of that week alone", async () => {
  // Rows of other weeks and accounts' many rows are not read.
  const asked = { text: "", values: [] as unknown[] };
  const recorder = {
    query: async <Row>(...given: AskedStatement): Promise<Row[]> => {
      Object.assign(asked, statementOf(given));
      return [];
    },
  };
  await findNamedMessages(recorder, uuidv7(), undefined);
  const plan = await world.db.transaction(async (tx) => {
    await tx.query(statement("set local enable_seqscan = off"));
    return tx.query<{ "QUERY PLAN": string }>(statement(`explain ${asked.text}`, asked.values));
  });
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text).not.toMatch(/Seq Scan on message/);
  expect(new Set(text.match(/on message_\w+/g)?.filter((each) => !each.includes("_default"))).size).toBe(1);
});
