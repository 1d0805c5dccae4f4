import { afterEach, describe, expect, it } from "vitest";
import { connectAndBind } from "../../src/smpp/client.ts";
import { commandStatus, tlvTag } from "../../src/smpp/constants.ts";
import { listenSmpp, type ListenOptions, type SmppServer } from "../../src/smpp/server.ts";
import { bindPdu, connectRaw, type RawPeer } from "./raw-peer.ts";
import { plainSubmitSm } from "./pdu-samples.ts";

let server: SmppServer | undefined;
afterEach(async () => {
  await server?.close("destroy");
  server = undefined;
});

async function setup(options: ListenOptions = {}): Promise<RawPeer> {
  server = await listenSmpp({ onRequest: () => ({ command_status: 0, message_id: "1" }), ...options });
  return connectRaw(server.port);
}

describe("listenSmpp", () => {
  it("answers a bind with its version, and a second one with ESME_RALYBND", async () => {
    const peer = await setup({ onBind: () => ({ commandStatus: 0, systemId: "smsc" }) });
    peer.send(bindPdu());
    const answer = await peer.next("bind_transceiver_resp");
    expect(answer).toMatchObject({ command_status: 0, system_id: "smsc" });
    expect(answer.tlvs).toEqual([{ tag: tlvTag.sc_interface_version, value: Buffer.from([0x34]) }]);
    peer.send(bindPdu("bind_transmitter", 2));
    expect(await peer.next("bind_transmitter_resp")).toMatchObject({ command_status: commandStatus.ESME_RALYBND });
  });

  it("takes requests sent right behind the bind", async () => {
    const peer = await setup({ onBind: () => ({ commandStatus: 0, systemId: "smsc" }) });
    peer.send(bindPdu(), { ...plainSubmitSm, sequence_number: 2 });
    expect(await peer.next("bind_transceiver_resp")).toMatchObject({ command_status: 0 });
    expect(await peer.next("submit_sm_resp")).toMatchObject({ command_status: 0, message_id: "1" });
  });

  it("refuses a bind as told, and the peer may try again", async () => {
    let attempt = 0;
    const peer = await setup({
      onBind: async () => ({ commandStatus: (attempt += 1) === 1 ? commandStatus.ESME_RINVPASWD : 0, systemId: "" }),
    });
    peer.send(bindPdu());
    const refused = { command_status: commandStatus.ESME_RINVPASWD, tlvs: [] };
    expect(await peer.next("bind_transceiver_resp")).toMatchObject(refused);
    peer.send(bindPdu("bind_transceiver", 2));
    expect(await peer.next("bind_transceiver_resp")).toMatchObject({ command_status: 0 });
  });

  it("a judge that fails is a system error, not a crash", async () => {
    const peer = await setup({ onBind: () => Promise.reject(new Error("away")) });
    peer.send(bindPdu());
    expect(await peer.next("bind_transceiver_resp")).toMatchObject({ command_status: commandStatus.ESME_RSYSERR });
  });

  it("refuses requests before the bind and on the wrong half", async () => {
    const peer = await setup();
    peer.send(plainSubmitSm);
    expect(await peer.next("submit_sm_resp")).toMatchObject({ command_status: commandStatus.ESME_RINVBNDSTS });
    peer.send(bindPdu("bind_receiver"), plainSubmitSm);
    await peer.next("bind_receiver_resp");
    expect(await peer.next("submit_sm_resp")).toMatchObject({ command_status: commandStatus.ESME_RINVBNDSTS });
  });

  it("lets a peer go that does not bind", async () => {
    const peer = await setup({ sessionInitMs: 50 });
    await peer.closed;
  });

  it("says goodbye when asked to", async () => {
    const peer = await setup();
    peer.send(bindPdu());
    await peer.next("bind_transceiver_resp");
    const closing = server?.close("unbind");
    peer.answer(await peer.next("unbind"));
    await closing;
    await peer.closed;
  });

  it("rejects a port that is taken", async () => {
    await setup();
    await expect(listenSmpp({ port: server?.port ?? 0 })).rejects.toThrow("EADDRINUSE");
  });

  it("forgets sessions that are over", async () => {
    await setup();
    const session = await connectAndBind({
      host: "127.0.0.1",
      port: server?.port ?? 0,
      systemId: "a",
      password: "b",
      bindType: "transceiver",
    });
    const seen = server?.sessions.find(({ bound }) => bound !== undefined);
    await session.unbind();
    expect(await seen?.closed).toEqual({ kind: "unbound_by_peer" });
    expect(server?.sessions).not.toContain(seen);
  });
});
