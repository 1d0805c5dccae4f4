import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeEvents } from "../../src/store/event-log.ts";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome, temporaryFolder } from "./run-hodhod.ts";

const database = useTestDatabase();
let folder: ReturnType<typeof temporaryFolder>;
const query = (text: string, ...values: unknown[]) => database.rows(text, values);
const endpointId = "01a1fa75-6310-77a7-aff0-f75f8b020554";

beforeAll(async () => {
  folder = temporaryFolder();
  await query("insert into account (name, domain, tariff) values ('demo', 'd', 't'), ('other', 'o', 't')");
});
beforeEach(async () => {
  await query("truncate webhook_endpoint, wanted_events, audit_entry cascade");
  await query(
    `insert into webhook_endpoint (id, account_id, name, url, events, secret)
     select $1, id, 'shop', 'https://shop.example/', '{*}', 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' from account where name = 'demo'`,
    endpointId,
  );
});
afterAll(async () => {
  folder.remove();
});

const run = (...args: readonly string[]): Promise<Outcome> =>
  hodhod(["webhooks", ...args], { env: { DATABASE_URL: database.url }, folder: folder.path });

describe("hodhod webhooks", () => {
  it("lists the endpoints of all accounts, or of one, without secrets", async () => {
    const { stdout, code } = await run("list");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^account +name +state +url +events +last success +last failure\ndemo +shop +enabled +https:\/\/shop\.example\/ +\* +- +-\n$/,
      ),
    ]);
    expect((await run("list", "other")).stdout).toBe("There are no endpoints.\n");
    const json = await run("list", "demo", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject([{ account: "demo", name: "shop", endpointId, enabled: true }]);
    expect(stdout + json.stdout).not.toContain("whsec_");
    expect((await run("list", "dem")).stderr).toContain("there is no account dem");
  });

  it("disables and enables, and audits it", async () => {
    expect((await run("disable", "demo", "shop")).stdout).toBe("shop is disabled.\n");
    expect((await run("disable", "demo", "shop")).stdout).toBe("shop is disabled already.\n");
    await query("update webhook_endpoint set disabled_reason = 'gone'");
    expect((await run("list")).stdout).toContain("disabled (gone)");
    expect((await run("enable", "demo", "shop")).stdout).toBe("shop is enabled.\n");
    expect(await query("select enabled, disabled_reason as reason from webhook_endpoint")).toEqual([
      { enabled: true, reason: null },
    ]);
    expect(await query("select account, name, after from audit_entry order by id")).toEqual([
      { account: "demo", name: "shop", after: { enabled: false } },
      { account: "demo", name: "shop", after: { enabled: true } },
    ]);
  });

  it("shows the secret, and replaces it with --new", async () => {
    expect((await run("secret", "demo", "shop")).stdout).toBe("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3\n");
    const { stdout } = await run("secret", "demo", "shop", "--new");
    expect(await query("select secret, old_secret as old from webhook_endpoint")).toEqual([
      { secret: stdout.trim(), old: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3" },
    ]);
  });

  it("replays a time, given in Unix seconds or as ISO 8601", async () => {
    await query(
      "insert into wanted_events (account_id, by_endpoints) select id, 4094 from account where name = 'demo'",
    );
    const [{ accountId } = { accountId: 0 }] = await database.rows<{ accountId: number }>(
      `select id as "accountId" from account where name = 'demo'`,
    );
    await writeEvents(database.db, [{ accountId, type: "credit.low", detail: {} }]);
    const now = Math.floor(Date.now() / 1000);
    const replay = (from: string, to: string) => run("replay", "demo", "shop", "--from", from, "--to", to);
    expect((await replay(String(now - 90), String(now - 60))).stdout).toBe("Events to be sent to shop again: 0.\n");
    const to = new Date((now + 60) * 1000).toISOString();
    expect((await replay(String(now - 90), to)).stdout).toBe("Events to be sent to shop again: 1.\n");
    expect(await replay(to, to)).toMatchObject({ code: 2 });
    expect(await replay("yesterday", to)).toMatchObject({ code: 2 });
  });

  it("says what there is where a name is unknown", async () => {
    expect(await run("enable", "demo", "shpo")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no endpoint shpo") as string,
    });
  });
});
