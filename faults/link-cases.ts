// Cases in which the link to the operator, or the operator itself, misbehaves.
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { commandStatus } from "../src/smpp/constants.ts";
import { type CaseContext, type FaultCase, longestOf, underLoad, untilBack } from "./case.ts";
import type { Policy, WorldOptions } from "./world.ts";

const policies: readonly Policy[] = ["resend", "hold", "fail"];

/** No answer is given up while a window fills. */
const patient = { responseTimeoutMs: 30_000 };

function cut(policy: Policy): FaultCase {
  return {
    name: `cut-${policy}`,
    title: `link cut with a full window, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, ...onServer(context), connector: patient }, async (world) => {
        const { operator, load } = world;
        const times = context.full ? 10 : 3;
        const backMs = await longestOf(times, async () => {
          await operator.holdAnswers();
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
        return { cuts: 1, backMs };
      }),
  };
}

/** The operator does as its table says for some recipients, all the time; nothing else happens. */
function behaving(
  name: string,
  title: string,
  options: WorldOptions,
  unansweredEndings: readonly string[] = [],
): FaultCase {
  return {
    name,
    title: `${title}, ${options.policy}`,
    run: (context) =>
      underLoad(context, { ...options, ...onServer(context) }, async (world) => {
        await world.load.accepts(200);
        return { unansweredEndings };
      }),
  };
}

function bindRefused(context: CaseContext) {
  return underLoad(context, { policy: "hold", ...onServer(context) }, async (world) => {
    const { smsc } = world.operator;
    const refusals = context.full ? 5 : 3;
    let seen = 0;
    smsc.on("bindRefused", () => (seen += 1));
    smsc.refuseBinds(commandStatus.ESME_RBINDFAIL);
    smsc.cutLinks();
    const begunAt = performance.now();
    await smsc.next("bindRefused", () => seen >= refusals, 60_000);
    const tookMs = performance.now() - begunAt;
    smsc.refuseBinds(undefined);
    const backMs = await untilBack(world);
    // Backs off: 1 s, 2 s, 4 s…, less jitter.
    const problems = tookMs < 500 * (refusals - 1) ? [`${refusals} binds within ${Math.round(tookMs)} ms`] : [];
    return { cuts: 1, backMs, note: `${refusals} refusals`, problems };
  });
}

function garbage(context: CaseContext) {
  return underLoad(context, { policy: "hold", ...onServer(context) }, async (world) => {
    const { smsc } = world.operator;
    const insults = [
      randomBytes(64),
      // Sequence numbers that nothing of the operator's has: a generic_nack is about the garbage alone.
      // A length beyond reason; a PDU of an unknown command; a truncated deliver_sm.
      Buffer.from("7fffffff00000005000000007ffffff1", "hex"),
      Buffer.from("00000010000001ff000000007ffffff2", "hex"),
      Buffer.from("0000001100000005000000007ffffff3ff", "hex"),
    ];
    const backMs = await longestOf(insults.length, async (round) => {
      smsc.sendRaw(insults[round] ?? Buffer.alloc(0));
      await delay(300);
      return untilBack(world);
    });
    return { cuts: insults.length, backMs, note: `${insults.length} kinds` };
  });
}

function onServer({ server }: CaseContext): Pick<WorldOptions, "server"> {
  return { server };
}

export const linkCases: readonly FaultCase[] = [
  ...policies.map(cut),
  halfOpen("resend"),
  halfOpen("hold"),
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
        connector: { responseTimeoutMs: 1000 },
        smsc: { lateAnswerMs: 2000 },
      },
      ["0020"],
    ),
  ),
  behaving("disorder", "answers and receipts out of order", {
    policy: "resend",
    endings: ["0020", "0033", "0039", "0062"],
    everyNth: 3,
    connector: { responseTimeoutMs: 10_000 },
    smsc: { lateAnswerMs: 600 },
  }),
  ...(["hold", "fail"] as const).map((policy) =>
    behaving(
      `silent-${policy}`,
      "answers that never come",
      { policy, endings: ["0021"], everyNth: 20, connector: { responseTimeoutMs: 1000 } },
      ["0021"],
    ),
  ),
  { name: "bind-refused", title: "SMSC refuses the bind, hold", run: bindRefused },
  { name: "garbage", title: "SMSC sends garbage, hold", run: garbage },
];
