// The test of a link, against a simulated SMSC: each step in words, one session, and the password
// only where it belongs.
import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket, type AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";
import { signInStaff, consoleCalls } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { applyDocument } from "../../support/apply-document.ts";

interface Step {
  readonly step: string;
  readonly session: string;
  readonly passed: boolean;
  readonly text: string;
}

const password = "s3cret-of-link";
const api = useTestApi();
const { post } = consoleCalls(api);
let smsc: SimulatedSmsc;
let cookie: string;

beforeAll(async () => {
  cookie = await signInStaff(api, "operator");
  smsc = await startSimulatedSmsc({ systemId: "hodhod", password });
  const text = `connectors: [{ name: sim, type: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: hodhod, password: ${password} }]`;
  await applyDocument(api.db, text);
  await api.directory.refresh();
});
afterAll(async () => {
  await smsc.stop();
});

async function test(payload: object, language = "en") {
  const headers = { "accept-language": language };
  const answer = await post("/connectors/test", cookie, payload, headers);
  return { ...answer, steps: (answer.body["steps"] ?? []) as readonly Step[] };
}

const settings = () => ({ host: "127.0.0.1", port: smsc.port, systemId: "hodhod", password });

/** A peer that does this with each connection. */
async function listenRaw(serve: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // It listens at a port.
  return (server.address() as AddressInfo).port;
}

