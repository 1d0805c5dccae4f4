import { beforeAll, describe, expect, it } from "vitest";
import { demoUser, keys, ownTestApi, refusal, useTestApi } from "../support/test-api.ts";

const api = useTestApi();
let token: string;
let foreignToken: string;

beforeAll(async () => {
  const issue = async (payload: object) => (await api.call("POST", "/auth/token", { payload })).body.accessToken;
  token = await issue(demoUser);
  foreignToken = await issue({ userName: "foreign", password: "password-of-foreign", domain: "foreign.example" });
});

const asked = (headers: Record<string, string>) => api.call("GET", "/account/balance", { headers });

describe("authentication", () => {
  it.each([
    ["the key", () => ({ "x-api-key": keys.demo })],
    ["the token", () => ({ authorization: `Bearer ${token}` })],
    ["the token, scheme in another case", () => ({ authorization: `bearer   ${token}` })],
    ["both, of one account", () => ({ "x-api-key": keys.demo, authorization: `Bearer ${token}` })],
  ])("%s is let in", async (_, headers) => expect((await asked(headers())).status).toBe(200));

  it.each([
    ["nothing", () => ({})],
    ["an empty key", () => ({ "x-api-key": "" })],
    ["a wrong key", () => ({ "x-api-key": "wrong" })],
    ["a key in another case", () => ({ "x-api-key": keys.demo.toUpperCase() })],
    ["an empty Authorization", () => ({ authorization: "" })],
    ["Bearer without token", () => ({ authorization: "Bearer" })],
    ["a token without Bearer", () => ({ authorization: token })],
    ["Bearer twice", () => ({ authorization: `Bearer Bearer ${token}` })],
    ["another scheme", () => ({ authorization: `Basic ${token}` })],
    ["a changed token", () => ({ authorization: `Bearer ${token.slice(0, -3)}abc` })],
    ["a token of our own making", () => ({ authorization: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0." })],
    ["a right key with a wrong token", () => ({ "x-api-key": keys.demo, authorization: "Bearer x" })],
    ["a wrong key with a right token", () => ({ "x-api-key": "wrong", authorization: `Bearer ${token}` })],
    ["an empty key with a right token", () => ({ "x-api-key": "", authorization: `Bearer ${token}` })],
    ["key and token of two accounts", () => ({ "x-api-key": keys.demo, authorization: `Bearer ${foreignToken}` })],
  ])("%s is 401", async (_, headers) => {
    const answer = await asked(headers());
    expect(refusal(answer)).toEqual([401, 401]);
    expect(Object.keys(answer.body)).toEqual(["errorCode", "errorMessage"]);
    expect(answer.headers["www-authenticate"]).toContain("Bearer");
  });

  it("a key in the query is not read where headers are", async () => {
    expect((await api.call("GET", `/account/balance?apiKey=${keys.demo}`)).status).toBe(401);
  });
});

it("with both headers the address must be on the token's list, too", async () => {
  const payload = { userName: "fenced", password: "password-of-fenced", domain: "fenced.example" };
  const remoteAddress = "10.0.0.1";
  const { body } = await api.call("POST", "/auth/token", { payload, remoteAddress });
  const fencedToken = { authorization: `Bearer ${body.accessToken}` };
  const ask = async (headers: Record<string, string>, from: string) =>
    (await api.call("GET", "/account/balance", { headers, remoteAddress: from })).body.errorCode;
  // The key lets 127.0.0.1 in, the token 10.0.0.0/8.
  expect(await ask({ "x-api-key": keys.fencedByKey }, "127.0.0.1")).toBeUndefined();
  expect(await ask(fencedToken, remoteAddress)).toBeUndefined();
  expect(await ask({ "x-api-key": keys.fencedByKey, ...fencedToken }, "127.0.0.1")).toBe(1006);
  expect(await ask({ "x-api-key": keys.fencedByKey, ...fencedToken }, remoteAddress)).toBe(1006);
});

it("wrong keys are answered more slowly as they repeat, right ones never", async () => {
  const waits: number[] = [];
  const slow = await ownTestApi({}, { wait: async (ms) => waits.push(ms) });
  const ask = (key: string) => slow.call("GET", "/account/balance", { key });
  for (let attempt = 0; attempt < 4; attempt += 1) expect((await ask("wrong")).status).toBe(401);
  expect(waits).toHaveLength(4);
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
  expect(waits[3]).toBeGreaterThan(waits[0] ?? 0);
  expect((await ask(keys.demo)).status).toBe(200);
  expect(waits).toHaveLength(4);
});
