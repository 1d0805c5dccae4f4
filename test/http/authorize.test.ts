import { describe, expect, it } from "vitest";
import { errorCatalogue } from "../../src/texts/errors.ts";
import { keys, ownTestApi, refusal, useTestApi } from "../support/test-api.ts";

const api = useTestApi({ HODHOD_TRUST_PROXY: "127.0.0.1, 192.0.2.0/24" });

function asked(key: string, forwardedFor?: string, remoteAddress = "127.0.0.1") {
  const headers: Record<string, string> = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  return api.call("GET", "/account/balance", { key, headers, remoteAddress });
}

describe("1006", () => {
  it("gives the address as the reason", async () => {
    const answer = await asked(keys.fenced, "1.1.1.1");
    expect(refusal(answer)).toEqual([403, 1006]);
    expect(answer.body.errorMessage).toContain("1.1.1.1");
  });

  it.each([
    ["an allowed address behind the proxy", "10.1.2.3", "127.0.0.1", 200],
    ["straight from an allowed address", undefined, "10.1.2.3", 200],
    ["the proxy itself", undefined, "127.0.0.1", 403],
    ["what the caller made up before the proxy's entry", "10.1.2.3, 1.1.1.1", "127.0.0.1", 403],
  ])("%s", async (_, forwardedFor, remoteAddress, status) => {
    expect((await asked(keys.fenced, forwardedFor, remoteAddress)).status).toBe(status);
  });

  it("the key's own list stands instead of the account's", async () => {
    expect((await asked(keys.fencedByKey, undefined, "127.0.0.1")).status).toBe(200);
    expect((await asked(keys.fencedByKey, undefined, "10.1.2.3")).status).toBe(403);
  });
});

describe("the rate of an account", () => {
  it("429 with Retry-After and both families of fields; other accounts go on", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => asked(keys.slow)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.errorCode).toBe(429);
    expect(refused?.headers).toMatchObject({
      "retry-after": "1",
      "ratelimit-policy": '"account";q=2;w=1',
      ratelimit: '"account";r=0;t=1',
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "1",
    });
    const allowed = answers.find(({ status }) => status === 200);
    expect(allowed?.headers["ratelimit"]).toBe('"account";r=1;t=1');
    expect(allowed?.headers["retry-after"]).toBeUndefined();
    const other = await asked(keys.demo);
    expect([other.status, other.headers["ratelimit"]]).toEqual([200, undefined]);
  });

  it("is not used up by those who are refused before", async () => {
    const fresh = await ownTestApi();
    const call = (key: string, headers = {}) => fresh.call("GET", "/account/balance", { key, headers });
    await Promise.all(Array.from({ length: 3 }, () => call("wrong")));
    expect((await call(keys.slow)).status).toBe(200);
  });
});

describe("the role of a user", () => {
  it("is named as the reason, because it is not the account that lacks the permission", async () => {
    await api.rows("update person set role = 'reader' where username = 'demo'");
    await api.rows("update configuration set version = version + 1");
    await api.directory.refresh();
    const query =
      "username=demo&password=password-of-demo&domain=demo.example&senderNumber=10001234&recipientNumber=09121234567&content=x";
    const refused = await api.call("GET", `/api/v1/messages/send/url/credentials?${query}`);
    expect(refused.body.errorCode).toBe(1005);
    expect(refused.body.errorMessage).toContain("role of this user");
    const lacking = await api.call("GET", "/account/balance", { key: keys.textOnly });
    expect(lacking.body).toMatchObject({ errorCode: 1005, errorMessage: errorCatalogue.noPermission.en });
  });
});
