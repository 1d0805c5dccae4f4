import { describe, expect, it } from "vitest";
import { commandStatus } from "../../src/smpp/constants.ts";
import type { ResponsePdu, SmppAnswer } from "../../src/smpp/pdu.ts";
import type { SmppReply } from "../../src/smpp/request-window.ts";
import { defaultSettings } from "../../src/smpp/session-options.ts";
import { boundPair, deferred, nextEvent, responseOf } from "./session-pair.ts";
import { plainSubmitSm, submitTo } from "./pdu-samples.ts";

const deliverSm = { ...plainSubmitSm, command: "deliver_sm" } as const;

describe("requests", () => {
  it("case 24: matches answers that come out of order", async () => {
    const { session, peer } = await boundPair();
    const replies = ["1", "2", "3"].map((number) => session.request(submitTo(number)));
    const requests = [await peer.next("submit_sm"), await peer.next("submit_sm"), await peer.next("submit_sm")];
    for (const request of requests.reverse()) peer.answer(request, { message_id: `id ${request.destination_addr}` });
    const ids = (await Promise.all(replies)).map((reply) => responseOf(reply));
    expect(ids).toMatchObject([{ message_id: "id 1" }, { message_id: "id 2" }, { message_id: "id 3" }]);
  });

  it("case 24: the sequence_number wraps after 0x7FFFFFFF and skips what is in flight", async () => {
    const { session, peer } = await boundPair({ lastSequenceNumber: 0x7ffffffd });
    const first = session.request(submitTo("1"));
    const request = await peer.next("submit_sm");
    expect(request.sequence_number).toBe(0x7fffffff);
    void session.request(submitTo("2"));
    expect((await peer.next("submit_sm")).sequence_number).toBe(1);
    peer.answer(request);
    expect((await first).kind).toBe("response");
  });

  it("case 24: after a timeout the late answer still tells which request it was", async () => {
    const { session, peer } = await boundPair();
    const late = deferred<ResponsePdu>();
    const reply = await session.request(submitTo("1"), { timeoutMs: 20, onLate: late.resolve });
    expect(reply).toEqual({ kind: "timeout" });
    expect(session.windowFree).toBe(defaultSettings.window);
    peer.answer(await peer.next("submit_sm"), { message_id: "late" });
    expect(await late.promise).toMatchObject({ command: "submit_sm_resp", message_id: "late" });
    expect(session.state).toBe("bound_trx");
  });

  it("a late answer to an enquiry is nobody's business, but shows that the peer lives", async () => {
    const { session, peer } = await boundPair({ enquireLinkSeconds: 0.05, responseTimeoutMs: 60_000 });
    let late = 0;
    session.on("protocolFault", () => (late += 1));
    const onLate = (): void => void (late += 1);
    const unanswered = await session.request({ command: "enquire_link" }, { timeoutMs: 20, onLate });
    expect(unanswered.kind).toBe("timeout");
    peer.answer(await peer.next("enquire_link"));
    const enquiry = await peer.next("enquire_link");
    // Time passes in which the session settles down to wait for nothing but the answer.
    await session.request(submitTo("8"), { timeoutMs: 20 });
    peer.answer(enquiry);
    await peer.next("enquire_link");
    expect(late).toBe(0);
  });

  it("case 15: none leaves once it may not, though it was taken before: the session ends, and says that it was not written", async () => {
    let mayRequest = true;
    const { session, peer } = await boundPair({ mayRequest: () => mayRequest });
    const written = session.request(submitTo("1"));
    await peer.next("submit_sm");
    const unwritten = session.request(submitTo("2"));
    mayRequest = false;
    expect([await written, await unwritten]).toEqual([
      { kind: "closed", written: true },
      { kind: "closed", written: false },
    ]);
    await peer.closed;
    expect(peer.received.filter(({ command }) => command === "submit_sm")).toHaveLength(1);
  });

  it("a session that may request no more still unbinds", async () => {
    const { session, peer } = await boundPair({ mayRequest: () => false });
    const unbound = session.unbind();
    peer.answer(await peer.next("unbind"));
    await unbound;
  });

  it("a generic_nack answers its request; a response of another command does not", async () => {
    const { session, peer } = await boundPair();
    const reply = session.request(submitTo("1"));
    const { sequence_number } = await peer.next("submit_sm");
    const fault = nextEvent(session, "protocolFault");
    peer.send({ command: "deliver_sm_resp", command_status: 0, sequence_number, message_id: "", tlvs: [] });
    expect(await fault).toMatchObject({ reason: "unexpected deliver_sm_resp", answered: undefined });
    peer.send({ command: "generic_nack", command_status: 3, sequence_number, tlvs: [] });
    expect(responseOf(await reply).command).toBe("generic_nack");
  });

  it("rejects what the wire cannot carry, and nothing of it was sent", async () => {
    const { session, peer } = await boundPair();
    await expect(session.request(submitTo("هدهد"))).rejects.toThrow(RangeError);
    const reply = session.request(submitTo("1"));
    peer.answer(await peer.next("submit_sm"));
    expect((await reply).kind).toBe("response");
    expect(peer.received.filter(({ command }) => command === "submit_sm")).toHaveLength(1);
  });
});

