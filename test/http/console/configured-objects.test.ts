// GET, PUT and DELETE of the objects of the configuration: what is stored, what is refused, and
// that what is refused leaves no trace.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StaffRole } from "../../../src/credentials/abilities.ts";
import { findConfigurationMark } from "../../../src/store/configuration-version.ts";
import {
  callConsole,
  demoOwner,
  signInAs,
  signInStaff,
  type ConsoleAnswer,
  foreignOwner,
} from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
const cookies = new Map<StaffRole | "owner", string>();
let trace: Trace;

beforeAll(async () => {
  for (const role of ["administrator", "operator", "sales", "viewer"] as const)
    cookies.set(role, await signInStaff(api, role));
  cookies.set("owner", await signInAs(api, demoOwner));
});
beforeEach(async () => {
  trace = await readTrace();
});

interface Trace {
  readonly version: bigint;
  readonly entries: bigint;
}

async function readTrace(): Promise<Trace> {
  const [row] = await api.rows<{ entries: bigint }>("select count(*) as entries from audit_entry");
  return { version: (await findConfigurationMark(api.db)).version, entries: row?.entries ?? 0n };
}

async function auditSince(): Promise<Record<string, unknown>[]> {
  return api.rows(
    "select who, address, action, kind, name, account, before, after from audit_entry order by id offset $1",
    [trace.entries],
  );
}

interface Change {
  readonly as?: StaffRole | "owner";
  readonly match?: string;
  readonly isNew?: boolean;
  readonly language?: string;
}

const call = (
  method: "GET" | "PUT" | "DELETE",
  path: string,
  payload?: object,
  { as = "administrator", match, isNew = false, language }: Change = {},
): Promise<ConsoleAnswer> =>
  callConsole(api, method, path, {
    cookie: cookies.get(as),
    headers: {
      ...(match !== undefined && { "if-match": match }),
      ...(isNew && { "if-none-match": "*" }),
      ...(language !== undefined && { "accept-language": language }),
    },
    ...(payload !== undefined && { payload }),
  });

async function tagOf(path: string): Promise<string> {
  const { headers, text } = await call("GET", path);
  if (typeof headers["etag"] !== "string") throw new Error(`no ETag: ${text}`);
  return headers["etag"];
}

/** Changes what is there now. */
async function put(path: string, payload: object, options: Change = {}): Promise<ConsoleAnswer> {
  return call("PUT", path, payload, { match: await tagOf(path), ...options });
}

async function remove(path: string, options: Change = {}): Promise<ConsoleAnswer> {
  return call("DELETE", path, undefined, { match: await tagOf(path), ...options });
}

const add = (path: string, payload: object): Promise<ConsoleAnswer> => call("PUT", path, payload, { isNew: true });

const faults = ({ status, body }: ConsoleAnswer): unknown => [status, body["errorCode"], body["validationErrors"]];
const refusedFor = (field: string, errorMessage: unknown): unknown => [400, 1001, [{ field, errorMessage }]];

/** The refused call stored nothing and told the audit nothing. */
async function expectNoTrace(): Promise<void> {
  expect(await readTrace()).toEqual(trace);
}

