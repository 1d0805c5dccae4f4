// Cases in which the link to the operator, or the operator itself, misbehaves.
import { setTimeout as delay } from "node:timers/promises";
import { commandStatus, tlvTag } from "../src/smpp/constants.ts";
import { maximumUnansweredSubmissions } from "../src/sms/submit-outcome.ts";
import { encodePdu } from "../src/smpp/pdu-codec.ts";
import type { DeliverSm } from "../src/smpp/pdu.ts";
import { plainSubmitSm } from "../test/smpp/pdu-samples.ts";
import { startRawSmsc } from "../test/smpp/raw-peer.ts";
import {
  besideGoodCaller,
  type CaseContext,
  type FaultCase,
  type FaultReport,
  longestOf,
  timed,
  underLoad,
  untilBack,
} from "./case.ts";
import { holdsWithin } from "../bench/look.ts";
import type { Policy, World, WorldOptions } from "./world.ts";

const policies: readonly Policy[] = ["resend", "hold", "fail"];

/** No answer is given up while a window fills. */
const slowTimeout = { responseTimeoutMs: 30_000 };

/** A busy window is refilled when a quarter of it is free. */
const fullShare = 0.75;

function cut(policy: Policy): FaultCase {
  return {
    name: `cut-${policy}`,
    title: `link cut with a full window, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, connector: slowTimeout }, async (world) => {
        const { operator, load } = world;
        const times = context.full ? 10 : 3;
        const backMs = await longestOf(times, async () => {
          await operator.holdAnswers();
          const inFlight = await world.untilInFlight(fullShare * world.window);
          world.check(inFlight >= fullShare * world.window, `a link was cut with only ${inFlight} parts in its window`);
          operator.smsc.cutLinks();
          operator.smsc.resumeAnswers();
          const back = await untilBack(world);
          await load.accepts(50);
          return back;
        });
        return { cuts: times, backMs, note: `${times} cuts` };
      }),
  };
}

const impatient = { enquireLinkSeconds: 1, responseTimeoutMs: 2000 };

function halfOpen(policy: Policy): FaultCase {
  return {
    name: `half-open-${policy}`,
    title: `half-open link, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, connector: impatient }, async (world) => {
        const { smsc } = world.operator;
        const backMs = await timed(async () => {
          const rebound = smsc.next("bind", undefined, 60_000);
          smsc.freezeLinks();
          await rebound;
          await untilBack(world);
        });
        // What lay in its buffers is read now, after all.
        smsc.thawLinks();
        // When the window has timed out, one more is tried before the link is known to be dead.
        return { cuts: 1, unansweredParts: 1, backMs };
      }),
  };
}

/** The operator does as its table says for some recipients, all the time; nothing else happens. */
function behaving(
  name: string,
  title: string,
  options: WorldOptions,
  report: (world: World) => FaultReport = () => ({}),
): FaultCase {
  return {
    name,
    title: `${title}, ${options.policy}`,
    run: (context) =>
      underLoad(context, options, async (world) => {
        await world.load.accepts(200);
        return report(world);
      }),
  };
}

const muteTimeoutMs = 1000;

