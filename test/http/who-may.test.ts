// What people and programs may do is the same in the API of clients and in that of the console.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { cheapHash } from "../support/cheap-password.ts";
import { callConsole, codeOf, demoOwner, signInAs, signInStaff, consoleCalls } from "../support/console.ts";
import { useTestApi, refusal } from "../support/test-api.ts";

const api = useTestApi();
const { put } = consoleCalls(api);
let sales: string;

beforeAll(async () => {
  sales = await signInStaff(api, "sales");
});

const query = (text: string, ...values: unknown[]) => api.rows<Record<string, unknown>>(text, values);
const lastEntry = async (kind: string) =>
  (await query("select who, action, name, after from audit_entry where kind = $1 order by id desc limit 1", kind))[0];

async function addUser(username: string, role: string, account = "demo"): Promise<void> {
  await query(
    "insert into person (account_id, username, password_hash, role) values ($1, $2, $3, $4)",
    ...[api.accountId(account), username, await cheapHash(`password-of-${username}`), role],
  );
  await query("update configuration set version = version + 1");
  await api.directory.refresh();
}

const signIn = (username: string, organisation: string = demoOwner.organisation) =>
  signInAs(api, { username, password: `password-of-${username}`, organisation });
const askForToken = (userName: string, headers: Record<string, string> = {}) =>
  api.call("POST", "/auth/token", {
    payload: { userName, password: `password-of-${userName}`, domain: demoOwner.organisation },
    headers,
  });
const tokenOf = async (userName: string) => ({
  authorization: `Bearer ${(await askForToken(userName)).body.accessToken}`,
});
const sendByUrl = (username: string) =>
  api.call(
    "GET",
    `/api/v1/messages/send/url/credentials?username=${username}&password=password-of-${username}&domain=demo.example` +
      "&senderNumber=10001234&recipientNumber=09121234567&content=x",
  );

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
    const { body } = await post("", { password: "password-of-careful" });
    expect((await post("/confirm", { code: codeOf(String(body["secret"])) })).status).toBe(200);
    await api.directory.refresh();
    await expectNoPrograms("careful");
    const balance = () => api.call("GET", "/account/balance", { headers });
    expect((await balance()).body.errorCode).toBe(1005);
    expect((await post("/remove", { password: "password-of-careful" })).status).toBe(200);
    await api.directory.refresh();
    expect((await balance()).status).toBe(200);
  });

  it("by a password that somebody else has set does neither", async () => {
    await addUser("new", "owner");
    const path = "/people/new?account=demo";
    const { headers } = await callConsole(api, "GET", path, { cookie: sales });
    const changed = await put(
      path,
      sales,
      { role: "owner", password: "password-of-new" },
      { "if-match": String(headers["etag"]) },
    );
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
    const answer = await put(
      `/people/${username}?account=demo`,
      await cookieOf(),
      { role: "owner", password: `password-of-${username}` },
      { "if-none-match": "*" },
    );
    expect(answer.status).toBe(200);
    await api.directory.refresh();
    expect(await lastEntry("user")).toMatchObject({ who, name: username, after: { password: "set" } });
    const cookie = await signIn(username);
    const { body } = await callConsole(api, "GET", "/session", { cookie });
    expect(body).toMatchObject({ mustChangePassword: true, passwordSetBy: shown });
    const payload = { password: `password-of-${username}`, newPassword: "a password of my own" };
    const own = await callConsole(api, "POST", "/profile/password", { cookie, payload });
    expect(own.status).toBe(200);
    expect(own.body).not.toHaveProperty("passwordSetBy");
  });
});

it("a password given with the whole account is shown to its user, too", async () => {
  const found = await callConsole(api, "GET", "/accounts/demo", { cookie: sales });
  const { users, ...account } = found.body as { users: object[] };
  const given = { username: "by-account", role: "owner", password: "password-of-by-account" };
  const saved = await put(
    "/accounts/demo",
    sales,
    { ...account, users: [...users, given] },
    { "if-match": String(found.headers["etag"]) },
  );
  expect(saved.body).toMatchObject({ name: "demo" });
  await api.directory.refresh();
  const cookie = await signIn("by-account");
  const { body } = await callConsole(api, "GET", "/session", { cookie });
  expect(body).toMatchObject({ mustChangePassword: true, passwordSetBy: "staff" });
});

