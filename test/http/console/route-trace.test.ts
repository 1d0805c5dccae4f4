// Which way a number would go: the same verdicts as a call gets.
import { beforeAll, describe, expect, it } from "vitest";
import { parseRials } from "../../../src/sms/money.ts";
import { listAuditEntries } from "../../../src/store/audit.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { bindFirstConnector } from "../../support/bound-connector.ts";
import { signInStaff, consoleCalls } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";
import { applyDocument } from "../../support/apply-document.ts";

interface Way {
  readonly line?: string;
  readonly refused?: { readonly errorCode: number; readonly errorMessage: string };
  readonly routes: readonly { readonly verdict: string }[];
  readonly connectors: readonly { readonly name: string; readonly verdict: string }[];
  readonly connector?: string;
  readonly prices?: Readonly<Record<string, number>>;
  readonly cost?: number;
  readonly parts?: number;
}

const api = useTestApi();
const { get, post } = consoleCalls(api);
let viewer: string;
let operator: string;

beforeAll(async () => {
  viewer = await signInStaff(api, "viewer");
  operator = await signInStaff(api, "operator");
  await bindFirstConnector(api);
});

async function trace(payload: object) {
  const { status, body } = await post("/route-trace", viewer, payload);
  return { status, body, ways: (body["ways"] ?? []) as readonly Way[] };
}

function test(payload: object, name = "mci-1", headers = {}) {
  const path = `/connectors/${name}/test-message`;
  return post(path, operator, payload, headers);
}

describe("POST route-trace", () => {
  it("tells operator, route, connector and price from each line of the account", async () => {
    const { body, ways } = await trace({ recipientNumber: "۰۹۱۲ ۱۲۳ ۴۵۶۷", account: "demo" });
    expect(body).toMatchObject({
      recipientNumber: "989121234567",
      operator: "MCI",
      operatorBy: "prefix",
      prefix: "912",
    });
    expect(ways.map(({ line }) => line)).toEqual(["02188001122", "10001234", "10005678"]);
    expect(ways[1]).toMatchObject({
      connector: "mci-1",
      connectors: [{ name: "mci-1", verdict: "used" }],
      prices: { fa: 1390, en: 2800, other: 2800 },
    });
    expect(ways[1]?.routes.map(({ verdict }) => verdict)).toEqual(["used", "operator", "operator"]);
  });

  it("costs what a call is charged", async () => {
    const content = "سلام ".repeat(30);
    const { ways } = await trace({
      recipientNumber: "09351234567",
      account: "demo",
      senderNumber: "10001234",
      content,
    });
    const call = { senderNumber: "10001234", recipientNumber: "09351234567", content };
    const sent = await api.call("POST", "/messages/send", { key: keys.demo, payload: call });
    expect(sent.status).toBe(200);
    const { parts, cost } = sent.body.message as unknown as { parts: string; cost: string };
    expect(ways).toHaveLength(1);
    expect(ways[0]).toMatchObject({ parts: Number(parts), cost: Number(parseRials(cost)) });
  });

  it.each([
    ["a disabled operator", { recipientNumber: "09201234567", account: "demo" }, 1048],
    ["an operator without a route", { recipientNumber: "09321234567", account: "demo" }, 1203],
    ["a blocked recipient", { recipientNumber: "09129999999", account: "demo" }, 1202],
    ["a line of others", { recipientNumber: "09121234567", account: "demo", senderNumber: "10007777" }, 1053],
    ["too little credit", { recipientNumber: "09121234567", account: "poor", content: "a".repeat(400) }, 1201],
  ])("says why not, as a call would be answered: %s", async (_, payload, errorCode) => {
    const { status, ways } = await trace(payload);
    expect(status).toBe(200);
    expect(ways.length).toBeGreaterThan(0);
    for (const way of ways) expect(way.refused?.errorCode).toBe(errorCode);
  });

  it("works without an account, from all lines, and tells no price", async () => {
    const { body, ways } = await trace({ recipientNumber: "09121234567" });
    expect(ways.map(({ line }) => line)).toContain("30001111");
    expect(JSON.stringify(body)).not.toMatch(/price|cost/);
    expect(body["furtherLines"]).toBe(0);
  });

  it.each([
    ["recipientNumber", { recipientNumber: "123" }],
    ["recipientNumber", {}],
    ["account", { recipientNumber: "09121234567", account: "nobody" }],
    ["senderNumber", { recipientNumber: "09121234567", senderNumber: "99999999" }],
    ["content", { recipientNumber: "09121234567", content: ["5"] }],
  ])("names %s where it is wrong", async (field, payload) => {
    const { status, body } = await trace(payload);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(body["validationErrors"]).toEqual([expect.objectContaining({ field })]);
  });
});

describe("POST connectors/{name}/test-message", () => {
  const message = { account: "demo", senderNumber: "10001234", recipientNumber: "09121234567", content: "test" };

  it("sends an ordinary message of the account once, charged and audited", async () => {
    const headers = { "idempotency-key": uuidv7() };
    const first = await test(message, "mci-1", headers);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ parts: 1, cost: 2800 });
    const second = await test(message, "mci-1", headers);
    expect(second.body).toEqual(first.body);
    const id = String(first.body["sentMessageId"]);
    const life = await get(`/messages/${id}`, operator);
    expect(life.body).toMatchObject({ account: "demo", recipientNumber: "989121234567", cost: 2800 });
    const { body } = await get("/audit?kind=test%20message", operator);
    // The repeated call sent nothing.
    expect(body["items"]).toEqual([
      expect.objectContaining({
        who: "staff:operator",
        name: "mci-1",
        account: "demo",
        after: { senderNumber: "10001234", recipientNumber: "989121234567", sentMessageId: id },
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain('"test"');
  });

  it("answers a repeated call as the first one, though the connector is unbound by then", async () => {
    const headers = { "idempotency-key": uuidv7() };
    const first = await test(message, "mci-1", headers);
    expect(first.status).toBe(200);
    await api.rows("update bind_lease set bound = false");
    try {
      expect((await test(message)).status).toBe(400);
      const again = await test(message, "mci-1", headers);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect((await test({ ...message, content: "another" }, "mci-1", headers)).status).toBe(400);
    } finally {
      await api.rows("update bind_lease set bound = true");
    }
  });

  it.each([
    [{ ...message, recipientNumber: "09201234567" }, 1048],
    [{ ...message, recipientNumber: "09129999999" }, 1202],
    [{ ...message, account: "poor", content: "a".repeat(400) }, 1201],
    [{ ...message, senderNumber: "10007777" }, 1053],
    [{ ...message, account: "" }, 1001],
  ])("is refused as a call is", async (payload, errorCode) => {
    const before = (await listAuditEntries(api.db, { limit: 1 })).entries;
    expect((await test(payload)).body["errorCode"]).toBe(errorCode);
    expect((await listAuditEntries(api.db, { limit: 1 })).entries).toEqual(before);
  });

  it("is refused where the routes do not lead to the connector", async () => {
    expect((await test(message, "nowhere")).status).toBe(404);
    await applyDocument(
      api.db,
      "connectors: [{ name: spare, type: smpp, host: 127.0.0.1, port: 2776, systemId: hodhod, password: secret }]",
    );
    await api.directory.refresh();
    const { status, body } = await test(message, "spare");
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(JSON.stringify(body["validationErrors"])).toContain(
      "The routes send this number through mci-1, not through spare",
    );
  });
});