describe("POST connectors/test", () => {
  it("connects, binds, enquires and unbinds, and says so step by step", async () => {
    const unbound = smsc.next("unbind");
    const { status, body, steps } = await test(settings());
    expect([status, body["passed"]]).toEqual([200, true]);
    expect(steps.map(({ step }) => step)).toEqual(["connect", "bind", "enquire_link", "unbind"]);
    expect(steps[1]?.text).toBe("The SMSC accepted the bind of hodhod as transceiver.");
    await unbound;
    expect(smsc.sessions).toHaveLength(0);
    expect(smsc.submitted).toHaveLength(0);
  });

  it("tries both sessions of a pair, one after the other", async () => {
    const { body, steps } = await test({ ...settings(), bindType: "transmitter-receiver" });
    expect(body["passed"]).toBe(true);
    expect(steps.map(({ session }) => session)).toEqual([
      ...Array<string>(4).fill("receiver"),
      ...Array<string>(4).fill("transmitter"),
    ]);
  });

  it.each([
    ["a wrong password", { password: "wrong" }, "bind", "does not accept the password"],
    ["a wrong systemId", { systemId: "nobody" }, "bind", "does not know the systemId nobody"],
    ["a port without a service", { port: 1 }, "connect", "Nothing listens at 127.0.0.1:1"],
    ["TLS where there is none", { tls: true }, "connect", "tls"],
  ])("says what is wrong: %s", async (_, others, step, words) => {
    const { status, body, steps, text } = await test({ ...settings(), ...others });
    expect([status, body["passed"]]).toEqual([200, false]);
    expect(steps.at(-1)).toMatchObject({ step, passed: false });
    expect(steps.at(-1)?.text).toContain(words);
    expect(text).not.toContain(password);
  });

  it.each([
    ["", "does not accept a bind without systemType"],
    ["VMS", "does not accept the systemType 'VMS'"],
  ])("names the systemType that is refused, or says that there is none: '%s'", async (systemType, words) => {
    const port = await listenRaw((socket) => {
      socket.on("data", (request) => {
        // bind_transceiver_resp with ESME_RINVSYSTYP.
        const refusal = Buffer.from([0, 0, 0, 16, 0x80, 0, 0, 9, 0, 0, 0, 0x53]);
        socket.write(Buffer.concat([refusal, request.subarray(12, 16)]));
      });
    });
    const { steps } = await test({ ...settings(), port, systemType });
    expect(steps.at(-1)?.text).toContain(words);
  });

  it("judges the certificate of a TLS link by the given authority", async () => {
    const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8");
    const tls = { key: fixture("server-key.pem"), cert: fixture("server.pem") };
    const secure = await startSimulatedSmsc({ systemId: "hodhod", password, tls });
    onTestFinished(() => secure.stop());
    const link = { ...settings(), host: "localhost", port: secure.port };
    expect((await test({ ...link, tls: { ca: fixture("ca.pem") } })).body["passed"]).toBe(true);
    const strange = await test({ ...link, tls: true });
    expect(strange.steps.at(-1)).toMatchObject({ step: "connect", passed: false });
    expect(strange.steps.at(-1)?.text).toContain("is not trusted");
  });

  it("says that the operator wants a certificate of ours, which comes to light with the bind", async () => {
    const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8");
    const tls = { key: fixture("server-key.pem"), cert: fixture("server.pem"), ca: fixture("ca.pem") };
    const options = { ...tls, requestCert: true, minVersion: "TLSv1.3" } as const;
    const server = createTlsServer(options).on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    // It listens at a port.
    const { port } = server.address() as AddressInfo;
    const { steps } = await test({ ...settings(), host: "localhost", port, tls: { ca: fixture("ca.pem") } });
    expect(steps.map(({ step, passed }) => [step, passed])).toEqual([
      ["connect", true],
      ["bind", false],
    ]);
    expect(steps[1]?.text).toMatch(/asks for a client certificate \(ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED\)/);
  });

  it("speaks the language of the call", async () => {
    const { steps } = await test({ ...settings(), password: "wrong" }, "fa");
    expect(steps.at(-1)?.text).toContain("رمز عبور hodhod را نپذیرفت");
  });

  it("ends after 10 s with an SMSC that never answers, and lets no session stand", async () => {
    let socket: Socket | undefined;
    const port = await listenRaw((accepted) => (socket = accepted.resume()));
    const { body, steps } = await test({ ...settings(), port, responseTimeoutMs: 600_000 });
    expect(body["passed"]).toBe(false);
    expect(steps.at(-1)).toMatchObject({ step: "bind", passed: false });
    expect(steps.at(-1)?.text).toContain("No response came in time");
    await expect.poll(() => socket?.destroyed, { timeout: 30_000 }).toBe(true);
  });

  it("bounds how many tests run at once, two of each person and four in all", async () => {
    const others = [await signInStaff(api, "operator", "operator-2"), await signInStaff(api, "operator", "operator-3")];
    const testAs = (own: string) => post("/connectors/test", own, held());
    const accepted: Socket[] = [];
    const port = await listenRaw((socket) => {
      accepted.push(socket.resume());
    });
    const held = () => ({ ...settings(), port });
    const [second = "", third = ""] = others;
    const own = [test(held()), test(held())];
    await expect.poll(() => accepted.length, { timeout: 8_000 }).toBe(2);
    expect((await test(settings())).status).toBe(429);
    const running = [testAs(second), testAs(second)];
    await expect.poll(() => accepted.length, { timeout: 8_000 }).toBe(4);
    expect((await testAs(third)).status).toBe(429);
    for (const socket of accepted) socket.destroy();
    for (const { steps } of await Promise.all(own)) expect(steps.at(-1)?.text).toContain("closed the connection");
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await test(settings())).status).toBe(200);
  });

  it("takes the stored password for the stored place alone", async () => {
    const without = { host: "127.0.0.1", port: smsc.port, systemId: "hodhod" };
    expect((await test({ name: "sim", ...without })).body["passed"]).toBe(true);
    let reached = false;
    const port = await listenRaw((socket) => {
      reached = true;
      socket.destroy();
    });
    const connections = smsc.counters;
    for (const others of [{ port }, { host: "localhost" }, { tls: true }, { tls: { verify: false } }]) {
      const { status, body } = await test({ name: "sim", ...without, ...others });
      expect([status, body["errorCode"]]).toEqual([400, 1001]);
      expect(body["validationErrors"]).toEqual([expect.objectContaining({ field: "password" })]);
    }
    expect(reached).toBe(false);
    expect(smsc.counters).toEqual(connections);
    const unnamed = await test(without);
    expect(unnamed.body["validationErrors"]).toEqual([expect.objectContaining({ field: "password" })]);
  });

  it.each([
    ["host", { host: "smpp://x" }],
    ["port", { port: "2775x" }],
    ["systemId", { systemId: "" }],
    ["tls", { tls: { what: 1 } }],
    ["host", { host: undefined }],
  ])("names %s where it is wrong", async (field, others) => {
    const { status, body } = await test({ ...settings(), ...others });
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(body["validationErrors"]).toEqual([expect.objectContaining({ field })]);
  });
});
