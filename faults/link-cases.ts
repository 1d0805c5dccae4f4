// Cases in which the link to the operator, or the operator itself, misbehaves.
import { setTimeout as delay } from "node:timers/promises";
import { commandStatus } from "../src/smpp/constants.ts";
import { maximumUnansweredSubmissions } from "../src/sms/submit-outcome.ts";
import { type CaseContext, type FaultCase, type FaultReport, longestOf, must, underLoad, untilBack } from "./case.ts";
import { peakMemoryMiB } from "../bench/machine.ts";
import { type RawPeer, type RawSmsc, startRawSmsc } from "../test/smpp/raw-peer.ts";
import { flood, longPayloads, manyTlvs } from "./hostile-smsc.ts";
import { insults } from "./insults.ts";
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
      underLoad(context, { policy, ...onServer(context), connector: slowTimeout }, async (world) => {
        const { operator, load } = world;
        const times = context.full ? 10 : 3;
        const problems: string[] = [];
        const backMs = await longestOf(times, async () => {
          await operator.holdAnswers();
          const inFlight = await world.untilInFlight(fullShare * world.window);
          if (inFlight < fullShare * world.window)
            problems.push(`a link was cut with only ${inFlight} parts in its window`);
          operator.smsc.cutLinks();
          operator.smsc.resumeAnswers();
          const back = await untilBack(world);
          await load.accepts(50);
          return back;
        });
        return { cuts: times, backMs, note: `${times} cuts`, problems };
      }),
  };
}