/** Takes everything for a while and answers nothing; then all the answers come, far too late. */
function mute(policy: Policy): FaultCase {
  return {
    name: `mute-${policy}`,
    title: `SMSC answers nothing for a while, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, connector: { responseTimeoutMs: muteTimeoutMs } }, async (world) => {
        const { operator, window } = world;
        const before = operator.submits;
        operator.smsc.pauseAnswers();
        const mutedMs = await timed(() => delay(context.full ? 20_000 : 6000));
        const meanwhile = operator.submits - before;
        operator.smsc.resumeAnswers();
        const backMs = await untilBack(world);
        // A window; what goes on while the first of it time out; then one message at a time.
        const most = 2 * window + Math.ceil(mutedMs / muteTimeoutMs);
        world.check(meanwhile <= most, `a silent SMSC was sent ${meanwhile} submit_sm, where ${most} may be`);
        const note = `${meanwhile} submit_sm in ${Math.round(mutedMs / 1000)} s`;
        return { unansweredParts: meanwhile + window, backMs, note };
      }),
  };
}

/**
 * Each part that is never answered was submitted as often as the rule says: no more, and no less.
 */
function checkSubmittedUntilHeld({ load, operator, problems }: World): void {
  const silent = load.promised.filter(({ recipient }) => recipient.endsWith(silentEnding));
  const times = silent.flatMap(({ recipient, parts }) => operator.facts(recipient, parts).map(({ taken }) => taken));
  const wrong = times.filter((taken) => taken !== maximumUnansweredSubmissions);
  if (wrong.length > 0)
    problems.push(`${wrong.length} silent parts were submitted ${[...new Set(wrong)].join(", ")} times, not four`);
}

const silentEnding = "0021";

function bindRefused(context: CaseContext) {
  return underLoad(context, { policy: "hold" }, async (world) => {
    const { smsc } = world.operator;
    const refusals = context.full ? 5 : 3;
    const times: number[] = [];
    smsc.on("bindRefused", () => times.push(performance.now()));
    smsc.refuseBinds(commandStatus.ESME_RBINDFAIL);
    smsc.cutLinks();
    await smsc.next("bindRefused", () => times.length >= refusals, 60_000);
    const [lastButOne = NaN, last = NaN] = times.slice(-2);
    smsc.refuseBinds(undefined);
    const backMs = await untilBack(world);
    // Backs off: 1 s, 2 s, 4 s…, each less a quarter at most. The machine may be late with one of them.
    const pauseMs = Math.round(last - lastButOne);
    world.check(pauseMs >= 600 * 2 ** (refusals - 2), `${pauseMs} ms before the last of ${refusals} binds`);
    return { cuts: 1, backMs, note: `${refusals} refusals` };
  });
}

function bindUnanswered(context: CaseContext) {
  return underLoad(context, { policy: "hold", connector: { responseTimeoutMs: 2000 } }, async (world) => {
    const { smsc } = world.operator;
    const silentMs = context.full ? 20_000 : 5000;
    smsc.refuseBinds("silent");
    smsc.cutLinks();
    await delay(silentMs);
    smsc.refuseBinds(undefined);
    return { cuts: 1, backMs: await untilBack(world), note: `for ${silentMs / 1000} s` };
  });
}

/** A length beyond reason; a PDU of an unknown command; a truncated deliver_sm. */
const knownGarbage = [
  "7fffffff00000005000000007ffffff1",
  "00000010000001ff000000007ffffff2",
  "0000001100000005000000007ffffff3ff",
];
/** deliver_sm, data_sm, submit_sm_resp. */
const garbledCommands = [0x0000_0005, 0x0000_0103, 0x8000_0004];
/** That nothing of the gateway's has: what it answers is about the garbage alone. */
const garbledSequence = 0x7fff_ff00;

/** Octets that no SMSC should ever send. */
function garbageOf(random: () => number, round: number): Buffer {
  const known = knownGarbage[round];
  if (known !== undefined) return Buffer.from(known, "hex");
  const octets = Buffer.from(Array.from({ length: 16 + Math.floor(random() * 240) }, () => Math.floor(random() * 256)));
  // Every other one is framed well, so that it gets past the frame decoder and is refused further
  // inside.
  if (round % 2 === 1) return octets;
  const fields = [octets.length, garbledCommands[Math.floor(random() * 3)] ?? 0, 0, garbledSequence + round];
  for (const [index, field] of fields.entries()) octets.writeUInt32BE(field, 4 * index);
  return octets;
}

function garbage(context: CaseContext) {
  return underLoad(context, { policy: "hold" }, async (world) => {
    const kinds = context.full ? 20 : 5;
    const backMs = await longestOf(kinds, async (round) => {
      world.operator.smsc.sendRaw(garbageOf(context.random, round));
      await delay(300);
      return untilBack(world);
    });
    return { cuts: kinds, backMs, note: `${kinds} kinds` };
  });
}

const floodDeadlineMs = 60_000;
/** A tag of the vendors' range, which means nothing. */
const vendorTag = 0x1500;
const deliverSm: DeliverSm = {
  ...plainSubmitSm,
  command: "deliver_sm",
  source_addr: "989121234567",
  destination_addr: "10001234",
  registered_delivery: 0,
  short_message: Buffer.alloc(0),
};

/**
 * Another operator sends so many deliver_sm by its own link as fast as its socket takes them, and
 * answers only enquiries; the load beside it must not notice. Each is acknowledged.
 */
function flooded(
  name: string,
  title: string,
  count: number,
  fields: (number: number) => Partial<DeliverSm>,
): FaultCase {
  return {
    name,
    title: `${title}, resend`,
    run: (context) =>
      underLoad(context, { policy: "resend" }, async (world) => {
        const smsc = await startRawSmsc();
        try {
          const login = { host: "127.0.0.1", port: smsc.port, systemId: "x", password: "x" };
          await world.apply({ connectors: [{ name: "flooder", type: "smpp", ...login }] });
          const peer = await smsc.accept();
          peer.answer(await peer.next("bind_transceiver"));
          const { socket, received } = peer;
          let [taken, refused] = [0, 0];
          socket.on("data", () => {
            for (const pdu of received.splice(0)) {
              if (pdu.command === "enquire_link") peer.answer(pdu);
              if (pdu.command !== "deliver_sm_resp") continue;
              if (pdu.command_status === 0) taken += 1;
              else refused += 1;
            }
          });
          const flood = async (): Promise<void> => {
            for (let number = 1; number <= count && !socket.destroyed; number += 1) {
              const octets = encodePdu({ ...deliverSm, sequence_number: number, ...fields(number) });
              await new Promise<void>((resolve) => socket.write(octets, () => resolve()));
            }
            await holdsWithin(floodDeadlineMs, () => taken + refused >= count || socket.destroyed);
          };
          const tookMs = await besideGoodCaller(world, timed(flood));
          world.check(taken === count, `${taken} deliver_sm were taken, ${refused} refused, of ${count}`);
          return { note: `${taken} taken in ${(tookMs / 1000).toFixed(1)} s` };
        } finally {
          await smsc.stop();
        }
      }),
  };
}

const emptyTlvs = Array.from({ length: 15_000 }, () => ({ tag: vendorTag, value: Buffer.alloc(0) }));

export const linkCases: readonly FaultCase[] = [
  ...policies.map((policy) =>
    behaving(
      `silent-${policy}`,
      "answers that never come",
      {
        policy,
        endings: [silentEnding],
        everyNth: 20,
        connector: { responseTimeoutMs: 1000 },
      },
      (world) => ({
        unansweredEndings: [silentEnding],
        ...(policy === "resend" && {
          resends: maximumUnansweredSubmissions - 1,
          staysOpen: true,
          atRest: () => checkSubmittedUntilHeld(world),
        }),
      }),
    ),
  ),
  ...policies.map(cut),
  ...policies.map(halfOpen),
  behaving("throttling", "SMSC throttles above 60 submit_sm/s", {
    policy: "resend",
    smsc: { submitsPerSecond: 60 },
    callsPerSecond: 12,
  }),
  ...policies.map((policy) =>
    behaving(
      `late-${policy}`,
      "answers come after the timeout",
      {
        policy,
        endings: ["0020"],
        everyNth: 10,
        connector: { responseTimeoutMs: 2000 },
        smsc: { lateAnswerMs: 4000 },
      },
      () => ({ unansweredEndings: ["0020"] }),
    ),
  ),
  behaving("disorder", "answers and receipts out of order", {
    policy: "resend",
    endings: ["0020", "0033", "0039", "0062"],
    everyNth: 3,
    connector: { responseTimeoutMs: 10_000 },
    smsc: { lateAnswerMs: 600 },
  }),
  mute("resend"),
  mute("hold"),
  { name: "bind-refused", title: "SMSC refuses the bind, hold", run: bindRefused },
  { name: "bind-unanswered", title: "SMSC does not answer the bind, hold", run: bindUnanswered },
  flooded("flood-tlvs", "25 MB of deliver_sm with 15,000 TLVs each", 417, (number) => ({
    short_message: Buffer.from(`tlvs ${number}`),
    tlvs: emptyTlvs,
  })),
  flooded("flood-payloads", "31 MB of deliver_sm with 60 kB each", 520, (number) => ({
    tlvs: [{ tag: tlvTag.message_payload, value: Buffer.alloc(60_000, `payload ${number} `) }],
  })),
  { name: "garbage", title: "SMSC sends garbage, hold", run: garbage },
];
