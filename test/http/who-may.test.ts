// What people and programs may do is the same in the API of clients and in that of the console.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode, totpStep } from "../../src/credentials/totp.ts";
import { cheapHash } from "../support/cheap-password.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../support/console.ts";
import { statement } from "../support/database.ts";
import { keys, openTestApi, type TestApi } from "../support/test-api.ts";

let api: TestApi;
let sales: string;

beforeAll(async () => {
  api = await openTestApi();
  sales = await signInStaff(api, "sales");
});
afterAll(() => api.close());

const query = (text: string, ...values: unknown[]) => api.db.query<Record<string, unknown>>(statement(text, values));
const lastEntry = async (kind: string) =>
  (await query("select who, action, name, after from audit_entry where kind = $1 order by id desc limit 1", kind))[0];

async function addUser(username: string, role: string, account = "demo"): Promise<void> {
  await query(
    "insert into person (account_id, username, password_hash, role) values ($1, $2, $3, $4)",
    ...[api.accountId(account), username, await cheapHash(`${username}-password`), role],
  );
  await query("update configuration set version = version + 1");
  await api.directory.refresh();
}

const signIn = (username: string, organisation: string = demoOwner.organisation) =>
  signInAs(api, { username, password: `${username}-password`, organisation });
const askForToken = (userName: string, headers: Record<string, string> = {}) =>
  api.call({
    method: "POST",
    url: "/auth/token",
    payload: { userName, password: `${userName}-password`, domain: demoOwner.organisation },
    headers,
  });
const tokenOf = async (userName: string) => ({
  authorization: `Bearer ${(await askForToken(userName)).body.accessToken}`,
});
const sendByUrl = (username: string) =>
  api.call({
    method: "GET",
    url:
      `/api/v1/messages/send/url/credentials?username=${username}&password=${username}-password&domain=demo.example` +
      "&senderNumber=10001234&recipientNumber=09121234567&content=x",
  });