function halfOpen(policy: Policy): FaultCase {
  return {
    name: `half-open-${policy}`,
    title: `half-open link, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, ...onServer(context), connector: { enquireLinkSeconds: 1 } }, async (world) => {
        const { smsc } = world.operator;
        const begunAt = performance.now();
        const rebound = smsc.next("bind", undefined, 60_000);
        smsc.freezeLinks();
        await rebound;
        await untilBack(world);
        const backMs = performance.now() - begunAt;
        // What lay in its buffers is read now, after all.
        smsc.thawLinks();
        // When the window has timed out, one more is tried before the link is known to be dead.
        return { cuts: 1, unansweredParts: 1, backMs };
      }),
  };
}

/** The operator does as its table says for some recipients, all the time; nothing else happens. */
function behaving(name: string, title: string, options: WorldOptions, report: FaultReport = {}): FaultCase {
  return {
    name,
    title: `${title}, ${options.policy}`,
    run: (context) =>
      underLoad(context, { ...options, ...onServer(context) }, async (world) => {
        await world.load.accepts(200);
        return report;
      }),
  };
}

const muteTimeoutMs = 1000;

/** Takes everything for a while and answers nothing; then all the answers come, far too late. */
function mute(policy: Policy): FaultCase {
  return {
    name: `mute-${policy}`,
    title: `SMSC answers nothing for a while, ${policy}`,
    run: (context) => {
      const connector = { responseTimeoutMs: muteTimeoutMs };
      return underLoad(context, { policy, ...onServer(context), connector }, async (world) => {
        const { operator, window } = world;
        const muteMs = context.full ? 20_000 : 6000;
        const before = operator.submits;
        operator.smsc.pauseAnswers();
        const mutedAt = performance.now();
        await delay(muteMs);
        const meanwhile = operator.submits - before;
        const mutedMs = performance.now() - mutedAt;
        operator.smsc.resumeAnswers();
        const backMs = await untilBack(world);
        // A window; what goes on while the first of it time out; then one message at a time.
        const most = 2 * window + Math.ceil(mutedMs / muteTimeoutMs);
        const problems =
          meanwhile > most ? [`a silent SMSC was sent ${meanwhile} submit_sm, where ${most} may be`] : [];
        return {
          unansweredParts: meanwhile + window,
          backMs,
          note: `${meanwhile} submit_sm in ${muteMs / 1000} s`,
          problems,
        };
      });
    },
  };
}

/**
 * Each part that is never answered was submitted as often as the rule says: no more, and no less.
 */
function submittedUntilHeld({ load, operator }: World): readonly string[] {
  const silent = load.promised.filter(({ recipient }) => recipient.endsWith(silentEnding));
  const times = silent.flatMap(({ recipient, parts }) => operator.facts(recipient, parts).map(({ taken }) => taken));
  const wrong = times.filter((taken) => taken !== maximumUnansweredSubmissions);
  return wrong.length === 0
    ? []
    : [`${wrong.length} silent parts were submitted ${[...new Set(wrong)].join(", ")} times, not four`];
}

const silentEnding = "0021";

function bindRefused(context: CaseContext) {
  return underLoad(context, { policy: "hold", ...onServer(context) }, async (world) => {
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
    const problems = pauseMs >= 600 * 2 ** (refusals - 2) ? [] : [`${pauseMs} ms before the last of ${refusals} binds`];
    return { cuts: 1, backMs, note: `${refusals} refusals`, problems };
  });
}

function bindUnanswered(context: CaseContext) {
  const connector = { responseTimeoutMs: 2000 };
  return underLoad(context, { policy: "hold", ...onServer(context), connector }, async (world) => {
    const { smsc } = world.operator;
    const silentMs = context.full ? 20_000 : 5000;
    smsc.refuseBinds("silent");
    smsc.cutLinks();
    await delay(silentMs);
    smsc.refuseBinds(undefined);
    return { cuts: 1, backMs: await untilBack(world), note: `for ${silentMs / 1000} s` };
  });
}

function garbage(context: CaseContext) {
  return underLoad(context, { policy: "hold", ...onServer(context) }, async (world) => {
    const { smsc } = world.operator;
    const garbled = insults(context.random, context.full ? 20 : 4);
    const backMs = await longestOf(garbled.length, async (round) => {
      smsc.sendRaw(garbled[round] ?? Buffer.alloc(0));
      await delay(300);
      return untilBack(world);
    });
    return { cuts: garbled.length, backMs, note: `${garbled.length} kinds` };
  });
}

/**
 * What the gateway may have resident under a flood, and how long a call of another client may take
 * meanwhile.
 */
const floodedMegabytes = 450;
const floodedCallMs = 3000;
const floodDeadlineMs = 60_000;

/** Another operator floods its own link; the load beside it must not notice. */
function flooded(name: string, title: string, deliveries: () => readonly Buffer[]): FaultCase {
  return {
    name,
    title: `${title}, resend`,
    isAlone: true,
    run: (context) =>
      underLoad(context, { policy: "resend", ...onServer(context) }, async (world) => {
        const { load, node } = world;
        const smsc = await startRawSmsc();
        try {
          const peer = await bindTo(world, smsc);
          const octets = deliveries();
          load.latencies.length = 0;
          const retriesBefore = load.retries;
          const begunAt = performance.now();
          const { taken, refused } = await flood(peer, octets, floodDeadlineMs);
          const tookMs = performance.now() - begunAt;
          await load.accepts(20);
          const slowestMs = Math.max(...load.latencies);
          const megabytes = peakMemoryMiB(node.pid);
          const retries = load.retries - retriesBefore;
          return {
            note: `${taken} taken in ${(tookMs / 1000).toFixed(1)} s, slowest call ${Math.round(slowestMs)} ms, ${Math.round(megabytes)} MB`,
            problems: [
              ...must(
                taken + refused === octets.length,
                `${octets.length - taken - refused} deliver_sm have no answer`,
              ),
              ...must(refused === 0, `${refused} deliver_sm were refused`),
              ...must(retries === 0, `${retries} calls had to be repeated`),
              ...must(slowestMs <= floodedCallMs, `a call took ${Math.round(slowestMs)} ms`),
              ...must(megabytes <= floodedMegabytes, `${Math.round(megabytes)} MB are resident`),
            ],
          };
        } finally {
          await smsc.stop();
        }
      }),
  };
}

async function bindTo(world: World, smsc: RawSmsc): Promise<RawPeer> {
  const login = { systemId: "x", password: "x" };
  await world.apply({ connectors: [{ name: "flooder", type: "smpp", host: "127.0.0.1", port: smsc.port, ...login }] });
  const peer = await smsc.accept();
  peer.answer(await peer.next("bind_transceiver"));
  return peer;
}

function onServer({ server }: CaseContext): Pick<WorldOptions, "server"> {
  return { server };
}

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
      {
        unansweredEndings: [silentEnding],
        ...(policy === "resend"
          ? { resends: maximumUnansweredSubmissions - 1, staysOpen: true, atRest: submittedUntilHeld }
          : {}),
      },
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
      { unansweredEndings: ["0020"] },
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
  flooded("flood-tlvs", "25 MB of deliver_sm with 15,000 TLVs each", () => manyTlvs(417, 15_000)),
  flooded("flood-payloads", "31 MB of deliver_sm with 60 kB each", () => longPayloads(520, 60_000)),
  { name: "garbage", title: "SMSC sends garbage, hold", run: garbage },
];