describe("an operator", () => {
  it("is told with the keys of the setup file and a tag", async () => {
    const { body, headers } = await call("GET", "/operators/MCI", undefined, { as: "viewer" });
    expect(body).toEqual({ name: "MCI", prefixes: ["912", "991"], enabled: true });
    expect(headers["etag"]).toMatch(/^"[\w-]{22}"$/);
    const list = await call("GET", "/operators?count=2", undefined, { as: "viewer" });
    expect(list.body).toMatchObject({ items: [{ name: "Irancell" }, { name: "MCI" }], nextCursor: "MCI" });
    const rest = await call("GET", "/operators?after=MCI");
    expect(rest.body["items"]).toMatchObject([{ name: "RighTel", enabled: false }, { name: "Taliya" }]);
    expect(rest.body).not.toHaveProperty("nextCursor");
  });

  it("is switched off and on, which raises the version of the configuration and is audited with who and where", async () => {
    const off = await put("/operators/Taliya", { prefixes: ["932"], enabled: false }, { as: "operator" });
    expect([off.status, off.body]).toEqual([200, { name: "Taliya", prefixes: ["932"], enabled: false }]);
    expect(off.headers["etag"]).toBe(await tagOf("/operators/Taliya"));
    expect((await readTrace()).version).toBe(trace.version + 1n);
    expect(await auditSince()).toEqual([
      {
        who: "staff:operator",
        address: "127.0.0.1",
        action: "change",
        kind: "operator",
        name: "Taliya",
        account: null,
        before: { enabled: true },
        after: { enabled: false },
      },
    ]);
    await put("/operators/Taliya", { prefixes: ["932"] });
    expect((await call("GET", "/operators/Taliya")).body).toMatchObject({ enabled: true });
  });

  it("stored unchanged changes nothing", async () => {
    const { body } = await call("GET", "/operators/MCI");
    expect((await put("/operators/MCI", body)).status).toBe(200);
    await expectNoTrace();
  });

  it("is added, takes over a prefix, and is removed", async () => {
    const { status, body } = await add("/operators/Shatel", { prefixes: ["998", "991"] });
    expect([status, body]).toEqual([200, { name: "Shatel", prefixes: ["991", "998"], enabled: true }]);
    expect((await call("GET", "/operators/MCI")).body).toMatchObject({ prefixes: ["912"] });
    expect((await auditSince()).map(({ action, name }) => [action, name])).toEqual([
      ["change", "MCI"],
      ["create", "Shatel"],
    ]);
    expect((await remove("/operators/Shatel")).body).toEqual({});
    expect((await call("GET", "/operators/Shatel")).status).toBe(404);
    await put("/operators/MCI", { prefixes: ["912", "991"] });
  });

  it("in use cannot be removed", async () => {
    await add("/ported-numbers/09201112233", { operator: "Taliya" });
    trace = await readTrace();
    expect(faults(await remove("/operators/MCI"))).toEqual(
      refusedFor("name", "is used by route 1 (change or remove what uses it first)"),
    );
    expect(faults(await remove("/operators/Taliya"))).toEqual(refusedFor("name", "is used by 1 ported numbers"));
    await expectNoTrace();
    await remove("/ported-numbers/989201112233");
  });
});

describe("a wrong object", () => {
  it.each([
    ["/operators/MCI", { prefixes: ["0912"] }, "prefixes[0]", /leave out the leading 0/],
    ["/operators/MCI", { enabeld: true }, "enabeld", "enabeld is an unknown key (did you mean enabled?)"],
    ["/operators/MCI", { name: "MTN" }, "name", "name must be that of the path, MCI."],
    [
      "/routes",
      { routes: [{ operator: "MCI", connectors: ["gone"] }] },
      "routes[0].connectors[0]",
      "there is no connector gone",
    ],
    ["/routes", {}, "routes", "is missing"],
    ["/settings", { systemLines: { service: "99999" } }, "systemLines.service", "there is no line 99999"],
    [
      "/accounts/demo",
      { tariff: "standard", users: [{ username: "new" }] },
      "users[0].password",
      "is required for a new user",
    ],
    [
      "/connectors/mci-1",
      { type: "smpp", port: 2775, systemId: "x", password: "p" },
      "host",
      "is required for a new connector",
    ],
  ])("%s %j is 1001 at %s", async (path, payload, field, message) => {
    const expected = typeof message === "string" ? message : (expect.stringMatching(message) as string);
    expect(faults(await put(path, payload))).toEqual(refusedFor(field, expected));
    await expectNoTrace();
  });

  it.each([
    ["/routes", "operator", "staff", [{ username: "another", role: "administrator", password: "a long password 1" }]],
    ["/routes", "operator", "accounts", [{ name: "demo", lines: [] }]],
    ["/content-rules", "operator", "retentionDays", 1],
    ["/settings", "administrator", "routes", []],
  ] as const)("%s from an %s changes no other object by the key %s", async (path, as, key, value) => {
    const { body } = await call("GET", path);
    expect(faults(await put(path, { ...body, [key]: value }, { as }))).toEqual(
      refusedFor(key, `${key} is an unknown key`),
    );
    await expectNoTrace();
  });

  it("names all its faults at once, in Persian to who asks for it", async () => {
    const refused = await put("/operators/MCI", { prefixes: ["0912"], enabled: 1 }, { language: "fa" });
    expect(refused.body["validationErrors"]).toEqual([
      {
        field: "prefixes[0]",
        errorMessage: "باید اولین رقم‌های شمارهٔ همراه بدون صفر باشد، مانند 912 (صفر یا ۹۸ آغاز آن را ننویسید)",
      },
      { field: "enabled", errorMessage: "باید true یا false باشد" },
    ]);
  });

  it("is a body that is no object", async () => {
    expect((await put("/operators/MCI", [])).status).toBe(400);
    await expectNoTrace();
  });

  it("with a bad name is refused, and not found", async () => {
    expect((await add("/operators/*", {})).status).toBe(400);
    expect((await add(`/operators/${encodeURIComponent(" x")}`, {})).status).toBe(400);
    expect((await add(`/operators/${"x".repeat(101)}`, {})).status).toBe(400);
    expect((await add("/lines/12", {})).status).toBe(400);
    expect((await call("GET", "/lines/12")).status).toBe(404);
    await expectNoTrace();
  });
});

