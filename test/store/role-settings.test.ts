import { expect, it } from "vitest";
import { Database } from "../../src/store/database.ts";
import { checkRoleSettings } from "../../src/store/transaction-settings.ts";
import { found } from "../support/factories.ts";
import { createTestDatabase, statement } from "../support/database.ts";

it("says which settings a role lacks for sessions that nobody sets up, and is content when it has them", async () => {
  const { db, url } = await createTestDatabase();
  const pooled = Database.open({ url, directUrl: url });
  const rows = await db.query<{ role: string; database: string }>(
    statement("select current_user as role, current_database() as database"),
  );
  const { role, database } = found(rows[0]);
  const set = (setting: string): Promise<unknown> =>
    db.query(statement(`alter role ${role} in database ${database} set ${setting}`));
  await set("synchronous_commit = 'off'");
  const failure = await checkRoleSettings(pooled).catch((error: unknown) => String(error));
  for (const name of ["synchronous_commit = 'on'", "statement_timeout = '15s'", "idle_in_transaction_session_timeout"])
    expect(failure).toContain(`alter role "${role}" set ${name}`);
  for (const setting of ["synchronous_commit = 'on'", "statement_timeout = '9s'"]) await set(setting);
  await set("idle_in_transaction_session_timeout = '30s'");
  await checkRoleSettings(pooled);
  const [timeout] = await pooled.query<{ statement_timeout: string }>(statement("show statement_timeout"));
  expect(timeout).toEqual({ statement_timeout: "9s" });
  await pooled.close();
});
