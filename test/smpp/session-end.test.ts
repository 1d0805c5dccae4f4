import { describe, expect, it } from "vitest";
import type { SmppReply } from "../../src/smpp/request-window.ts";
import { boundPair, nextEvent } from "./session-pair.ts";
import { submitTo } from "./pdu-samples.ts";

const nobody = { onReply: () => undefined };
const theirUnbind = { command: "unbind", command_status: 0, sequence_number: 9, tlvs: [] } as const;

describe("the end of a session", () => {
  it("case 13: a link cut with a full window gives each request one reply, and tells what was written", async () => {
    const { session, peer } = await boundPair({ window: 50 });
    const replies: SmppReply[] = [];
    for (let count = 0; count < 50; count += 1)
      session.submit(submitTo("1"), { onReply: (reply) => replies.push(reply) });
    const waiting = session.request(submitTo("2"));
    for (let count = 0; count < 50; count += 1) await peer.next("submit_sm");
    peer.socket.destroy();
    expect(await session.closed).toMatchObject({ kind: "disconnected" });
    expect(replies).toEqual(Array.from({ length: 50 }, () => ({ kind: "closed", written: true })));
    expect(await waiting).toEqual({ kind: "closed", written: false });
    expect(session.inFlight).toBe(0);
  });

  it("case 13: what never reached the socket is known as not written", async () => {
    const { session } = await boundPair();
    const reply = session.request(submitTo("1"));
    session.destroy();
    expect(await reply).toEqual({ kind: "closed", written: false });
    expect(await session.request(submitTo("1"))).toEqual({ kind: "closed", written: false });
    expect(session.submit(submitTo("1"), nobody)).toBe(false);
  });

  it("case 14: a peer that answers nothing is found out by enquire_link", async () => {
    const { session, peer } = await boundPair({ enquireLinkSeconds: 0.03, responseTimeoutMs: 1000 });
    const reply = session.request(submitTo("1"), { timeoutMs: 60_000 });
    await peer.next("enquire_link");
    expect(await session.closed).toEqual({ kind: "timer", timer: "enquire_link" });
    expect(await reply).toEqual({ kind: "closed", written: true });
  });

  it("case 14: a peer that no longer reads is found out as well", async () => {
    const { session, peer } = await boundPair({ enquireLinkSeconds: 0.03, responseTimeoutMs: 1000, window: 100_000 });
    peer.socket.pause();
    for (let count = 0; count < 20_000; count += 1) session.submit(submitTo("1", "x".repeat(200)), nobody);
    expect(await session.closed).toEqual({ kind: "timer", timer: "enquire_link" });
  });

  it("case 14: a silent link is written one window and no more, until it shows that it lives", async () => {
    // A window of one: the requests of a larger one time out one after another, and the answer may
    // come in between.
    const { session, peer } = await boundPair({ window: 1, enquireLinkSeconds: 60, responseTimeoutMs: 1000 });
    const onReply = (): void => void session.submit(submitTo("again"), { onReply });
    session.submit(submitTo("1"), { onReply });
    const enquiry = await peer.next("enquire_link");
    expect(session.windowFree).toBe(0);
    expect(session.submit(submitTo("2"), { onReply })).toBe(false);
    const free = nextEvent(session, "windowFree");
    peer.answer(enquiry);
    await free;
    expect(session.windowFree).toBe(1);
    session.close();
  });

  it("inactivity ends a link without enquiries", async () => {
    const { session } = await boundPair({ inactivitySeconds: 0.05 });
    expect(await session.closed).toEqual({ kind: "timer", timer: "inactivity" });
  });

  it("answers unbind, then closes", async () => {
    const { session, peer } = await boundPair();
    peer.send(theirUnbind);
    expect(await peer.next("unbind_resp")).toMatchObject({ sequence_number: 9, command_status: 0 });
    expect(await session.closed).toEqual({ kind: "unbound_by_peer" });
    await peer.closed;
  });

  it("case 19: answers unbind after it has got the answers that the peer owes, and sends nothing more", async () => {
    const { session, peer } = await boundPair();
    const reply = session.request(submitTo("1"));
    const request = await peer.next("submit_sm");
    peer.send(theirUnbind, { command: "enquire_link", command_status: 0, sequence_number: 10, tlvs: [] });
    await peer.next("enquire_link_resp");
    expect(session.submit(submitTo("2"), nobody)).toBe(false);
    peer.answer(request, { message_id: "7" });
    expect(await reply).toMatchObject({ kind: "response", pdu: { message_id: "7" } });
    expect(await peer.next("unbind_resp")).toMatchObject({ sequence_number: 9, command_status: 0 });
    expect(await session.closed).toEqual({ kind: "unbound_by_peer" });
  });

  it("case 19: answers unbind in the end, though the peer goes on owing an answer", async () => {
    const { session, peer } = await boundPair({ responseTimeoutMs: 200 });
    const reply = session.request(submitTo("1"));
    await peer.next("submit_sm");
    peer.send(theirUnbind);
    expect(await peer.next("unbind_resp")).toMatchObject({ sequence_number: 9, command_status: 0 });
    expect(await reply).toEqual({ kind: "timeout" });
    expect(await session.closed).toEqual({ kind: "unbound_by_peer" });
  });
});

