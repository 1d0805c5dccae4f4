import { expect, it } from "vitest";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { type AskedStatement, type Queryable, statementOf } from "../../src/store/database.ts";
import { addOptOuts, type OptOutHow, putOwnOptOut, removeOptOut } from "../../src/store/opt-outs.ts";
import { useWorld } from "../support/factories.ts";

const line = "10001234";
const number = "989121112233" as Msisdn;

const world = useWorld({ lines: { [line]: "advertising" } });

/** Somebody else does something once, right after that statement. */
function meanwhile(name: string, work: () => Promise<unknown>): Queryable {
  let isDone = false;
  return {
    query: async <Row>(...asked: AskedStatement) => {
      const rows = await world.db.query<Row>(...asked);
      if (statementOf(asked).name === name && !isDone) {
        isDone = true;
        await work();
      }
      return rows;
    },
  };
}

it.each<{ readonly entry: string; readonly was: OptOutHow }>([
  { entry: "one of its own", was: "api" },
  { entry: "one for all", was: "message" },
])("an account puts an entry while $entry is taken back: it is there afterwards", async ({ was }) => {
  const own = { accountId: world.account().id, line, number };
  if (was === "api") await putOwnOptOut(world.db, own);
  else await addOptOuts(world.db, { line, numbers: [number], how: "message" });
  const tx = meanwhile("addOptOuts", () => removeOptOut(world.db, { line, number }));
  expect(await putOwnOptOut(tx, own)).toMatchObject({ line, number, how: "api", isNew: true });
  expect(await removeOptOut(world.db, { line, number })).toMatchObject([{ how: "api", accountId: own.accountId }]);
});
