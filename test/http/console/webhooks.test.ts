import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyEvent } from "../../../src/sms/event-types.ts";
import { logBeginning, readLogOf, writeEvents } from "../../../src/store/event-log.ts";
import { callConsole, demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { eventually } from "../../support/factories.ts";
import { useTestApi, refusal } from "../../support/test-api.ts";
import { receiverSecret, startReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

const api = useTestApi({ HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" });
const { get, patch, post, remove } = consoleCalls(api);
let receiver: WebhookReceiver;
let sales: string;
let viewer: string;
let owner: string;

beforeAll(async () => {
  receiver = await startReceiver();
  sales = await signInStaff(api, "sales");
  viewer = await signInStaff(api, "viewer");
  owner = await signInAs(api, demoOwner);
});
afterAll(async () => {
  await receiver.close();
});

type Method = Parameters<typeof callConsole>[1];

const call = (cookie: string, method: Method, path = "", payload?: object) =>
  callConsole(api, method, `/accounts/demo/webhooks${path}`, { cookie, ...(payload && { payload }) });

/** Of the webhook as it stands. */
async function tagOf(id: string): Promise<string> {
  const { status, headers } = await call(owner, "GET", `/${id}`);
  expect(status).toBe(200);
  return String(headers["etag"]);
}

/** As a form does it that was opened just now. */
async function alter(cookie: string, method: Method, id: string, payload?: object, below = "") {
  const headers = { "if-match": await tagOf(id) };
  const path = `/accounts/demo/webhooks/${id}${below}`;
  return callConsole(api, method, path, { cookie, headers, ...(payload && { payload }) });
}

let count = 0;

async function create(cookie: string, given: object = {}) {
  const payload = { name: `shop ${(count += 1)}`, url: receiver.url, events: ["message.*"], ...given };
  const { status, body } = await call(cookie, "POST", "", payload);
  expect(status).toBe(200);
  return body as { id: string; name: string; secret: string };
}

async function listed(cookie: string, id: string): Promise<unknown> {
  const { body } = await call(cookie, "GET");
  return (body["items"] as { id: string }[]).find((each) => each.id === id);
}

describe("webhooks in the console", () => {
  it("are made with a secret that is shown once, changed and deleted, with their entries of the audit", async () => {
    const { id, name, secret } = await create(owner);
    expect(secret).toMatch(/^whsec_/);
    for (const cookie of [owner, viewer]) {
      const { text } = await call(cookie, "GET");
      expect(text).not.toContain("whsec_");
      expect(await listed(cookie, id)).toEqual({
        id,
        name,
        host: new URL(receiver.url).host,
        events: ["message.*"],
        batchSize: 1,
        enabled: true,
        ...(cookie === owner && { url: receiver.url }),
        createdAt: expect.any(String) as unknown,
      });
    }
    const { body } = await alter(owner, "PATCH", id, { enabled: false, batchSize: 10 });
    expect(body).toMatchObject({ id, name, enabled: false, batchSize: 10 });
    const renewed = await alter(owner, "POST", id, undefined, "/secret");
    expect(renewed.body["secret"]).toMatch(/^whsec_/);
    expect(renewed.body["secret"]).not.toBe(secret);
    const late = { cookie: owner, headers: { "if-match": await tagOf(id) } };
    expect((await alter(owner, "DELETE", id)).status).toBe(200);
    const path = `/accounts/demo/webhooks/${id}`;
    expect((await callConsole(api, "DELETE", path, late)).status).toBe(404);
    expect((await callConsole(api, "PATCH", path, { ...late, payload: { enabled: true } })).status).toBe(404);
    const audit = await get("/audit?kind=webhookEndpoint", await signInStaff(api, "operator"));
    expect(audit.text).not.toContain("whsec_");
    const of = { who: "user:demo/demo", kind: "webhookEndpoint", name, account: "demo" };
    expect(audit.body["items"]).toMatchObject([
      { ...of, action: "remove" },
      { ...of, action: "change", after: { secret: "changed" } },
      { ...of, action: "change", after: { enabled: false } },
      { ...of, action: "create" },
    ]);
  });

  it("are staff's to make and change where they keep accounts, and others' to see", async () => {
    const { id, name } = await create(sales);
    expect(await listed(owner, id)).toMatchObject({ name });
    expect((await alter(viewer, "PATCH", id, { enabled: false })).status).toBe(403);
    expect((await alter(sales, "PATCH", id, { enabled: false })).body).toMatchObject({ enabled: false });
    const elsewhere = `/accounts/foreign/webhooks/${id}`;
    const headers = { "if-match": await tagOf(id) };
    expect((await remove(elsewhere, sales, undefined, headers)).status).toBe(404);
    expect((await get("/accounts/nobody/webhooks", sales)).status).toBe(404);
    expect((await alter(sales, "DELETE", id)).status).toBe(200);
  });

  it("show the whole URL to those who keep them or read the audit, and to others the host alone", async () => {
    const secret = "token-in-the-path";
    const url = `${receiver.url}${secret}?key=token-in-the-query`;
    const { id } = await create(owner, { url });
    const user = async (role: string) => {
      const cookie = await signInAs(api, demoOwner);
      // The newest session goes on as that of a user of this role.
      await api.rows(
        `with made as (
             insert into person (account_id, username, password_hash, role)
             select account_id, $1, password_hash, $1 from person where username = 'demo' returning id)
           update console_session set person_id = (select id from made), password_version = 1
            where created_at = (select max(created_at) from console_session)`,
        [role],
      );
      return cookie;
    };
    const administrator = await signInStaff(api, "administrator", "admin-of-urls");
    const operator = await signInStaff(api, "operator", "operator-of-urls");
    const host = new URL(receiver.url).host;
    for (const cookie of [owner, sales, administrator, operator])
      expect(await listed(cookie, id)).toMatchObject({ host, url });
    for (const cookie of [viewer, await user("sender"), await user("reader")]) {
      expect(await listed(cookie, id)).toMatchObject({ id, host });
      for (const path of ["", `/${id}`, `/${id}/attempts`])
        expect((await call(cookie, "GET", path)).text).not.toContain("token-in-the");
      expect((await get("/audit?kind=webhookEndpoint", cookie)).status).toBe(403);
    }
  });

  it("are changed only as the one knows them who changes them, and otherwise say who did", async () => {
    const { id, name } = await create(owner);
    const path = `/accounts/demo/webhooks/${id}`;
    const headers = { "if-match": await tagOf(id) };
    expect((await alter(sales, "PATCH", id, { batchSize: 7 })).body).toMatchObject({ batchSize: 7 });
    const stale = await patch(path, owner, { batchSize: 9 }, headers);
    expect([stale.status, stale.body["lastChange"]]).toEqual([
      412,
      { at: expect.any(String) as unknown, action: "change" },
    ]);
    expect((await post(`${path}/secret`, owner, undefined, headers)).status).toBe(412);
    const own = await remove(path, sales, undefined, headers);
    expect([own.status, own.body["lastChange"]]).toMatchObject([412, { who: "staff:sales" }]);
    expect(await listed(owner, id)).toMatchObject({ name, batchSize: 7 });
    // A new secret is a change, too: of three one would not sign any more.
    const before = { "if-match": await tagOf(id) };
    await alter(sales, "POST", id, undefined, "/secret");
    const again = await post(`${path}/secret`, owner, undefined, before);
    expect(again.status).toBe(412);
  });

  it("are changed though all reads of the account are taken: what is left out is what their sending has come to", async () => {
    const { id } = await create(owner);
    const headers = { "if-match": await tagOf(id) };
    const { answer, reads } = await api.db.transaction(async (tx) => {
      await tx.query(statement("lock table message in access exclusive mode"));
      const reads = Array.from({ length: 33 }, () => get("/messages", owner));
      const path = `/accounts/demo/webhooks/${id}`;
      const answer = await patch(path, owner, { batchSize: 7 }, headers);
      return { answer, reads };
    });
    await Promise.all(reads);
    expect(answer).toMatchObject({ status: 200, body: { id, batchSize: 7 } });
  });

  it("say who gave one another name", async () => {
    const { id, name } = await create(owner);
    const headers = { "if-match": await tagOf(id) };
    expect((await alter(sales, "PATCH", id, { name: `${name} anew` })).status).toBe(200);
    const path = `/accounts/demo/webhooks/${id}`;
    const { status, body } = await remove(path, sales, undefined, headers);
    expect([status, body["lastChange"]]).toMatchObject([412, { who: "staff:sales", action: "change" }]);
    const [entry] = await api.rows("select name, before, after from audit_entry order by id desc limit 1", []);
    expect(entry).toMatchObject({ name: `${name} anew`, before: { name }, after: { name: `${name} anew` } });
  });

  it("name nobody where we have disabled one ourselves", async () => {
    const { id } = await create(owner);
    const headers = { "if-match": await tagOf(id) };
    await api.rows(
      "update webhook_endpoint set enabled = false, disabled_reason = 'gone', disabled_at = now() where id = $1",
      [id],
    );
    const { status, body } = await patch(`/accounts/demo/webhooks/${id}`, owner, { batchSize: 2 }, headers);
    expect([status, body["lastChange"]]).toEqual([412, undefined]);
  });

  it("tell until when one pauses, while it does and is enabled", async () => {
    const { id } = await create(owner);
    const until = Date.now() + 120_000;
    const pause = (untilMs: number) =>
      api.rows("update webhook_progress set paused_until = $2 where endpoint_id = $1", [id, new Date(untilMs)]);
    await pause(until);
    expect(await listed(viewer, id)).toMatchObject({ pausedUntil: new Date(until).toISOString() });
    await pause(Date.now() - 1);
    expect(await listed(viewer, id)).not.toHaveProperty("pausedUntil");
    await pause(until);
    await alter(owner, "PATCH", id, { enabled: false });
    expect(await listed(viewer, id)).not.toHaveProperty("pausedUntil");
  });

  it("are tested at once", async () => {
    const { id } = await create(owner, { secret: receiverSecret });
    const { body } = await call(owner, "POST", `/${id}/test`);
    expect(body).toMatchObject({ delivered: true, httpStatus: 204 });
    expect(receiver.events.map(({ type }) => type)).toEqual(["webhook.test"]);
    receiver.answer = () => 500;
    const failed = await call(owner, "POST", `/${id}/test`);
    receiver.answer = () => undefined;
    expect(failed.body).toMatchObject({
      delivered: false,
      httpStatus: 500,
      errorMessage: "The endpoint returned 500.",
    });
  });

  it("show attempts page by page, newest first", async () => {
    const { id } = await create(owner);
    const ids = [1, 2, 3].map((each) => `01a1fa75-6310-77a7-aff0-f75f8b02055${each}`);
    for (const [place, attempt] of ids.entries())
      await api.rows(
        `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms, http_status, failure)
           values ($1, $2, array[]::uuid[], now(), 5, $3, $4)`,
        [attempt, id, place === 0 ? 200 : 500, place === 0 ? null : "status"],
      );
    const first = await call(viewer, "GET", `/${id}/attempts?count=2`);
    expect(first.body).toMatchObject({
      items: [{ id: ids[2], errorMessage: "The endpoint returned 500." }, { id: ids[1] }],
      nextCursor: ids[1],
    });
    const { body } = await call(owner, "GET", `/${id}/attempts?count=2&after=${String(first.body["nextCursor"])}`);
    expect(body).toMatchObject({ items: [{ id: ids[0], httpStatus: 200, durationMs: 5 }] });
    expect(body["nextCursor"]).toBeUndefined();
    expect((await call(owner, "GET", `/${id}/attempts?after=x`)).status).toBe(400);
  });

  it("send the events of a time again, one replay at a time", async () => {
    const { id } = await create(owner, { events: ["*"] });
    const accountId = api.accountId("demo");
    await writeEvents(api.db, [{ accountId, type: "credit.low", detail: {} }]);
    const ofLog = { accountId, mask: everyEvent, after: logBeginning, limit: 1 };
    await eventually(async () => (await api.db.transaction((tx) => readLogOf(tx, ofLog))).rows.length === 1);
    const around = {
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const { status, body } = await call(owner, "POST", `/${id}/replay`, around);
    expect([status, body]).toEqual([200, { replayedCount: 1 }]);
    const again = await call(owner, "POST", `/${id}/replay`, around);
    expect(refusal(again)).toEqual([409, 1209]);
    const turned = await call(owner, "POST", `/${id}/replay`, { from: around.to, to: around.from });
    expect([turned.status, turned.body["errorCode"]]).toEqual([400, 1001]);
    expect((await call(owner, "POST", `/${id}/replay`, { from: "yesterday" })).status).toBe(400);
    await alter(owner, "PATCH", id, { enabled: false });
    expect((await call(owner, "POST", `/${id}/replay`, around)).status).toBe(400);
  });
});
