import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { batchId } from "../../../src/webhooks/event-requests.ts";
import { liveSecrets, signRequest } from "../../../src/webhooks/signing.ts";
import { keys, ownTestApi, refusal, useTestApi } from "../../support/test-api.ts";

interface Received {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

const settings = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };
const api = useTestApi(settings);
let receiver: Server;
let url: string;
let status: number;
let received: Received[];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => (body += text));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status, status === 302 ? { location: "/other" } : {}).end("no");
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
  received = [];
  status = 200;
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
});

let made = 0;

async function create(given: object = {}): Promise<{ endpointId: string; secret: string }> {
  const payload = { name: `shop ${(made += 1)}`, url, events: ["message.*"], ...given };
  const { body } = await api.call("POST", "/webhooks/endpoints", { key: keys.demo, payload });
  return body as unknown as { endpointId: string; secret: string };
}

const test = (id: string, headers = {}) =>
  api.call("POST", `/webhooks/endpoints/${id}/test`, { key: keys.demo, headers });

describe("POST webhooks/endpoints/{endpointId}/test", () => {
  it("sends webhook.test once, signed, also to a disabled endpoint", async () => {
    const { endpointId, secret } = await create({ enabled: false });
    const { body } = await test(endpointId);
    expect(body).toEqual({ delivered: true, httpStatus: 200, durationMs: expect.any(Number) as unknown });
    const [{ headers, body: sent } = { headers: {}, body: "" }] = received;
    expect(received).toHaveLength(1);
    expect(sent).toMatch(
      new RegExp(`^\\{"type":"webhook.test","timestamp":"[^"]+Z","data":\\{"endpointId":"${endpointId}"\\}\\}$`),
    );
    const id = String(headers["webhook-id"]);
    const timestamp = Number(headers["webhook-timestamp"]);
    const secrets = liveSecrets({ secret, oldSecret: null, oldSecretUntil: null }, Date.now());
    expect(headers["webhook-signature"]).toBe(signRequest({ id, timestamp, body: sent }, secrets));
  });

  it("sends a batch to an endpoint that takes batches", async () => {
    const { endpointId } = await create({ batchSize: 10 });
    await test(endpointId);
    const told = JSON.parse(received[0]?.body ?? "") as { type: string; data: { events: { id: string }[] } };
    expect(told).toMatchObject({ type: "batch", data: { events: [{ type: "webhook.test", data: { endpointId } }] } });
    expect(received[0]?.headers["webhook-id"]).toBe(batchId([told.data.events[0]?.id ?? ""]));
  });

  it.each([
    [500, "The endpoint returned 500.", "پاسخ وب‌هوک 500 بود."],
    [302, "The endpoint returned 302: redirects are not followed.", expect.stringContaining("302") as string],
  ])("tells a %i as a failure, in the caller's language", async (answered, en, fa) => {
    status = answered;
    const { endpointId } = await create();
    const failed = { delivered: false, httpStatus: answered, durationMs: expect.any(Number) as unknown };
    expect((await test(endpointId)).body).toEqual({ ...failed, errorMessage: en });
    expect((await test(endpointId, { "accept-language": "fa" })).body).toEqual({ ...failed, errorMessage: fa });
    expect(received).toHaveLength(2);
  });

  it("says where the URL must not lead", async () => {
    const { endpointId } = await create();
    await api.rows("update webhook_endpoint set url = 'https://10.0.0.1/' where id = $1", [endpointId]);
    expect((await test(endpointId)).body).toMatchObject({
      delivered: false,
      errorMessage: "The URL leads to an address that is not allowed.",
    });
  });

  it("is refused with 429 after 10 in a minute, for each endpoint, on all nodes together", async () => {
    const [one, other] = [await create(), await create()];
    const node = await ownTestApi(settings, { database: { db: api.db, drop: async () => undefined } });
    const url = `/webhooks/endpoints/${one.endpointId}/test`;
    const calls = [api, node].flatMap((each) =>
      Array.from({ length: 8 }, () => each.call("POST", url, { key: keys.demo })),
    );
    const refused = (await Promise.all(calls)).filter((answer) => answer.status !== 200);
    expect(refused.map(refusal)).toEqual(refused.map(() => [429, 429]));
    expect(refused).toHaveLength(6);
    expect(received).toHaveLength(10);
    const last = await test(one.endpointId);
    expect(refusal(last)).toEqual([429, 429]);
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(last.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect((await test(other.endpointId)).status).toBe(200);
    await api.rows(
      "update webhook_endpoint set tested_at = (select array_agg(at - interval '1 minute') from unnest(tested_at) at)",
    );
    expect((await test(one.endpointId)).status).toBe(200);
  });
});