describe("case 28: unbind and close", () => {
  it("unbind takes nothing more, lets answers in, and is the same promise for all callers", async () => {
    const { session, peer } = await boundPair();
    const reply = session.request(submitTo("1"));
    const request = await peer.next("submit_sm");
    const unbound = session.unbind();
    expect(session.unbind()).toBe(unbound);
    expect(session.windowFree).toBe(0);
    expect(session.submit(submitTo("2"), nobody)).toBe(false);
    expect(await session.request(submitTo("2"))).toEqual({ kind: "closed", written: false });
    const unbind = await peer.next("unbind");
    peer.answer(request, { message_id: "7" });
    peer.answer(unbind);
    expect(await reply).toMatchObject({ kind: "response", pdu: { message_id: "7" } });
    await unbound;
    expect(await session.closed).toEqual({ kind: "closed_here" });
  });

  it("unbind ends though it is never answered", async () => {
    const { session, peer } = await boundPair({ responseTimeoutMs: 1000 });
    await session.unbind();
    expect(session.state).toBe("unbound");
    await peer.closed;
  });

  it("both sides may unbind at once", async () => {
    const { session, peer } = await boundPair();
    const unbound = session.unbind();
    const { sequence_number } = await peer.next("unbind");
    peer.send({ command: "unbind", command_status: 0, sequence_number: 1, tlvs: [] });
    peer.send({ command: "unbind_resp", command_status: 0, sequence_number, tlvs: [] });
    await unbound;
    await peer.closed;
  });

  it("closing from a reply, and submitting from the replies that this causes, comes to an end", async () => {
    const { session, peer } = await boundPair({ window: 10 });
    let replies = 0;
    const onReply = (): void => {
      replies += 1;
      session.close();
      session.submit(submitTo("again"), { onReply });
      void session.unbind();
    };
    for (let count = 0; count < 10; count += 1) session.submit(submitTo("1"), { onReply });
    peer.answer(await peer.next("submit_sm"));
    expect(await session.closed).toEqual({ kind: "closed_here" });
    expect(replies).toBe(10);
    session.close();
    session.destroy();
    await session.unbind();
  });

  it("what was handed in before close is still written", async () => {
    const { session, peer } = await boundPair();
    const reply = session.request(submitTo("last"));
    session.close();
    expect(await reply).toEqual({ kind: "closed", written: true });
    expect(await peer.next("submit_sm")).toMatchObject({ destination_addr: "last" });
    await peer.closed;
  });
});