describe("the version", () => {
  const taliya = { prefixes: ["932"] };

  it("must be given, and must be that of the object", async () => {
    const tag = await tagOf("/operators/Taliya");
    const other = await tagOf("/operators/MCI");
    const statuses = [
      await call("PUT", "/operators/Taliya", taliya),
      await call("DELETE", "/operators/Taliya"),
      await call("PUT", "/operators/Taliya", taliya, { match: other }),
      await call("PUT", "/operators/Taliya", taliya, { match: "*" }),
      await call("DELETE", "/operators/Taliya", undefined, { match: other }),
      await call("PUT", "/operators/Taliya", taliya, { isNew: true }),
      await call("DELETE", "/operators/Taliya", undefined, { isNew: true }),
      await call("PUT", "/operators/Nobody", taliya, { match: tag }),
      await call("DELETE", "/operators/Nobody", undefined, { match: tag }),
    ];
    expect(statuses.map(({ status, body }) => [status, body["errorCode"]])).toEqual(
      [428, 428, 412, 412, 412, 412, 428, 412, 412].map((code) => [code, code]),
    );
    await expectNoTrace();
  });

  it("lets one of two changes pass that were made of the same object at once", async () => {
    const match = await tagOf("/operators/Taliya");
    const answers = await Promise.all(
      ["933", "934", "937", "939"].map((prefix) =>
        call("PUT", "/operators/Taliya", { prefixes: ["932", prefix] }, { match }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
    expect(await auditSince()).toHaveLength(1);
    const created = await Promise.all([1, 2].map(() => add("/operators/Twin", { prefixes: [] })));
    expect(created.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    await remove("/operators/Twin");
    await put("/operators/Taliya", taliya);
  });

  it("differs where only a secret differs, and tells nothing of it", async () => {
    const before = await tagOf("/connectors/mci-1");
    const { body } = await call("GET", "/connectors/mci-1");
    const changed = await put("/connectors/mci-1", { ...body, password: "another" });
    expect([changed.status, changed.body]).toEqual([200, body]);
    expect(changed.headers["etag"]).not.toBe(before);
    expect(await auditSince()).toMatchObject([{ kind: "connector", after: { password: "changed" } }]);
    expect(JSON.stringify(await auditSince())).not.toContain("another");
    await put("/connectors/mci-1", { ...body, password: "secret" });
    expect(await tagOf("/connectors/mci-1")).toBe(before);
  });
});

describe("a connector", () => {
  it("is told without its password", async () => {
    const { body, text } = await call("GET", "/connectors/mci-1", undefined, { as: "viewer" });
    expect(body).toMatchObject({ name: "mci-1", host: "127.0.0.1", port: 2775, window: 100, enabled: true });
    expect(body).toMatchObject({ passwordSet: true, tls: false });
    expect(text).not.toContain("secret");
    expect((await call("GET", "/connectors")).text).not.toContain("secret");
  });

  it("goes elsewhere only with its password given again", async () => {
    const { body } = await call("GET", "/connectors/mci-1");
    trace = await readTrace();
    for (const [moved, words] of [
      [{ host: "evil.example" }, "host"],
      [{ port: 2776 }, "port"],
      [{ tls: true }, "tls"],
      [{ host: "evil.example", tls: { verify: false } }, "host, tls"],
    ] as const) {
      expect(faults(await put("/connectors/mci-1", { ...body, ...moved }))).toEqual(
        refusedFor("password", `is needed again, because this changes: ${words}`),
      );
    }
    await expectNoTrace();
    const there = await put("/connectors/mci-1", { ...body, port: 2776, tls: true, password: "secret" });
    expect(there.body).toMatchObject({ port: 2776, tls: { verify: true } });
    // Left out, tls is false again: that is a change, too.
    expect(faults(await put("/connectors/mci-1", { ...there.body, tls: undefined }))).toEqual(
      refusedFor("password", "is needed again, because this changes: tls"),
    );
    expect((await put("/connectors/mci-1", { ...body, password: "secret" })).status).toBe(200);
    expect((await put("/connectors/mci-1", { ...body, window: 50 })).body).toMatchObject({ window: 50 });
    expect((await put("/connectors/mci-1", body)).body).toMatchObject({ window: 100 });
  });

  it("names no file and no variable of the server", async () => {
    const keys = { type: "smpp", host: "localhost", port: 1, systemId: "x" };
    expect(faults(await add("/connectors/new", { ...keys, passwordFile: "/etc/passwd" }))).toEqual(
      refusedFor("passwordFile", "cannot be used here (give the password)"),
    );
    expect(faults(await add("/connectors/new", { ...keys, password: "${PATH}" }))).toEqual(
      refusedFor("password", "the variable PATH cannot be used here (give the value)"),
    );
    const tls = { ca: "/etc/ssl/cert.pem" };
    expect(faults(await add("/connectors/new", { ...keys, password: "p", tls }))).toEqual(
      refusedFor("tls.ca", "must be the text of certificates in PEM format, not the name of a file"),
    );
    await expectNoTrace();
  });

  it("is added, listed with its state, used, and removed when nothing uses it", async () => {
    const keys = { type: "smpp", host: "10.0.0.9", port: 2775, systemId: "x", password: "p", enabled: false };
    expect((await add("/connectors/spare", keys)).body).toMatchObject({ name: "spare", binds: 1, passwordSet: true });
    const { items } = (await call("GET", "/connectors")).body as { items: { name: string }[] };
    expect(items.find(({ name }) => name === "spare")).toMatchObject({ host: "10.0.0.9", bindStates: [], due: 0 });
    const { routes } = (await call("GET", "/routes")).body as { routes: object[] };
    const withSpare = [...routes, { operator: "*", line: "*", connectors: ["spare"] }];
    expect((await put("/routes", { routes: withSpare })).body).toEqual({ routes: withSpare });
    trace = await readTrace();
    expect(faults(await remove("/connectors/spare"))).toEqual(
      refusedFor("name", "is used by route 4 (change or remove what uses it first)"),
    );
    await expectNoTrace();
    await put("/routes", { routes });
    expect((await remove("/connectors/spare")).status).toBe(200);
  });
});

describe("a ported number", () => {
  it("is added in any form, moved, listed and removed", async () => {
    const { body } = await add("/ported-numbers/09121112233", { operator: "Irancell" });
    expect(body).toEqual({ number: "989121112233", operator: "Irancell" });
    await put("/ported-numbers/%2B989121112233", { number: "09121112233", operator: "MCI" });
    await add("/ported-numbers/09121112299", { operator: "Irancell" });
    const page = await call("GET", "/ported-numbers?count=1");
    expect(page.body).toEqual({
      items: [{ number: "989121112233", operator: "MCI", isImported: false }],
      nextCursor: "989121112233",
    });
    const rest = await call("GET", "/ported-numbers?after=989121112233");
    expect(rest.body).toEqual({ items: [{ number: "989121112299", operator: "Irancell", isImported: false }] });
    // The other one stays where one is changed.
    await remove("/ported-numbers/9121112233");
    expect((await call("GET", "/ported-numbers")).body).toEqual(rest.body);
    await remove("/ported-numbers/989121112299");
    expect((await call("GET", "/ported-numbers")).body).toEqual({ items: [] });
  });
});

describe("lines, tariffs and settings", () => {
  it("are added, used, replaced whole, and removed", async () => {
    expect((await add("/lines/20005000", { kind: "service", connectors: ["mci-1"], inbound: "demo" })).body).toEqual({
      number: "20005000",
      kind: "service",
      inbound: "demo",
      connectors: ["mci-1"],
    });
    expect((await put("/lines/20005000", {})).body).toEqual({ number: "20005000", kind: "dedicated" });
    const prices = [{ operator: "*", line: "20005000", language: "*", price: 5 }, { price: 10 }];
    const tariff = await add("/tariffs/cheap", { prices });
    expect(tariff.body).toMatchObject({ name: "cheap", prices: [{ price: 5 }, { line: "*", price: 10 }] });
    const settings = (await call("GET", "/settings")).body;
    expect(settings).toMatchObject({
      systemLines: { service: "30001111", advertising: "30002222" },
      retentionDays: 400,
    });
    await put("/settings", { ...settings, systemLines: { service: "20005000" }, retentionDays: 500 });
    expect((await call("GET", "/settings")).body).toMatchObject({
      systemLines: { service: "20005000" },
      retentionDays: 500,
    });
    expect(faults(await remove("/lines/20005000"))).toEqual(
      refusedFor("name", "is used by tariff cheap, systemLines.service (change or remove what uses it first)"),
    );
    await put("/settings", settings);
    expect((await remove("/tariffs/cheap")).status).toBe(200);
    expect((await remove("/lines/20005000")).status).toBe(200);
    expect(faults(await remove("/tariffs/standard"))).toMatchObject([400, 1001, [{ field: "name" }]]);
    expect((await call("GET", "/lines?count=2")).body).toMatchObject({ nextCursor: "10001234" });
    expect((await call("GET", "/tariffs")).body).toMatchObject({ items: [{ name: "standard" }] });
  });

  it("are listed with the account that receives for them, also where it is the only one that has the line", async () => {
    for (const line of ["20006001", "20006002", "20006003"]) await add(`/lines/${line}`, {});
    const lines = ["20006001", "20006002"];
    await add("/accounts/alone", { tariff: "standard", lines });
    await add("/accounts/sharing", { tariff: "standard", lines: ["20006002"] });
    await put("/lines/20006003", { inbound: "sharing" });
    await api.directory.refresh();
    const { items } = (await call("GET", "/lines?after=20006000&count=3")).body as { items: Record<string, unknown>[] };
    expect(items.map(({ number, inbound, receiver }) => [number, inbound, receiver])).toEqual([
      ["20006001", undefined, "alone"],
      ["20006002", undefined, undefined],
      ["20006003", "sharing", "sharing"],
    ]);
  });
});

describe("an account", () => {
  it("is told to staff with its users and keys, and never with a secret", async () => {
    const { body, text } = await call("GET", "/accounts/demo", undefined, { as: "viewer" });
    expect(body).toMatchObject({
      name: "demo",
      domain: "demo.example",
      tariff: "standard",
      permissions: ["*"],
      unlimited: false,
      users: [{ username: "demo", passwordSet: true }],
      apiKeys: [{ name: "main", allowedIps: [] }],
      blockedRecipients: ["989129999999"],
    });
    expect(text).not.toMatch(/demo-key|argon2|sha256/i);
  });

  it("is told to its users, the lists that they manage only to those who may", async () => {
    const own = await call("GET", "/accounts/demo", undefined, { as: "owner" });
    expect(own.body).toHaveProperty("users");
    await api.rows("update person set role = 'sender' where username = 'demo'");
    const sender = await signInAs(api, demoOwner);
    const { body } = await callConsole(api, "GET", "/accounts/demo", { cookie: sender });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["users"]));
    expect(body).not.toHaveProperty("allowedIps");
    expect(body).toMatchObject({ name: "demo", lines: ["02188001122", "10001234", "10005678"] });
    await api.rows("update person set role = 'owner' where username = 'demo'");
    cookies.set("owner", await signInAs(api, demoOwner));
  });

  it("keeps users, keys, addresses and block list where they are left out, and its credit always", async () => {
    const before = (await call("GET", "/accounts/demo")).body;
    const { body, status } = await put("/accounts/demo", {
      domain: "demo.example",
      tariff: "standard",
      lines: ["10001234"],
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, lines: ["10001234"] });
    await signInAs(api, demoOwner);
    expect((await put("/accounts/demo", before)).body).toEqual(before);
  });

  it("with a new user and key is changed as by a file; the stored password stays", async () => {
    const before = (await call("GET", "/accounts/foreign")).body;
    const users = [
      { username: "foreign", passwordSet: true },
      { username: "second", password: "a second password" },
    ];
    const apiKeys = [{ name: "other", key: "another-key-of-foreign-01" }];
    const { status } = await put("/accounts/foreign", { ...before, users, apiKeys });
    expect(status).toBe(200);
    await api.directory.refresh();
    await signInAs(api, { username: "second", password: "a second password", organisation: "foreign.example" });
    await signInAs(api, foreignOwner);
    const entries = (await auditSince()).filter(({ action }) => action !== "signIn");
    expect(entries).toMatchObject([
      { kind: "account", name: "foreign", account: "foreign", after: { users: { second: { role: "owner" } } } },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/second password|another-key/);
  });

  it("that is removed takes its users, keys and templates along", async () => {
    await add("/accounts/short", {
      tariff: "standard",
      credit: 5000,
      users: [{ username: "u", password: "a password of u" }],
    });
    expect((await call("GET", "/accounts/short")).body).toMatchObject({ domain: "short", balance: 5000 });
    await api.rows(
      "insert into template (id, account_id, content) select 'ShortTpl', id, 'x' from account where name = 'short'",
    );
    await put("/lines/10007777", { inbound: "short" });
    trace = await readTrace();
    expect((await remove("/accounts/short", { as: "sales" })).status).toBe(200);
    expect((await auditSince()).map(({ action, kind, name }) => [action, kind, name])).toEqual([
      ["change", "line", "10007777"],
      ["remove", "account", "short"],
      ["remove", "template", "ShortTpl"],
    ]);
    expect((await call("GET", "/lines/10007777")).body).not.toHaveProperty("inbound");
  });
});

it("changes queue up behind a long change of the configuration, and keep nobody else waiting", async () => {
  const match = await tagOf("/operators/MCI");
  let changes: Promise<ConsoleAnswer[]> | undefined;
  await api.db.transaction(async (tx) => {
    await tx.query(statement("select version from configuration for update"));
    changes = Promise.all([1, 2, 3].map(() => call("PUT", "/operators/MCI", { prefixes: ["912", "991"] }, { match })));
    for (let read = 0; read < 5; read += 1) expect((await call("GET", "/operators/MCI")).status).toBe(200);
  });
  expect((await changes)?.map(({ status }) => status)).toEqual([200, 200, 200]);
});
