// Hostile peers over real sockets, from both sides: an ESME that sends anything to our SMSC, and an
// SMSC that sends anything to our ESME. The session goes on or ends within bounded time, answers
// nothing but sound PDUs, and another session of the same process never feels it.
import { once } from "node:events";
import { connectAndBind, type ConnectOptions } from "../src/smpp/client.ts";
import { FrameDecoder } from "../src/smpp/incoming-stream.ts";
import type { SmppReply } from "../src/smpp/request-window.ts";
import type { SmppSession } from "../src/smpp/session.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../src/simulator/simulated-smsc.ts";
import { submitTo } from "../test/smpp/pdu-samples.ts";
import { bindPdu, connectRaw, startRawSmsc, type RawPeer, type RawSmsc } from "../test/smpp/raw-peer.ts";
import { mutateOctets } from "./mutate.ts";
import { within } from "./timeout.ts";
import { spoiledPdu } from "./pdu-target.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, type Subject, type Target } from "./target.ts";
import { octetsOf, writeExpression } from "./value.ts";

interface PeerInput {
  readonly [key: string]: boolean | number | readonly string[];
  /** Says who it is first, as it should. */
  readonly isBound: boolean;
  /** Octets, each in a write of its own. */
  readonly writes: readonly string[];
  /**
   * How it leaves: 0 ends its side, 1 resets the connection, 2 asks whether the session lives, and
   * ends.
   */
  readonly leaving: number;
}

const timeoutMs = 10_000;
const responseTimeoutMs = 250;
const probeSequenceNumber = 0x7ffffff0;
const ownRequests = 4;

/** With sequence numbers that the other side uses, so that responses meet requests. */
function withLowSequenceNumber(random: Random, frame: string): string {
  if (frame.length < 16 || random.chance(0.4)) return frame;
  return `${frame.slice(0, 12)}\0\0\0${String.fromCharCode(random.between(1, ownRequests + 2))}${frame.slice(16)}`;
}

function generatePeer(random: Random): PeerInput {
  const frames = random.list(0, 8, () => withLowSequenceNumber(random, spoiledPdu(random)));
  const stream = frames.join("");
  const writes = random.oneOf(
    () => frames,
    () => [stream],
    () => [mutateOctets(random, stream, random.octets(40))],
    () => [stream.slice(0, random.below(stream.length + 1)), random.octets(random.between(0, 200))],
    () => [stream.repeat(random.between(1, 50))],
  );
  return { isBound: random.chance(0.8), writes, leaving: random.below(3) };
}

/** Whether what was written ends where a PDU ends, so that a further one will be understood. */
function isAtFrameEnd(writes: readonly string[]): boolean {
  const decoder = new FrameDecoder();
  let left = writes.reduce((sum, octets) => sum + octets.length, 0);
  const lost = decoder.push(octetsOf(writes.join("")), (frame) => (left -= frame.length));
  return lost === undefined && left === 0;
}

