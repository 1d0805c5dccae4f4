/**
 * A peer that sends faster than it is served: nothing piles up, nothing else stands still, and
 * nothing of ours counts as late meanwhile.
 */

import { describe, expect, it } from "vitest";
import { maximumUnansweredOctets } from "../../src/smpp/incoming-requests.ts";
import { encodePdu } from "../../src/smpp/pdu-codec.ts";
import type { DeliverSm, SmppAnswer } from "../../src/smpp/pdu.ts";
import { plainSubmitSm, submitTo } from "./pdu-samples.ts";
import { boundPair, deferred, nextEvent } from "./session-pair.ts";

const rok: SmppAnswer = { command_status: 0 };
const payloadTag = 0x0424;

function delivery(sequence_number: number, octets: number): Buffer {
  const tlvs = octets === 0 ? [] : [{ tag: payloadTag, value: Buffer.alloc(octets, "x") }];
  const deliverSm: DeliverSm = { ...plainSubmitSm, command: "deliver_sm", sequence_number, tlvs };
  return encodePdu(deliverSm);
}

function deliveries(count: number, octets: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => delivery(index + 1, octets));
}

/** Decides when the test says so, and tells when so many wait for it. */
function slowHandler() {
  const waiting: { sequenceNumber: number; octets: number; answer: (answer: SmppAnswer) => void }[] = [];
  let served = 0;
  let mostOctets = 0;
  let wanted = deferred<undefined>();
  const onRequest = (pdu: { sequence_number: number }): Promise<SmppAnswer> =>
    new Promise((answer) => {
      const { tlvs, short_message } = pdu as DeliverSm;
      const octets = tlvs.reduce((sum, { value }) => sum + value.length, short_message.length);
      waiting.push({ sequenceNumber: pdu.sequence_number, octets, answer });
      mostOctets = Math.max(
        mostOctets,
        waiting.reduce((sum, { octets }) => sum + octets, 0),
      );
      served += 1;
      wanted.resolve(undefined);
    });
  return {
    onRequest,
    waiting,
    get served(): number {
      return served;
    },
    get mostOctets(): number {
      return mostOctets;
    },
    async untilServed(count: number): Promise<void> {
      while (served < count) {
        wanted = deferred();
        await wanted.promise;
      }
    },
    answerNext(): void {
      waiting.shift()?.answer(rok);
    },
  };
}

describe("a flood of deliver_sm", () => {
  it("is read up to 1 MiB of unanswered PDUs; each answer lets more in, and all are answered in the end", async () => {
    const handler = slowHandler();
    const { peer } = await boundPair({ onRequest: handler.onRequest });
    const count = 80;
    peer.send(...deliveries(count, 60_000));
    const fit = Math.floor(maximumUnansweredOctets / 60_100);
    await handler.untilServed(fit);
    // Whatever the peer has written by now, further turns of the event loop serve none of it.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(handler.served).toBe(fit);
    for (let answered = 0; answered < count; answered += 1) {
      await handler.untilServed(answered + 1);
      handler.answerNext();
    }
    for (let answered = 0; answered < count; answered += 1) {
      expect((await peer.next("deliver_sm_resp")).sequence_number).toBe(answered + 1);
    }
    expect(handler.mostOctets).toBeLessThanOrEqual(maximumUnansweredOctets);
  });

  it("answers to our own requests that lie behind it are not taken for late", async () => {
    const handler = slowHandler();
    const { session, peer } = await boundPair({ onRequest: handler.onRequest, responseTimeoutMs: 3000, window: 1 });
    const fit = Math.floor(maximumUnansweredOctets / 60_100);
    peer.send(...deliveries(fit + 5, 60_000));
    await handler.untilServed(fit);
    const reply = session.request(submitTo("1"));
    const request = await peer.next("submit_sm");
    peer.answer(request);
    // Far longer than an answer may take: what counts is the time in which this side reads.
    const standsUntil = performance.now() + 5000;
    while (performance.now() < standsUntil) await new Promise((resolve) => setTimeout(resolve, 20));
    for (let answered = 0; answered < fit + 5; answered += 1) {
      await handler.untilServed(answered + 1);
      handler.answerNext();
    }
    expect((await reply).kind).toBe("response");
  });

  it("a peer that is never answered does not keep this side from saying goodbye", async () => {
    const handler = slowHandler();
    const { session, peer } = await boundPair({ onRequest: handler.onRequest, responseTimeoutMs: 100 });
    peer.send(...deliveries(25, 60_000));
    await handler.untilServed(Math.floor(maximumUnansweredOctets / 60_100));
    await session.unbind();
    expect(session.state).toBe("unbound");
  });

  it("does not hold up the event loop: other work has its turn between any two slow ones", async () => {
    let turns = 0;
    let isOver = false;
    const turnsBefore: number[] = [];
    const countTurns = (): void => {
      turns += 1;
      if (!isOver) setImmediate(countTurns);
    };
    const { peer } = await boundPair({
      onRequest: () => {
        turnsBefore.push(turns);
        // More than one turn may take.
        const endsAt = performance.now() + 12;
        while (performance.now() < endsAt);
        return rok;
      },
    });
    countTurns();
    const count = 20;
    peer.send(...deliveries(count, 0));
    for (let answered = 0; answered < count; answered += 1) await peer.next("deliver_sm_resp");
    isOver = true;
    expect(turnsBefore.every((turn, index) => index === 0 || turn > (turnsBefore[index - 1] ?? 0))).toBe(true);
  });

  it("small PDUs that wait do not keep the chunks that they came with", async () => {
    const kept: ArrayBufferLike[] = [];
    const { peer } = await boundPair({
      onRequest: (pdu) => {
        kept.push((pdu as DeliverSm).short_message.buffer);
        return rok;
      },
    });
    const enquiry = encodePdu({ command: "enquire_link", command_status: 0, sequence_number: 7, tlvs: [] });
    peer.send(Buffer.concat([...new Array<Buffer>(1000).fill(enquiry), delivery(1, 0), enquiry]));
    await peer.next("deliver_sm_resp");
    expect(kept).toHaveLength(1);
    expect(kept[0]?.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
  });
});

describe("a peer that takes no answers", () => {
  it("is not read from beyond 1 MiB that it leaves unread, and again when it takes them", async () => {
    let served = 0;
    const { session, peer } = await boundPair({
      onRequest: () => {
        served += 1;
        return rok;
      },
    });
    const count = 400_000;
    const octets = Buffer.concat(Array.from({ length: 1000 }, (_, index) => delivery(index + 1, 0)));
    const closed = nextEvent(session, "close");
    peer.socket.pause();
    const written = writeAll(peer.socket, octets, count / 1000);
    // As much as the two sockets hold, and 1 MiB beyond; with reading going on, all of them would
    // be served.
    let before = -1;
    while (before !== served) {
      before = served;
      for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    }
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(count);
    peer.socket.resume();
    await written;
    while (served < count) await new Promise(setImmediate);
    session.close();
    expect((await closed).kind).toBe("closed_here");
  }, 120_000);
});

async function writeAll(socket: { write(octets: Buffer, done: () => void): boolean }, octets: Buffer, times: number) {
  for (let time = 0; time < times; time += 1) await new Promise<void>((resolve) => socket.write(octets, resolve));
}
