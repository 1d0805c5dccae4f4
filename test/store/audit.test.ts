import { beforeEach, describe, expect, it } from "vitest";
import { insertAuditEntries, listAuditEntries } from "../../src/store/audit.ts";
import { useTestDatabase } from "../support/database.ts";
import { dropOldRows } from "../../src/store/old-rows.ts";

const test = useTestDatabase();
beforeEach(() => test.rows("delete from audit_entry"));

const add = (name: string, kind = "line") =>
  insertAuditEntries(test.db, { who: "staff:ali" }, [{ action: "change", kind, name }]);

describe("the audit", () => {
  it("is searched by a bounded number of rows a call, and goes on from there", async () => {
    await add("wanted", "rare");
    await test.rows(
      "insert into audit_entry (who, action, kind, name) select 'staff:ali', 'change', 'line', n::text from generate_series(1, 20000) n",
    );
    const first = await listAuditEntries(test.db, { limit: 5, kind: "rare" });
    expect(first.entries).toEqual([]);
    expect(first.next).toBeDefined();
    const second = await listAuditEntries(test.db, { limit: 5, kind: "rare", before: first.next });
    expect([second.entries.map(({ name }) => name), second.next]).toEqual([["wanted"], undefined]);
  });

  it("drops what is older than the retention", async () => {
    await add("old");
    await test.rows("update audit_entry set at = now() - interval '31 days'");
    await add("new");
    expect(await dropOldRows(test.db, "auditEntries", 30 * 86_400)).toBe(1);
    expect((await listAuditEntries(test.db, { limit: 5 })).entries.map(({ name }) => name)).toEqual(["new"]);
  });
});
