// Endpoints of webhooks in a setup file, and what only time ends. The calls of customers are tested
// in test/http/webhooks.
import { beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type AppliedSetup, loadSetup } from "../../src/setup/change-setup.ts";
import { renewSecret, replayEvents } from "../../src/setup/change-endpoints.ts";
import { exportSetup } from "../../src/setup/describe-object.ts";
import { formatFault, SetupFaults } from "../../src/setup/fault.ts";
import { maskOf } from "../../src/sms/event-types.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { findConfigurationMark, lockConfiguration } from "../../src/store/configuration-version.ts";
import { forgetFormerWants, noteWantsOf } from "../../src/store/wanted-events.ts";
import { type EndpointRow, insertEndpoint, listEndpoints } from "../../src/store/webhook-endpoints.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/factories.ts";
import { applyDocument } from "../support/apply-document.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

const shop = { name: "shop", url: "https://shop.example/hook", events: ["message.*"] };
const till = { name: "till", url: "http://10.0.0.1/", events: ["credit.low"], batchSize: 7, enabled: false };
const secretOf = (octet: number) => `whsec_${Buffer.alloc(32, octet).toString("base64")}`;

function apply(webhooks: unknown, options: { prune?: boolean; dryRun?: boolean } = {}): Promise<AppliedSetup> {
  const tariffs = [{ name: "standard", prices: [{ price: 1 }] }];
  const accounts = [{ name: "demo", tariff: "standard", ...(webhooks !== undefined && { webhooks }) }];
  const text = stringify({ tariffs, accounts });
  return applyDocument(database.db, text, { ...options });
}

const faultsOf = (webhooks: unknown): Promise<readonly string[]> =>
  apply(webhooks).then(
    () => [],
    (error: unknown) => (error instanceof SetupFaults ? error.faults.map(formatFault) : Promise.reject(error as Error)),
  );

const query = (text: string, ...values: unknown[]) => database.rows(text, values);
const stored = (): Promise<readonly EndpointRow[]> => listEndpoints(database.db, { accounts: ["demo"] });
const version = async () => (await findConfigurationMark(database.db)).version;
const masks = () => query("select by_endpoints as mask from wanted_events");

describe("webhooks in a setup file", () => {
  it("tells an unknown type of event once, not as a list of a wrong length, too", async () => {
    const faults = async (events: readonly unknown[]) =>
      (await faultsOf([{ ...shop, events }])).map((fault) => fault.replace(/^.*webhooks\[0\]\./, ""));
    const unknown = ["events[0]: must be a type such as message.delivered, a beginning such as message.*, or *"];
    expect(await faults(["message"])).toEqual(unknown);
    expect(await faults([])).toEqual(["events: must not be empty"]);
    expect(await faults(Array.from({ length: 51 }, () => "*"))).toEqual(["events: must have at most 50 entries"]);
    expect(await faults([{ toString: 1 }])).toEqual(["events[0]: must be a text"]);
  });

  it("are the whole list: made with a secret, changed by their names, and deleted", async () => {
    await apply([{ ...shop, secret: secretOf(1) }, till]);
    const before = await stored();
    expect(before).toMatchObject([
      { ...shop, batchSize: 1, enabled: true, secret: secretOf(1) },
      { ...till, secret: expect.stringMatching(/^whsec_.{44}$/) as string },
    ]);
    expect(await masks()).toEqual([{ mask: maskOf(["message.*", "credit.low"]) }]);
    // Absent: all stay.
    expect((await apply(undefined)).changes).toEqual([]);
    // Without keys: they stay as they are.
    expect((await apply([{ name: "till" }, { name: "shop" }])).changes).toEqual([]);

    await query("insert into webhook_retry select id, id, '{}', now(), 1, now() from webhook_endpoint");
    const { changes } = await apply([{ ...shop, batchSize: 9, secret: secretOf(2) }]);
    expect(changes).toMatchObject([
      {
        action: "change",
        details: ["webhooks.shop.batchSize: 1 → 9", "webhooks.shop.secret: changed", "webhooks.till: removed"],
      },
    ]);
    expect(await stored()).toMatchObject([
      { id: before[0]?.id, batchSize: 9, secret: secretOf(2), oldSecret: secretOf(1) },
    ]);
    expect(await query("select from webhook_retry")).toHaveLength(1);
    expect(await masks()).toEqual([{ mask: maskOf(["message.*"]) }]);
    await apply([{ ...shop, enabled: false }]);
    await apply([{ ...shop, enabled: true }]);
    expect(await stored()).toMatchObject([{ id: before[0]?.id, enabled: true }]);
    expect(await query("select from webhook_retry")).toEqual([]);
    await apply([]);
    expect([await stored(), await masks()]).toEqual([[], [{ mask: 0 }]]);
  });

  it("show in a dry run and in the audit what changes, and no secret", async () => {
    const text = async (applied: Promise<AppliedSetup>) => JSON.stringify((await applied).changes);
    expect(await text(apply([{ ...shop, secret: secretOf(1) }], { dryRun: true }))).toContain("webhooks.shop: new");
    expect(await stored()).toEqual([]);
    await apply([{ ...shop, secret: secretOf(1) }]);
    expect(await text(apply([{ ...shop, secret: secretOf(2) }]))).toContain("webhooks.shop.secret: changed");
    const [created, changed] = await query("select before, after from audit_entry where kind = 'account' order by id");
    expect(created).toMatchObject({ after: { webhooks: { shop: { url: shop.url, batchSize: 1, enabled: true } } } });
    expect(changed).toEqual({
      before: { webhooks: { shop: {} } },
      after: { webhooks: { shop: { secret: "changed" } } },
    });
    expect(JSON.stringify([created, changed])).not.toContain("whsec_");
  });

  it("are exported without secrets, and the export changes nothing", async () => {
    const exported = async () => exportSetup((await database.db.transaction((tx) => loadSetup(tx, {}))).state);
    await apply(undefined);
    expect(await exported()).not.toContain("webhooks:");
    await apply([shop, till]);
    const text = await exported();
    expect(text).toContain("https://shop.example/hook");
    expect(text).not.toContain("whsec_");
    const { changes } = await applyDocument(database.db, text, { prune: true });
    expect(changes).toEqual([]);
  });

  it("keep what a customer renewed, unless another secret is given", async () => {
    await apply([{ ...shop, secret: secretOf(1) }]);
    const [{ id, accountId } = { id: "", accountId: 0 }] = await stored();
    await renewSecret(database.db, { accountId, account: "demo", by: { who: "api:demo" }, id }, secretOf(2));
    await apply([{ ...shop, events: ["*"] }]);
    expect(await stored()).toMatchObject([{ secret: secretOf(2), oldSecret: secretOf(1), events: ["*"] }]);
  });

  it.each([
    ["[0].url", [{ ...shop, url: undefined }]],
    ["[0].events", [{ ...shop, events: undefined }]],
    ["[0].url", [{ ...shop, url: "https://a@shop.example/" }]],
    ["[0].batchSize", [{ ...shop, batchSize: 0 }]],
    ["[0].enabled", [{ ...shop, enabled: "yes" }]],
    ["[0].secret", [{ ...shop, secret: "secret" }]],
    ["[0].name", [{ ...shop, name: "" }]],
    ["[0].urls", [{ ...shop, urls: [] }]],
    ["[1].name", [shop, shop]],
    ["", Array.from({ length: 21 }, (_, index) => ({ ...shop, name: `shop ${index}` }))],
  ])("have faults at their keys: %s", async (place, webhooks) => {
    const faults = await faultsOf(webhooks);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`accounts[0].webhooks${place}`);
    expect(await query("select from account")).toEqual([]);
  });
});

