import { afterAll, describe, expect, it } from "vitest";
import { keys, openTestApi, ownTestApi, type TestApi } from "../support/test-api.ts";

/** One for each environment: asking for metrics changes nothing. */
const opened = new Map<string, Promise<TestApi>>();
afterAll(async () => {
  for (const api of opened.values()) await (await api).close();
});

async function ask(
  environment: Record<string, string>,
  remoteAddress: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const key = JSON.stringify(environment);
  const opening = opened.get(key) ?? openTestApi(environment);
  opened.set(key, opening);
  const answer = await (await opening).app.inject({ url: "/metrics", remoteAddress, headers });
  if (answer.statusCode === 403) expect(answer.json()).toMatchObject({ errorCode: 1006 });
  return answer.statusCode;
}

const usual = {};
const forNetwork = { HODHOD_METRICS_ALLOW: "10.0.0.0/8" };
const behindProxy = { HODHOD_TRUST_PROXY: "127.0.0.1" };
const proxyElsewhere = { HODHOD_TRUST_PROXY: "10.0.0.1" };
const behindProxyForNetwork = { ...behindProxy, HODHOD_METRICS_ALLOW: "10.2.0.0/16" };

describe("GET metrics", () => {
  it.each([
    ["this machine", usual, "127.0.0.1", {}, 200],
    ["this machine by IPv6", usual, "::1", {}, 200],
    ["another machine", usual, "10.1.2.3", {}, 403],
    ["a network of the configuration", forNetwork, "10.1.2.3", {}, 200],
    ["a machine outside of it", forNetwork, "1.1.1.1", {}, 403],
    ["others through a proxy of this machine", usual, "127.0.0.1", { "x-forwarded-for": "1.1.1.1" }, 403],
    ["others through a trusted proxy", behindProxy, "127.0.0.1", { "x-forwarded-for": "1.1.1.1" }, 403],
    ["this machine through a trusted proxy", behindProxy, "127.0.0.1", { "x-forwarded-for": "::1" }, 200],
  ])("is for %s: %j %s %j: %i", async (_, environment, address, headers, status) => {
    expect(await ask(environment, address, headers)).toBe(status);
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
      expect(await ask(usual, "127.0.0.1", { [name]: value })).toBe(403);
      expect(await ask(proxyElsewhere, "127.0.0.1", { [name]: value })).toBe(403);
      const through = (headers: Record<string, string>) =>
        ask(behindProxyForNetwork, "127.0.0.1", { [name]: value, ...headers });
      if (name !== "x-forwarded-for") expect(await through({})).toBe(403);
      expect(await through({ "x-forwarded-for": "10.2.3.4" })).toBe(200);
      expect(await through({ "x-forwarded-for": "10.3.3.4" })).toBe(403);
    },
  );

  it.each([
    // A page may have the browser of this machine ask.
    ["rebound.example", 403],
    ["rebound.example:8080", 403],
    ["localhost.rebound.example", 403],
    ["127.0.0.1.nip.io", 403],
    ["localhost", 200],
    ["LOCALHOST:8080", 200],
    ["127.0.0.1:9100", 200],
    ["[::1]:8080", 200],
    ["10.1.2.3", 200],
  ])("asked as the host %j is %i", async (host, status) => {
    expect(await ask(usual, "127.0.0.1", { host })).toBe(status);
  });

  it("counts by route, not by address or account", async () => {
    const api = await ownTestApi();
    const url = `http://127.0.0.1:${await api.listen()}`;
    const get = (path: string) => fetch(`${url}/${path}`, { headers: { "x-api-key": keys.demo } });
    await (await get("messages/status/x")).text();
    await (await get(`nowhere?apiKey=${keys.demo}`)).text();
    const answer = await get("metrics");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const text = await answer.text();
    const ofStatus = 'method="GET",route="/messages/status/:batchId"';
    expect(text).toContain(`hodhod_http_requests_total{${ofStatus},status="400"} 1\n`);
    expect(text).toContain('hodhod_http_requests_total{method="GET",route="unknown",status="404"} 1\n');
    expect(text).toContain(`hodhod_http_request_duration_seconds_count{${ofStatus}} 1\n`);
    expect(text).not.toContain(keys.demo);
  });
});
