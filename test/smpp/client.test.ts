import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BindError, connectAndBind, type ConnectOptions } from "../../src/smpp/client.ts";
import { commandStatus } from "../../src/smpp/constants.ts";
import { listenSmpp } from "../../src/smpp/server.ts";
import { defaultSettings } from "../../src/smpp/session-options.ts";
import type { SmppSession } from "../../src/smpp/session.ts";
import { startRawSmsc, type RawSmsc } from "./raw-peer.ts";

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8");

let smsc: RawSmsc;
beforeEach(async () => {
  smsc = await startRawSmsc();
});
afterEach(() => smsc.stop());

function bind(options: Partial<ConnectOptions> = {}, signal?: AbortSignal): Promise<SmppSession> {
  return connectAndBind(
    {
      host: "127.0.0.1",
      port: smsc.port,
      systemId: "hodhod",
      password: "secret",
      bindType: "transceiver",
      responseTimeoutMs: 2000,
      ...options,
    },
    signal,
  );
}

async function failure(attempt: Promise<SmppSession>): Promise<BindError> {
  const outcome = await attempt.catch((error: unknown) => error);
  if (outcome instanceof BindError) return outcome;
  throw new Error(`no BindError but ${String(outcome)}`);
}

describe("connectAndBind", () => {
  it.each([
    ["transceiver", "bind_transceiver", "bound_trx"],
    ["transmitter", "bind_transmitter", "bound_tx"],
    ["receiver", "bind_receiver", "bound_rx"],
  ] as const)("binds as %s", async (bindType, command, state) => {
    const binding = bind({ bindType, systemType: "VMS", addressRange: "^1000", addressTon: 1, addressNpi: 1 });
    const peer = await smsc.accept();
    const request = await peer.next(command);
    expect(request).toMatchObject({
      system_id: "hodhod",
      password: "secret",
      system_type: "VMS",
      interface_version: 0x34,
      addr_ton: 1,
      address_range: "^1000",
    });
    peer.answer(request, { system_id: "smsc" });
    const session = await binding;
    expect(session.state).toBe(state);
    expect(session.windowFree).toBe(defaultSettings.window);
    session.close();
    await peer.closed;
  });

  it("case 17: says why a bind was refused, and leaves no connection", async () => {
    const binding = failure(bind());
    const peer = await smsc.accept();
    peer.answer(await peer.next("bind_transceiver"), { command_status: commandStatus.ESME_RINVPASWD });
    expect(await binding).toMatchObject({ kind: "refused", commandStatus: commandStatus.ESME_RINVPASWD });
    await peer.closed;
  });

  it("case 17: a bind that is nacked is refused", async () => {
    const binding = failure(bind());
    const peer = await smsc.accept();
    const { sequence_number } = await peer.next("bind_transceiver");
    peer.send({ command: "generic_nack", command_status: commandStatus.ESME_RINVCMDID, sequence_number, tlvs: [] });
    expect(await binding).toMatchObject({ kind: "refused", commandStatus: commandStatus.ESME_RINVCMDID });
  });

  it("cases 17, 18: a bind that is never answered times out, and no enquire_link went out before", async () => {
    const binding = failure(bind({ responseTimeoutMs: 150, enquireLinkSeconds: 0.02 }));
    const peer = await smsc.accept();
    expect(await binding).toMatchObject({ kind: "timeout" });
    await peer.closed;
    expect(peer.received.map(({ command }) => command)).toEqual(["bind_transceiver"]);
  });

  it("tells a link that closes during the bind", async () => {
    const binding = failure(bind());
    const peer = await smsc.accept();
    await peer.next("bind_transceiver");
    peer.socket.destroy();
    expect(await binding).toMatchObject({ kind: "closed" });
  });

  it("tells a port where nobody listens", async () => {
    const { port } = smsc;
    await smsc.stop();
    expect(await failure(bind({ port }))).toMatchObject({ kind: "connect" });
  });

  it("can be canceled while connecting and while binding", async () => {
    expect(await failure(bind({}, AbortSignal.abort()))).toMatchObject({ kind: "closed" });
    const giveUp = new AbortController();
    const binding = failure(bind({}, giveUp.signal));
    const peer = await smsc.accept();
    await peer.next("bind_transceiver");
    giveUp.abort();
    expect(await binding).toMatchObject({ kind: "closed" });
    await peer.closed;
  });

  it("case 19: an outbind from the SMSC disturbs nothing", async () => {
    const binding = bind();
    const peer = await smsc.accept();
    peer.send({ command: "outbind", command_status: 0, sequence_number: 1, system_id: "s", password: "p", tlvs: [] });
    peer.answer(await peer.next("bind_transceiver"));
    const session = await binding;
    expect(peer.received.map(({ command }) => command)).toEqual(["bind_transceiver"]);
    session.close();
  });
});

describe("TLS", () => {
  const ca = fixture("ca.pem");

  async function listening() {
    return listenSmpp({ tls: { key: fixture("server-key.pem"), cert: fixture("server.pem") } });
  }

  it("binds to a server whose certificate is right", async () => {
    const server = await listening();
    for (const tls of [{ ca, verify: true }, { ca, verify: true, servername: "smsc.example" }, { verify: false }]) {
      const session = await bind({ port: server.port, tls });
      expect(session.state).toBe("bound_trx");
      await session.unbind();
    }
    await server.close();
  });

  it.each([
    ["an unknown authority", { verify: true }],
    ["another name", { ca, verify: true, servername: "other.example" }],
  ])("refuses a certificate of %s", async (_what, tls) => {
    const server = await listening();
    expect(await failure(bind({ port: server.port, tls }))).toMatchObject({ kind: "connect" });
    await server.close();
  });

  it("gives up on a server that does not speak TLS", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await failure(bind({ port, tls: { verify: true }, connectTimeoutMs: 100 }))).toMatchObject({
      kind: "timeout",
    });
    silent.close();
  });
});