describe("what a disabled endpoint named", () => {
  it("stays wanted for 30 days", async () => {
    await apply([shop, { ...till, enabled: false }]);
    await query("update webhook_endpoint set disabled_at = now() - interval '29 days' where not enabled");
    const versions = [await version()];
    await forgetFormerWants(database.db);
    expect(await masks()).toEqual([{ mask: maskOf(["message.*", "credit.low"]) }]);
    versions.push(await version());
    await query("update webhook_endpoint set disabled_at = now() - interval '31 days' where not enabled");
    await forgetFormerWants(database.db);
    expect(await masks()).toEqual([{ mask: maskOf(["message.*"]) }]);
    versions.push(await version());
    await forgetFormerWants(database.db);
    versions.push(await version());
    const [first = 0n] = versions;
    expect(versions).toEqual([first, first, first + 1n, first + 1n]);
  });

  it("is forgotten without what an endpoint wants that is made meanwhile", async () => {
    await apply([till]);
    await query("update webhook_endpoint set disabled_at = now() - interval '31 days'");
    const [{ accountId } = { accountId: 0 }] = await stored();
    const waiters = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    let forgetting: Promise<void> | undefined;
    await database.db.transaction(async (tx) => {
      await lockConfiguration(tx);
      await insertEndpoint(tx, { id: uuidv7(), accountId, batchSize: 1, ...shop, enabled: true, secret: "" });
      await noteWantsOf(tx, [accountId]);
      forgetting = forgetFormerWants(database.db);
      await eventually(async () => (await query(waiters)).length > 0);
    });
    await forgetting;
    expect(await masks()).toEqual([{ mask: maskOf(["message.*"]) }]);
  });
});

describe("a replay of a time", () => {
  it("is refused above its limit", async () => {
    await apply([{ ...shop, events: ["*"] }]);
    const [endpoint] = await stored();
    if (endpoint === undefined) throw new Error("there is no endpoint");
    const { accountId } = endpoint;
    const event = { accountId, type: "credit.low", detail: {} } as const;
    await writeEvents(database.db, [event, event, event]);
    const wanted = { from: new Date(0), to: new Date(Date.now() + 60_000) };
    const replay = (most: number) => replayEvents(database, { endpoint, wanted, eventDays: 30, most });
    const details = { validationErrors: [{ field: "to", messageKey: "replay.tooMany" }] };
    await expect(replay(2)).rejects.toMatchObject({ details });
    expect(await replay(3)).toBe(3);
  });
});