describe("a permission that the account lacks", () => {
  const get = (cookie: string, path: string) => callConsole(api, "GET", path, { cookie });
  const post = (cookie: string, path: string, payload: object) => callConsole(api, "POST", path, { cookie, payload });

  async function permit(...permitted: readonly string[]): Promise<void> {
    await query("update account set permissions = $1 where name = 'demo'", permitted);
    await query("update configuration set version = version + 1");
    await api.directory.refresh();
  }

  afterEach(() => permit("*"));

  /** A campaign of one row, whose message is accepted. */
  async function campaignOf(cookie: string): Promise<string> {
    const { body } = await post(cookie, "/campaigns", { name: "Autumn", senderNumber: "10001234", content: "Hello" });
    const id = String(body["id"]);
    expect((await post(cookie, `/campaigns/${id}/rows`, { first: 1, rows: [["09121234567"]] })).status).toBe(200);
    const message = { senderNumber: "10001234", recipientNumbers: ["09121234567"], content: "Hello" };
    const sent = (await post(cookie, "/send", message)).body as { messages: [{ sentMessageId: string }] };
    const { sentMessageId } = sent.messages[0];
    await query("update campaign_row set message_id = $1 where campaign_id = $2", sentMessageId, id);
    return id;
  }

  it("hides from its users what became of a campaign, and keeps them from canceling its messages", async () => {
    const cookie = await signIn("demo");
    const id = await campaignOf(cookie);
    const rows = async () => (await get(cookie, `/campaigns/${id}/rows`)).body["items"];
    const row = { number: 1, recipientNumber: "989121234567" };
    expect(await rows()).toEqual([{ ...row, sentMessageId: expect.any(String) as unknown, messageStatus: 0 }]);
    await permit("send-bulk");
    expect(await rows()).toEqual([row]);
    expect((await get(cookie, `/campaigns/${id}/rows?only=failed`)).status).toBe(403);
    expect((await get(cookie, `/campaigns/${id}`)).body).toMatchObject({ id, content: "Hello" });
    expect((await post(cookie, `/campaigns/${id}/start`, {})).status).toBe(200);
    const stopped = await post(cookie, `/campaigns/${id}/stop`, {});
    expect(refusal(stopped)).toEqual([403, 1005]);
    expect(stopped.body["errorMessage"]).toContain("cancel");
    expect((await post(cookie, `/campaigns/${id}/pause`, {})).status).toBe(200);
    await permit("*");
    expect((await post(cookie, `/campaigns/${id}/stop`, {})).status).toBe(200);
  });

  it("hides from its users the credit and the templates, wherever they are shown", async () => {
    const cookie = await signIn("demo");
    const shown = async (): Promise<readonly boolean[]> => {
      const message = { senderNumber: "10001234", recipientNumbers: ["09121234567"], content: "Hello" };
      const account = (await get(cookie, "/accounts/demo")).body;
      const preview = (await post(cookie, "/preview", message)).body;
      expect(preview).toMatchObject({ accepted: 1 });
      const { templates } = (await get(cookie, "/send")).body as { templates: readonly object[] };
      return ["balance" in account, "unlimited" in account, "credit" in preview, templates.length > 0];
    };
    expect(await shown()).toEqual([true, true, true, true]);
    await permit("send", "preview");
    expect(await shown()).toEqual([false, false, false, false]);
  });
});

it("the audit of a call of clients names the user of a token", async () => {
  const headers = await tokenOf("demo");
  expect((await api.call("PUT", "/opt-outs/10001234/09121112233", { headers })).status).toBe(200);
  expect(await lastEntry("optOut")).toMatchObject({ who: "user:demo/demo" });
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
