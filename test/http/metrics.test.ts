import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { keys, openTestApi, type TestApi } from "../support/test-api.ts";

/** One for each environment: asking for metrics changes nothing. */
const opened = new Map<string, Promise<TestApi>>();
afterAll(async () => {
  for (const api of opened.values()) await (await api).close();
});

async function open(environment: Record<string, string> = {}) {
  const key = JSON.stringify(environment);
  const opening = opened.get(key) ?? openTestApi(environment);
  opened.set(key, opening);
  const api = await opening;
  return (remoteAddress: string, headers: Record<string, string> = {}) =>
    api.app.inject({ method: "GET", url: "/metrics", remoteAddress, headers });
}

describe("GET metrics", () => {
  it("tells the machine itself, and nobody else", async () => {
    const ask = await open();
    const answer = await ask("127.0.0.1");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
    expect(answer.body).toContain("hodhod_http_requests_total");
    expect((await ask("::1")).statusCode).toBe(200);
    const refused = await ask("10.1.2.3");
    expect([refused.statusCode, refused.json<{ errorCode: number }>().errorCode]).toEqual([403, 1006]);
  });

  it("tells the networks that the configuration names", async () => {
    const ask = await open({ HODHOD_METRICS_ALLOW: "10.0.0.0/8" });
    expect((await ask("10.1.2.3")).statusCode).toBe(200);
    expect((await ask("1.1.1.1")).statusCode).toBe(403);
  });

  it("is not fooled by a proxy on the machine, trusted or not", async () => {
    const untrusted = await open();
    expect((await untrusted("127.0.0.1", { "x-forwarded-for": "1.1.1.1" })).statusCode).toBe(403);
    const trusted = await open({ HODHOD_TRUST_PROXY: "127.0.0.1" });
    expect((await trusted("127.0.0.1", { "x-forwarded-for": "1.1.1.1" })).statusCode).toBe(403);
    expect((await trusted("127.0.0.1", { "x-forwarded-for": "::1" })).statusCode).toBe(200);
  });

  it.each([
    ["via", "1.1 cache"],
    ["forwarded", "for=127.0.0.1"],
    ["x-real-ip", "127.0.0.1"],
    ["x-forwarded-for", "127.0.0.1"],
    ["x-forwarded-host", "gateway.example"],
    ["x-forwarded-proto", "https"],
  ])(
    "is not for whoever comes through a proxy that sends %s, unless it is trusted and names who may",
    async (name, value) => {
      const untrusted = await open();
      const refused = await untrusted("127.0.0.1", { [name]: value });
      expect([refused.statusCode, refused.json<{ errorCode: number }>().errorCode]).toEqual([403, 1006]);
      const elsewhere = await open({ HODHOD_TRUST_PROXY: "10.0.0.1" });
      expect((await elsewhere("127.0.0.1", { [name]: value })).statusCode).toBe(403);
      const trusted = await open({ HODHOD_TRUST_PROXY: "127.0.0.1", HODHOD_METRICS_ALLOW: "10.2.0.0/16" });
      if (name !== "x-forwarded-for") expect((await trusted("127.0.0.1", { [name]: value })).statusCode).toBe(403);
      const through = (address: string) => trusted("127.0.0.1", { [name]: value, "x-forwarded-for": address });
      expect((await through("10.2.3.4")).statusCode).toBe(200);
      expect((await through("10.3.3.4")).statusCode).toBe(403);
    },
  );

  it.each(["rebound.example", "rebound.example:8080", "localhost.rebound.example", "127.0.0.1.nip.io"])(
    "is not for a page that has the browser of this machine ask as the host %j",
    async (host) => {
      const ask = await open();
      expect((await ask("127.0.0.1", { host })).statusCode).toBe(403);
    },
  );

  it.each(["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:9100", "[::1]:8080", "10.1.2.3"])(
    "takes %j for this machine or an address",
    async (host) => {
      const ask = await open();
      expect((await ask("127.0.0.1", { host })).statusCode).toBe(200);
    },
  );

  it("counts by route, not by address or account", async () => {
    const api = await openTestApi();
    onTestFinished(() => api.close());
    const url = await api.app.listen({ host: "127.0.0.1", port: 0 });
    const get = async (path: string): Promise<string> =>
      (await fetch(`${url}/${path}`, { headers: { "x-api-key": keys.demo } })).text();
    await get("messages/status/x");
    await get(`nowhere?apiKey=${keys.demo}`);
    const text = await get("metrics");
    expect(text).toContain(
      'hodhod_http_requests_total{method="GET",route="/messages/status/:batchId",status="400"} 1\n',
    );
    expect(text).toContain('hodhod_http_requests_total{method="GET",route="unknown",status="404"} 1\n');
    expect(text).toContain(
      'hodhod_http_request_duration_seconds_count{method="GET",route="/messages/status/:batchId"} 1\n',
    );
    expect(text).not.toContain(keys.demo);
  });
});
