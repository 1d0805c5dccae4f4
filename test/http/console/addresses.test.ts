import { beforeAll, describe, expect, it } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
let owner: string;
let auditor: string;

beforeAll(async () => {
  owner = await signInAs(api, demoOwner);
  auditor = await signInStaff(api, "operator");
});

const path = "/accounts/demo/addresses";
const get = () => callConsole(api, "GET", path, { cookie: owner });
const put = (payload: object, etag: unknown) =>
  callConsole(api, "PUT", path, { cookie: owner, payload, headers: { "if-match": String(etag) } });

describe("the addresses of an account", () => {
  it("are kept by its owner: where programs call from, and whom they never send to", async () => {
    const first = await get();
    expect(first.body).toEqual({ allowedIps: [], blockedRecipients: ["989129999999"] });
    const wanted = { allowedIps: ["127.0.0.0/8", "::1"], blockedRecipients: ["0912 000 0001", "۰۹۱۲۰۰۰۰۰۰۲"] };
    const saved = await put(wanted, first.headers["etag"]);
    expect(saved.body).toEqual({
      allowedIps: ["127.0.0.0/8", "::1"],
      blockedRecipients: ["989120000001", "989120000002"],
    });
    await api.directory.refresh();
    const payload = { senderNumber: "10001234", recipientNumber: "09120000002", content: "x" };
    const blocked = await api.call("POST", "/messages/send", { key: keys.demo, payload });
    expect(blocked.body.errorCode).toBe(1202);
    // The rest of the account stays, users and keys above all.
    expect((await callConsole(api, "GET", "/accounts/demo", { cookie: owner })).body).toMatchObject({
      lines: ["02188001122", "10001234", "10005678"],
      users: [{ username: "demo" }],
      apiKeys: [{ name: "main" }],
    });
    expect((await put(wanted, first.headers["etag"])).status).toBe(412);
    const { body } = await callConsole(api, "GET", "/audit?kind=account&account=demo", { cookie: auditor });
    expect((body["items"] as object[])[0]).toMatchObject({ who: "user:demo/demo", action: "change", name: "demo" });
    const last = await put({}, saved.headers["etag"]);
    expect(last.body).toEqual({ allowedIps: [], blockedRecipients: [] });
  });

  it("take a long list", async () => {
    const { headers } = await get();
    const blockedRecipients = Array.from({ length: 20_000 }, (_, index) => `98912${String(index).padStart(7, "0")}`);
    const { status, body } = await put({ blockedRecipients }, headers["etag"]);
    expect(status).toBe(200);
    expect(body["blockedRecipients"]).toHaveLength(20_000);
  });

  it.each([
    [{ allowedIps: ["10.0.0.0/99"] }, "allowedIps", "10.0.0.0/99"],
    [{ blockedRecipients: ["12"] }, "blockedRecipients", "12"],
    [{ blockedRecipients: "09121234567" }, "blockedRecipients", "list"],
  ])("given as %j are 1001, and say which", async (payload, field, which) => {
    const before = await get();
    const { status, body } = await put(payload, before.headers["etag"]);
    expect(status).toBe(400);
    expect(body["validationErrors"]).toMatchObject([{ field, errorMessage: expect.stringContaining(which) as string }]);
    expect((await get()).body).toEqual(before.body);
  });
});
