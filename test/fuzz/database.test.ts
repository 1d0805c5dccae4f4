// That a change of state is seen: a digest of all tables differs by any row that came, went or
// changed, and by nothing else.
import { expect, inject, it } from "vitest";
import { changedTables, createDatabase, Digester } from "../../fuzz/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { statement } from "../support/database.ts";

it("tells a changed row, and in which table; what a node notes of itself is no change", async () => {
  const { db, drop } = await createDatabase(inject("testCluster").url);
  try {
    await migrate(db);
    const digester = new Digester(db);
    const run = (text: string): Promise<unknown> => db.query(statement(text));
    await run("insert into configured_object (section, name, body) values ('operators', 'One', '{\"enabled\": true}')");
    const before = await digester.digest();
    expect(before.rows).toBeGreaterThan(0);
    expect(await digester.digest()).toEqual(before);
    await run("update configured_object set body = '{\"enabled\": false}' where name = 'One'");
    const after = await digester.digest();
    expect(changedTables(before, after)).toMatch(/^configured_object 1 \S+$/);
    await run("update configured_object set body = '{\"enabled\": true}' where name = 'One'");
    expect(await digester.digest()).toEqual(before);
    await run(
      "insert into node (id, host, pid, configuration_version, lease_until) values (gen_random_uuid(), 'h', 1, 1, now())",
    );
    expect(await digester.digest()).toEqual(before);
    await run("insert into node_figures (process_id, host, at, figures) values (gen_random_uuid(), 'h', now(), '{}')");
    expect(await digester.digest()).toEqual(before);
    await run("insert into configured_object (section, name, body) values ('tariffs', 't', '{}')");
    await run("insert into account (name, domain, tariff) values ('a', 'a.example', 't')");
    await run("insert into api_key (account_id, name, key_sha256) select id, 'k', 'x' from account");
    const withKey = await digester.digest();
    await run("update api_key set last_used_at = now()");
    expect(await digester.digest()).toEqual(withKey);
    await run("update api_key set retired = true");
    expect(changedTables(withKey, await digester.digest())).toMatch(/^api_key 1 \S+$/);
    const audit = (action: string): Promise<unknown> =>
      run(`insert into audit_entry (who, action, kind, name) values ('w', '${action}', 'user', 'n')`);
    const beforeAudit = await digester.digest();
    await audit("signIn");
    expect(await digester.digest()).toEqual(beforeAudit);
    await audit("change");
    expect(changedTables(beforeAudit, await digester.digest())).toMatch(/^audit_entry 1 \S+$/);
  } finally {
    await drop();
  }
});
