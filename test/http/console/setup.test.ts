// GET and POST setup.
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { withoutHolding } from "../../../fuzz/event-loop.ts";
import { findConfigurationMark } from "../../../src/store/configuration-version.ts";
import { callConsole, signInStaff, consoleCalls } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let cookie: string;

beforeAll(async () => {
  cookie = await signInStaff(api, "administrator");
});

const post = (setup: unknown, query = "") => callConsole(api, "POST", `/setup${query}`, { cookie, payload: { setup } });
const read = async () => String((await get("/setup", cookie)).body["setup"]);

it("gives YAML without secrets and opening credit, which changes nothing when it comes back", async () => {
  const text = await read();
  expect(text).toContain("- name: MCI\n");
  expect(text).not.toMatch(/secret|demo-key|password-of-demo|argon2|credit: [0-9]|apiKeys|users/);
  const before = (await findConfigurationMark(api.db)).version;
  expect((await post(text)).body).toEqual({ dryRun: false, changed: false, changes: [], warnings: [] });
  expect((await findConfigurationMark(api.db)).version).toBe(before);
});

it.each([
  ["before", (key: string, certificate: string) => `${key}\n${certificate}`],
  ["after", (key: string, certificate: string) => `${certificate}\n${key}`],
  ["without its end", (key: string, certificate: string) => `${certificate}\n${key.slice(0, 40)}`],
])("keeps no private key that stands beside certificates: %s", async (_, together) => {
  const certificate = readFileSync(new URL("../../fixtures/tls/ca.pem", import.meta.url), "utf8").trim();
  const key = "-----BEGIN RSA PRIVATE KEY-----\nVERYsecret\n-----END RSA PRIVATE KEY-----";
  const ca = together(key, certificate);
  const setup = JSON.stringify({ connectors: [{ name: "mci-1", tls: { ca }, password: "secret" }] });
  expect((await post(setup)).status).toBe(200);
  const { body } = await get("/connectors/mci-1", cookie);
  expect(body["tls"]).toEqual({ ca: certificate, verify: true });
  expect(await read()).not.toContain("VERYsecret");
  const back = JSON.stringify({ connectors: [{ name: "mci-1", tls: false, password: "secret" }] });
  expect((await post(back)).status).toBe(200);
});

it("takes 32 KiB while others are served, and no more", async () => {
  const line = (_: unknown, index: number): string =>
    `  - { prefix: "${String(index).padStart(6, "0")}", name: "x" }\n`;
  const file = `nothing:\n${Array.from({ length: 2_000 }, line).join("")}`.slice(0, 32_768);
  const { status } = await withoutHolding(() => post(file));
  expect(status).toBe(400);
  const { body } = await post(`# ${"x".repeat(32_768)}`);
  expect(body["validationErrors"]).toMatchObject([{ field: "setup" }]);
  expect(JSON.stringify(body)).toContain("32768");
});

it("is the file itself for who asks for YAML", async () => {
  const headers = { accept: "application/yaml, application/json;q=0.5" };
  const { status, headers: answered, text } = await get("/setup", cookie, undefined, headers);
  expect([status, answered["content-type"]]).toEqual([200, "application/yaml; charset=utf-8"]);
  expect(text).toBe(await read());
});

it("applies a file, tells only where asked, removes nothing, and is audited with who", async () => {
  const file = "operators: [{ name: MCI, enabled: false }]";
  const dry = await post(file, "?dryRun=true");
  const changes = [
    { action: "change", section: "operators", kind: "operator", name: "MCI", details: ["enabled: true → false"] },
  ];
  expect(dry.body).toEqual({ dryRun: true, changed: true, changes, warnings: [] });
  expect(await read()).not.toContain("enabled: false\n  - name: RighTel");
  const applied = await post(file);
  expect(applied.body).toEqual({ dryRun: false, changed: true, changes, warnings: [] });
  const entries = await api.rows("select who, address, name from audit_entry order by id desc limit 1");
  expect(entries).toEqual([{ who: "staff:administrator", address: "127.0.0.1", name: "MCI" }]);
  const back = await post("operators: [{ name: MCI, enabled: true }]", "?dryRun=true");
  expect(back.body["changes"]).toMatchObject([{ lastChange: { who: "staff:administrator" } }]);
});

it.each([
  ["operators: [{ name: MCI, prefixs: [] }]", "operators[0].prefixs", /unknown key/],
  ["operators: [", "name", /./],
  [
    "connectors: [{ name: mci-1, host: evil.example }]",
    "connectors[0].password",
    "line 1: is needed again, because this changes: host",
  ],
  [
    "connectors: [{ name: mci-1, tls: { ca: /etc/passwd } }]",
    "connectors[0].tls.ca",
    /PEM format, not the name of a file/,
  ],
  [
    String.raw`connectors: [{ name: mci-1, tls: { ca: "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----" } }]`,
    "connectors[0].tls.ca",
    /must contain a certificate in PEM format/,
  ],
  ["connectors: [{ name: mci-1, passwordFile: /etc/passwd }]", "connectors[0].passwordFile", /cannot be used here/],
  ['connectors: [{ name: mci-1, password: "${HOME}" }]', "connectors[0].password", /cannot be used here/],
  ["staff: [{ username: administrator, enabled: false }]", "staff", /no administrator/],
])("%j is refused, and changes nothing", async (text, field, message) => {
  const before = (await findConfigurationMark(api.db)).version;
  const { status, body } = await post(text);
  const words = typeof message === "string" ? message : (expect.stringMatching(message) as string);
  expect([status, body["errorCode"]]).toEqual([400, 1001]);
  expect(body["validationErrors"]).toEqual(expect.arrayContaining([{ field, errorMessage: words }]));
  expect((await findConfigurationMark(api.db)).version).toBe(before);
});

it("refuses what is no file, and a wrong dryRun", async () => {
  expect((await post(7)).status).toBe(400);
  expect((await post("{}", "?dryRun=maybe")).status).toBe(400);
});