describe("window", () => {
  it("submit takes as many as there are places and tells when one is free", async () => {
    const { session, peer } = await boundPair({ window: 2 });
    const replies: [SmppReply["kind"], number][] = [];
    const submit = (count: number): boolean =>
      session.submit(submitTo("1"), { onReply: (reply) => replies.push([reply.kind, count]) });
    expect([submit(1), submit(2), submit(3)]).toEqual([true, true, false]);
    expect(session.windowFree).toBe(0);
    const free = nextEvent(session, "windowFree");
    peer.answer(await peer.next("submit_sm"));
    await free;
    expect(session.windowFree).toBe(1);
    expect(replies).toEqual([["response", 1]]);
    expect(submit(4)).toBe(true);
  });

  it("a request waits for its place, an enquiry needs none", async () => {
    const { session, peer } = await boundPair({ window: 1 });
    const first = session.request(submitTo("1"));
    const second = session.request(submitTo("2"));
    const enquiry = session.request({ command: "enquire_link" });
    const request = await peer.next("submit_sm");
    peer.answer(await peer.next("enquire_link"));
    expect(responseOf(await enquiry)).toMatchObject({ command: "enquire_link_resp" });
    expect(peer.received.filter(({ command }) => command === "submit_sm")).toHaveLength(1);
    peer.answer(request);
    await first;
    const waited = await peer.next("submit_sm");
    expect(waited.destination_addr).toBe("2");
    peer.answer(waited);
    expect((await second).kind).toBe("response");
  });

  it("case 14: a peer that does not read stops the sender, not the process", async () => {
    const { session, peer } = await boundPair({ window: 100_000 });
    peer.socket.pause();
    let sent = 0;
    const filler = { ...submitTo("1"), short_message: Buffer.alloc(250) };
    while (session.windowFree > 0) {
      for (let count = 0; count < 200 && session.windowFree > 0; count += 1, sent += 1) {
        session.submit(filler, { onReply: () => undefined });
      }
      await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(100_000);
    const free = nextEvent(session, "windowFree");
    peer.socket.resume();
    await free;
    expect(session.windowFree).toBeGreaterThan(0);
  });
});

describe("the peer's requests", () => {
  it("case 26: answers to our requests are handled before requests that came earlier in the same read", async () => {
    const order: string[] = [];
    const { session, peer } = await boundPair({
      onRequest: (pdu) => {
        order.push(pdu.command);
        return { command_status: 0 };
      },
    });
    const reply = session.request(submitTo("1")).then(() => undefined);
    session.submit(submitTo("2"), { onReply: () => order.push("reply") });
    await peer.next("submit_sm");
    const request = await peer.next("submit_sm");
    const { sequence_number } = request;
    peer.send(
      deliverSm,
      { ...deliverSm, sequence_number: 2 },
      { command: "submit_sm_resp", command_status: 0, sequence_number, message_id: "", tlvs: [] },
      { command: "submit_sm_resp", command_status: 0, sequence_number: sequence_number - 1, message_id: "", tlvs: [] },
    );
    await reply;
    await peer.next("deliver_sm_resp");
    expect(order).toEqual(["reply", "deliver_sm", "deliver_sm"]);
  });

  it("case 27: deliver_sm_resp leaves when the handler has decided, and its answer is told that it left", async () => {
    const save = deferred<SmppAnswer>();
    const answered = deferred<boolean>();
    const { peer } = await boundPair({ onRequest: () => save.promise });
    peer.send(
      { ...deliverSm, sequence_number: 41 },
      { command: "enquire_link", command_status: 0, sequence_number: 42, tlvs: [] },
    );
    await peer.next("enquire_link_resp");
    expect(peer.received.some(({ command }) => command === "deliver_sm_resp")).toBe(false);
    save.resolve({ command_status: 0, onWritten: () => answered.resolve(true) });
    expect(await peer.next("deliver_sm_resp")).toMatchObject({ sequence_number: 41, command_status: 0 });
    expect(await answered.promise).toBe(true);
  });

  it("case 27: an answer that no link could carry is not reported as answered", async () => {
    const save = deferred<SmppAnswer>();
    let answered = 0;
    const { session, peer } = await boundPair({ onRequest: () => save.promise });
    peer.send(deliverSm, { command: "enquire_link", command_status: 0, sequence_number: 2, tlvs: [] });
    await peer.next("enquire_link_resp");
    peer.socket.destroy();
    await session.closed;
    save.resolve({ command_status: 0, onWritten: () => (answered += 1) });
    await new Promise(setImmediate);
    expect(answered).toBe(0);
  });

  it("beyond the bound, deliver_sm gets a temporary error and the session lives", async () => {
    const { peer } = await boundPair({ maximumUnanswered: 2, onRequest: () => new Promise(() => undefined) });
    peer.send(...[1, 2, 3].map((sequence_number) => ({ ...deliverSm, sequence_number })));
    expect(await peer.next("deliver_sm_resp")).toMatchObject({
      sequence_number: 3,
      command_status: commandStatus.ESME_RX_T_APPN,
    });
  });

  it("keeps TLVs that nobody knows", async () => {
    const seen = deferred<unknown>();
    const { peer } = await boundPair({
      onRequest: (pdu) => {
        seen.resolve(pdu.tlvs);
        return { command_status: 0, tlvs: [{ tag: 0x1501, value: Buffer.from("mine") }] };
      },
    });
    const tlvs = [{ tag: 0x1501, value: Buffer.from("vendor") }];
    peer.send({ ...deliverSm, tlvs });
    expect(await seen.promise).toEqual(tlvs);
    expect((await peer.next("deliver_sm_resp")).tlvs).toEqual([{ tag: 0x1501, value: Buffer.from("mine") }]);
  });

  it("announces alert_notification", async () => {
    const { session, peer } = await boundPair();
    const alert = nextEvent(session, "alertNotification");
    const address = {
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: "98912",
      esme_addr_ton: 0,
      esme_addr_npi: 0,
    };
    peer.send({
      command: "alert_notification",
      command_status: 0,
      sequence_number: 1,
      ...address,
      esme_addr: "1000",
      tlvs: [],
    });
    expect(await alert).toMatchObject({ source_addr: "98912" });
  });
});
