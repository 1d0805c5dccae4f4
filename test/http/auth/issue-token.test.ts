import { describe, expect, it } from "vitest";
import { demoUser, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();

const issue = (payload: unknown) => api.call("POST", "/auth/token", { payload });

describe("POST auth/token", () => {
  it("answers a token that works", async () => {
    const { status, body, headers } = await issue(demoUser);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["accessToken", "tokenType", "expiresIn"]);
    expect(body).toMatchObject({ tokenType: "Bearer", expiresIn: 3600 });
    expect(headers["cache-control"]).toBe("no-store");
    const authorization = `Bearer ${body.accessToken}`;
    expect((await api.call("GET", "/account/balance", { headers: { authorization } })).status).toBe(200);
  });

  it("reads names in any case", async () => {
    expect((await issue({ USERNAME: "demo", Password: "password-of-demo", Domain: "Demo.Example" })).status).toBe(200);
  });

  it.each([{ password: "x" }, { userName: "x" }, { domain: "foreign.example" }])("wrong: %j is 401", async (change) => {
    expect(refusal(await issue({ ...demoUser, ...change }))).toEqual([401, 401]);
  });

  it.each([
    [{}, ["UserName", "Password", "Domain"]],
    [{ ...demoUser, password: "" }, ["Password"]],
    [{ ...demoUser, domain: null }, ["Domain"]],
    [{ ...demoUser, userName: ["demo"] }, ["UserName"]],
    [{ userName: ["demo"], password: {}, domain: "" }, ["UserName", "Password", "Domain"]],
  ])("missing: %j is 1001", async (payload, fields) => {
    expect(refusal(await issue(payload))).toEqual([400, 1001, ...fields]);
  });

  it("a body that is no JSON object is 1001", async () => expect((await issue("x")).body.errorCode).toBe(1001));

  it("an address that is not allowed gets 1006, once the password is right", async () => {
    const fenced = { userName: "fenced", password: "password-of-fenced", domain: "fenced.example" };
    expect((await issue(fenced)).body.errorCode).toBe(1006);
    expect((await issue({ ...fenced, password: "x" })).status).toBe(401);
  });
});
