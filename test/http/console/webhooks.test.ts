import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyEvent } from "../../../src/sms/event-types.ts";
import { logBeginning, readLogOf, writeEvents } from "../../../src/store/event-log.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { eventually } from "../../support/factories.ts";
import { openFrontDoor, type FrontDoor } from "../../support/front-door.ts";
import { receiverSecret, startReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

let door: FrontDoor;
let receiver: WebhookReceiver;
let sales: string;
let viewer: string;
let owner: string;

beforeAll(async () => {
  door = await openFrontDoor({ HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" });
  receiver = await startReceiver();
  sales = await signInStaff(door, "sales");
  viewer = await signInStaff(door, "viewer");
  owner = await signInAs(door, demoOwner);
});
afterAll(async () => {
  await door.close();
  await receiver.close();
});

type Method = Parameters<typeof callConsole>[1];

const call = (cookie: string, method: Method, path = "", payload?: object) =>
  callConsole(door, method, `/accounts/demo/webhooks${path}`, { cookie, ...(payload && { payload }) });

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
        ...{ id, name, url: receiver.url, events: ["message.*"], batchSize: 1, enabled: true },
        createdAt: expect.any(String) as unknown,
      });
    }
    const { body } = await call(owner, "PATCH", `/${id}`, { enabled: false, batchSize: 10 });
    expect(body).toMatchObject({ id, name, enabled: false, batchSize: 10 });
    const renewed = await call(owner, "POST", `/${id}/secret`);
    expect(renewed.body["secret"]).toMatch(/^whsec_/);
    expect(renewed.body["secret"]).not.toBe(secret);
    expect((await call(owner, "DELETE", `/${id}`)).status).toBe(200);
    expect((await call(owner, "DELETE", `/${id}`)).status).toBe(404);
    expect((await call(owner, "PATCH", `/${id}`, { enabled: true })).status).toBe(404);
    const audit = await callConsole(door, "GET", "/audit?kind=webhookEndpoint", {
      cookie: await signInStaff(door, "operator"),
    });
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
    expect((await call(viewer, "PATCH", `/${id}`, { enabled: false })).status).toBe(403);
    expect((await call(sales, "PATCH", `/${id}`, { enabled: false })).body).toMatchObject({ enabled: false });
    const elsewhere = `/accounts/foreign/webhooks/${id}`;
    expect((await callConsole(door, "DELETE", elsewhere, { cookie: sales })).status).toBe(404);
    expect((await callConsole(door, "GET", "/accounts/nobody/webhooks", { cookie: sales })).status).toBe(404);
    expect((await call(sales, "DELETE", `/${id}`)).status).toBe(200);
  });

  it("tell every wrong field", async () => {
    const { status, body } = await call(owner, "POST", "", { url: "ftp://x", events: ["nothing"] });
    const fields = (body["validationErrors"] as { field: string }[]).map(({ field }) => field).toSorted();
    expect([status, body["errorCode"], fields]).toEqual([400, 1001, ["events", "name", "url"]]);
    const { id } = await create(owner);
    const wrong = await call(owner, "PATCH", `/${id}`, { url: "ftp://example.com/" });
    expect([wrong.status, wrong.body["errorCode"]]).toEqual([400, 1001]);
  });

  it("are tested at once, ten times a minute", async () => {
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
      errorMessage: "The endpoint answered 500.",
    });
    for (let left = 8; left > 0; left -= 1) await call(owner, "POST", `/${id}/test`);
    expect((await call(owner, "POST", `/${id}/test`)).status).toBe(429);
  });

  it("show attempts page by page, newest first", async () => {
    const { id } = await create(owner);
    const ids = [1, 2, 3].map((each) => `01a1fa75-6310-77a7-aff0-f75f8b02055${each}`);
    for (const [place, attempt] of ids.entries())
      await door.db.query(
        statement(
          `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms, http_status, failure)
           values ($1, $2, array[]::uuid[], now(), 5, $3, $4)`,
          [attempt, id, place === 0 ? 200 : 500, place === 0 ? null : "status"],
        ),
      );
    const first = await call(viewer, "GET", `/${id}/attempts?count=2`);
    expect(first.body).toMatchObject({
      items: [{ id: ids[2], errorMessage: "The endpoint answered 500." }, { id: ids[1] }],
      nextCursor: ids[1],
    });
    const { body } = await call(owner, "GET", `/${id}/attempts?count=2&after=${String(first.body["nextCursor"])}`);
    expect(body).toMatchObject({ items: [{ id: ids[0], httpStatus: 200, durationMs: 5 }] });
    expect(body["nextCursor"]).toBeUndefined();
    expect((await call(owner, "GET", `/${id}/attempts?after=x`)).status).toBe(400);
  });

  it("send the events of a time again, one replay at a time", async () => {
    const { id } = await create(owner, { events: ["*"] });
    const accountId = door.accountId("demo");
    await writeEvents(door.db, [{ accountId, type: "credit.low", detail: {} }]);
    const ofLog = { accountId, mask: everyEvent, after: logBeginning, limit: 1 };
    await eventually(async () => (await readLogOf(door.db, ofLog)).rows.length === 1);
    const around = {
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const { status, body } = await call(owner, "POST", `/${id}/replay`, around);
    expect([status, body]).toEqual([200, { replayedCount: 1 }]);
    const again = await call(owner, "POST", `/${id}/replay`, around);
    expect([again.status, again.body["errorCode"]]).toEqual([409, 1209]);
    const turned = await call(owner, "POST", `/${id}/replay`, { from: around.to, to: around.from });
    expect([turned.status, turned.body["errorCode"]]).toEqual([400, 1001]);
    expect((await call(owner, "POST", `/${id}/replay`, { from: "yesterday" })).status).toBe(400);
    await call(owner, "PATCH", `/${id}`, { enabled: false });
    expect((await call(owner, "POST", `/${id}/replay`, around)).status).toBe(400);
  });

  it("are 1005 for a customer whose account may not use them", async () => {
    const cookie = await signInAs(door, {
      username: "reader",
      password: "reader-password",
      organisation: "status.example",
    });
    const session = await callConsole(door, "GET", "/session", { cookie });
    const { account } = session.body["user"] as { account: string };
    const { status, body } = await callConsole(door, "GET", `/accounts/${account}/webhooks`, { cookie });
    expect([status, body["errorCode"]]).toEqual([403, 1005]);
    expect(body["errorMessage"]).toContain("webhooks");
  });
});