async function sendAll(peer: RawPeer, writes: readonly string[]): Promise<void> {
  for (const octets of writes) {
    if (peer.socket.destroyed) return;
    peer.socket.write(octetsOf(octets));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Either the probe is answered, or the connection ends. */
async function probe(peer: RawPeer): Promise<void> {
  const enquiry = {
    command: "enquire_link",
    command_status: 0,
    sequence_number: probeSequenceNumber,
    tlvs: [],
  } as const;
  peer.send(enquiry);
  const answered = async (): Promise<void> => {
    while (!peer.received.some(({ sequence_number }) => sequence_number === probeSequenceNumber)) {
      if (peer.socket.destroyed) return;
      await once(peer.socket, "data");
    }
  };
  const settled = Promise.race([answered().catch(() => undefined), peer.closed]);
  await within(timeoutMs, settled, "neither the session answers nor ends");
}

async function leave(peer: RawPeer, { writes, leaving }: PeerInput): Promise<void> {
  if (leaving === 2 && isAtFrameEnd(writes)) await probe(peer);
  if (leaving === 1) peer.socket.resetAndDestroy();
  else peer.socket.end();
}

/** A pair of our own that must never feel what happens beside it. */
class GoodLink {
  readonly smsc: SimulatedSmsc;
  readonly session: SmppSession;

  static async open(): Promise<GoodLink> {
    const smsc = await startSimulatedSmsc({ memory: 100 });
    return new GoodLink(smsc, await connectAndBind(clientOptions(smsc.port, { systemId: "good" })));
  }

  private constructor(smsc: SimulatedSmsc, session: SmppSession) {
    this.smsc = smsc;
    this.session = session;
  }

  async close(): Promise<void> {
    this.session.destroy();
    await this.smsc.stop("destroy");
  }

  async demandWorks(): Promise<void> {
    const reply = await within(
      timeoutMs,
      this.session.request(submitTo("989121234567")),
      "the good session has no answer",
    );
    demand(
      reply.kind === "response" && reply.pdu.command_status === 0,
      `the good session has the reply ${JSON.stringify(reply)}`,
    );
  }
}

function clientOptions(port: number, more: Partial<ConnectOptions> = {}): ConnectOptions {
  const patient = { responseTimeoutMs: timeoutMs, enquireLinkSeconds: 0, inactivitySeconds: 0 };
  return {
    host: "127.0.0.1",
    port,
    systemId: "fuzz",
    password: "secret",
    bindType: "transceiver",
    ...patient,
    ...more,
  };
}

/**
 * The simulated SMSC keeps what its ESMEs never acknowledged, as it must; now and then it is
 * another one.
 */
const inputsOfOneSmsc = 500;

async function openHostileEsme(): Promise<Subject<PeerInput>> {
  let good = await GoodLink.open();
  let inputs = 0;
  const check = async (input: PeerInput): Promise<void> => {
    inputs += 1;
    if (inputs % inputsOfOneSmsc === 0) {
      await good.close();
      good = await GoodLink.open();
    }
    const peer = await connectRaw(good.smsc.port);
    if (input.isBound) peer.send(bindPdu());
    await sendAll(peer, input.writes);
    await leave(peer, input);
    await within(timeoutMs, peer.closed, "the session does not end with its peer");
    await good.demandWorks();
  };
  return { check, close: () => good.close() };
}

function submitSome(session: SmppSession): Promise<SmppReply>[] {
  return Array.from({ length: ownRequests }, () => session.request(submitTo("989121234567")));
}

async function openHostileSmsc(): Promise<Subject<PeerInput>> {
  const good = await GoodLink.open();
  const check = async (input: PeerInput): Promise<void> => {
    const raw = await startRawSmsc();
    try {
      await meet(raw, input);
    } finally {
      await raw.stop();
    }
    await good.demandWorks();
  };
  return { check, close: () => good.close() };
}

async function meet(raw: RawSmsc, input: PeerInput): Promise<void> {
  const accepting = raw.accept();
  const onRequest = async () => ({ command_status: 0 });
  const binding = connectAndBind(clientOptions(raw.port, { responseTimeoutMs, onRequest }));
  // A bind that fails is none of our business here, but it must end.
  const bound = binding.catch(() => undefined);
  const peer = await accepting;
  const bind = await peer.next("bind_transceiver");
  if (input.isBound) peer.answer(bind);
  const session = input.isBound ? await bound : undefined;
  const replies = session === undefined ? [] : submitSome(session);
  await sendAll(peer, input.writes);
  await leave(peer, input);
  await within(timeoutMs, Promise.all(replies), "a request of ours has no reply");
  const late = await within(timeoutMs, bound, "the bind has no end");
  if (late !== undefined) await within(timeoutMs, late.closed, "the session does not end with its peer");
  await within(timeoutMs, peer.closed, "the connection does not end");
}

/** A closed socket may linger for a second. */
const common = {
  budgetMs: 60_000,
  growthMegabytes: 16,
  settleMs: 1500,
  generate: generatePeer,
  write: writeExpression,
};

export const hostileEsmeTarget: Target = defineTarget<PeerInput>({
  from: import.meta.url,
  ...common,
  name: "esme",
  title: "a hostile ESME at our SMSC session, over a socket",
  open: openHostileEsme,
});

export const hostileSmscTarget: Target = defineTarget<PeerInput>({
  from: import.meta.url,
  ...common,
  name: "smsc",
  title: "a hostile SMSC at our ESME session, over a socket",
  open: openHostileSmsc,
});