/** The code of a base32 secret at this moment. */
function codeOf(secret: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(secret, (sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  const octets = (bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2));
  return totpCode(Buffer.from(octets), totpStep(Date.now() / 1000));
}

describe("a user of whom the console asks more than a password", () => {
  async function expectNoPrograms(username: string): Promise<void> {
    const answers = [
      await askForToken(username),
      await sendByUrl(username),
      await askForToken(username, { "accept-language": "fa" }),
    ];
    expect(answers.map(({ status, body }) => [status, body.errorCode])).toEqual(answers.map(() => [403, 1005]));
    const [english, , persian] = answers.map(({ body }) => body.errorMessage);
    expect(english).toContain("API key");
    expect(persian).toContain("کلید API");
  }

  it("by a second factor gets no token, uses none, and sends nothing by URL", async () => {
    await addUser("careful", "owner");
    const headers = await tokenOf("careful");
    const cookie = await signIn("careful");
    const post = (path: string, payload: object) =>
      callConsole(api, "POST", `/profile/second-factor${path}`, { cookie, payload });
    const { body } = await post("", { password: "careful-password" });
    expect((await post("/confirm", { code: codeOf(String(body["secret"])) })).status).toBe(200);
    await api.directory.refresh();
    await expectNoPrograms("careful");
    const balance = () => api.call({ method: "GET", url: "/account/balance", headers });
    expect((await balance()).body.errorCode).toBe(1005);
    expect((await post("/remove", { password: "careful-password" })).status).toBe(200);
    await api.directory.refresh();
    expect((await balance()).status).toBe(200);
  });

  it("by a password that somebody else has set does neither", async () => {
    await addUser("new", "owner");
    const path = "/accounts/demo/users/new";
    const { headers } = await callConsole(api, "GET", path, { cookie: sales });
    const changed = await callConsole(api, "PUT", path, {
      cookie: sales,
      payload: { role: "owner", password: "new-password" },
      headers: { "if-match": String(headers["etag"]) },
    });
    expect(changed.status).toBe(200);
    await api.directory.refresh();
    await expectNoPrograms("new");
  });
});

describe("who sets the password of a user", () => {
  it.each([
    ["staff", "staff:sales", () => Promise.resolve(sales)],
    ["user:demo/demo", "user:demo/demo", () => signIn("demo")],
  ])("is shown to that user until they change it: %s", async (shown, who, cookieOf) => {
    const username = `set-by-${who.replace(/.*[:/]/, "")}`;
    const answer = await callConsole(api, "PUT", `/accounts/demo/users/${username}`, {
      cookie: await cookieOf(),
      payload: { role: "owner", password: `${username}-password` },
      headers: { "if-none-match": "*" },
    });
    expect(answer.status).toBe(200);
    await api.directory.refresh();
    expect(await lastEntry("user")).toMatchObject({ who, name: username, after: { password: "set" } });
    const cookie = await signIn(username);
    const { body } = await callConsole(api, "GET", "/session", { cookie });
    expect(body).toMatchObject({ mustChangePassword: true, passwordSetBy: shown });
    const payload = { password: `${username}-password`, newPassword: "a password of my own" };
    const own = await callConsole(api, "POST", "/profile/password", { cookie, payload });
    expect(own.status).toBe(200);
    expect(own.body).not.toHaveProperty("passwordSetBy");
  });
});

it("a password given with the whole account is shown to its user, too", async () => {
  const found = await callConsole(api, "GET", "/accounts/demo", { cookie: sales });
  const { users, ...account } = found.body as { users: object[] };
  const given = { username: "by-account", role: "owner", password: "by-account-password" };
  const saved = await callConsole(api, "PUT", "/accounts/demo", {
    cookie: sales,
    payload: { ...account, users: [...users, given] },
    headers: { "if-match": String(found.headers["etag"]) },
  });
  expect(saved.body).toMatchObject({ name: "demo" });
  await api.directory.refresh();
  const cookie = await signIn("by-account");
  const { body } = await callConsole(api, "GET", "/session", { cookie });
  expect(body).toMatchObject({ mustChangePassword: true, passwordSetBy: "staff" });
});

describe("a token of a sender", () => {
  it.each([
    ["PUT", "/opt-outs/10001234/09121112233"],
    ["DELETE", "/opt-outs/10001234/09121112233"],
    ["GET", "/webhooks/events"],
    ["GET", "/webhooks/endpoints"],
  ] as const)("is refused what the console refuses to a sender: %s %s", async (method, url) => {
    const username = `sender-${method}-${url.replaceAll("/", "-")}`;
    await addUser(username, "sender");
    const { status, body } = await api.call({ method, url, headers: await tokenOf(username) });
    expect([status, body.errorCode]).toEqual([403, 1005]);
  });
});

describe("the permissions of an account", () => {
  it.each(["/received", "/received.csv", "/accounts/statusOnly/statement", "/templates", "/opt-outs"])(
    "bound its users in the console, too: %s",
    async (path) => {
      const cookie = await signIn("reader", "status.example");
      const { status, body } = await callConsole(api, "GET", path, { cookie });
      expect([status, body["errorCode"]]).toEqual([403, 1005]);
      expect((await callConsole(api, "GET", "/messages", { cookie })).status).toBe(200);
    },
  );
});

describe("the audit of a call of clients", () => {
  it("names the user of a token, and the key", async () => {
    const put = (given: object) => api.call({ method: "PUT", url: "/opt-outs/10001234/09121112233", ...given });
    expect((await put({ headers: await tokenOf("demo") })).status).toBe(200);
    expect(await lastEntry("optOut")).toMatchObject({ who: "user:demo/demo" });
    const removed = await api.call({ method: "DELETE", url: "/opt-outs/10001234/09121112233", key: keys.demo });
    expect(removed.status).toBe(200);
    expect(await lastEntry("optOut")).toMatchObject({ who: "key:demo/main" });
  });
});

describe("a test of a connector", () => {
  // Nothing listens there.
  const settings = { name: "mci-1", host: "127.0.0.1", port: 1, systemId: "hodhod", password: "secret" };

  it("is audited, and a person makes 30 a minute", async () => {
    const cookie = await signInStaff(api, "operator");
    const test = () => callConsole(api, "POST", "/connectors/test", { cookie, payload: settings });
    expect((await test()).status).toBe(200);
    const entry = await lastEntry("connector test");
    expect(entry).toMatchObject({
      who: "staff:operator",
      action: "use",
      name: "127.0.0.1:1",
      after: { passed: false },
    });
    expect(JSON.stringify(entry)).not.toContain("secret");
    for (let count = 1; count < 30; count += 1) expect((await test()).status).toBe(200);
    const refused = await test();
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    const other = await signInStaff(api, "operator", "other");
    expect((await callConsole(api, "POST", "/connectors/test", { cookie: other, payload: settings })).status).toBe(200);
  });
});
