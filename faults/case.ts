// What a case is, and the frame that all share: a world under load, a fault in the middle of it,
// rest, and the audit.
import { existsSync } from "node:fs";
import { memoryMiB } from "../bench/machine.ts";
import type { Audit } from "./audit.ts";
import type { DatabaseServer } from "./servers.ts";
import { World, type WorldOptions } from "./world.ts";

export interface CaseContext {
  /** The long form: more faults, more messages. */
  readonly full: boolean;
  /** Seeded; in [0, 1). */
  readonly random: () => number;
  /** That the nodes of a case may share. */
  readonly server: DatabaseServer;
}

export interface CaseCounts extends Omit<Audit, "underWay" | "examples"> {
  /** Calls that had to be repeated, each repetition counted. */
  readonly retries: number;
  /** What the rule allows here. */
  readonly doubledAllowed: number;
  readonly openAllowed: number;
  readonly backMs: number | undefined;
  readonly note: string;
  readonly problems: readonly string[];
}

/** A case that cannot be brought about on this machine. */
export class Skipped extends Error {}

export interface FaultCase {
  readonly name: string;
  readonly title: string;
  /**
   * It needs a machine that does nothing else: it runs in the full form, or when it is named, and
   * no other case beside it.
   */
  readonly needsQuiet?: boolean;
  run(context: CaseContext): Promise<CaseCounts>;
}

/** What a fault cost, beside what the world noted of it. */
export interface FaultReport {
  /**
   * How many windows' answers it cost, on each bind of a node: that is the limit of what may be
   * doubled (resend) or left open (hold, fail).
   */
  readonly cuts?: number;
  /**
   * Endings of recipients whose parts the operator answers too late or never: they count like those
   * of the cuts.
   */
  readonly unansweredEndings?: readonly string[];
  /** Further parts that may have stayed without an answer. */
  readonly unansweredParts?: number;
  /** With resend: how often each unanswered part may be submitted again (once, unless given). */
  readonly resends?: number;
  /** With resend: no submission of theirs is ever answered, so that their messages stay open. */
  readonly staysOpen?: boolean;
  /** Messages beyond the first to one number, which the operator takes for doubled ones. */
  readonly furtherToOneNumber?: () => number;
  readonly backMs?: number;
  readonly note?: string;
  /** Checks what must hold when all is at rest, beyond what is counted. The gateways still run. */
  readonly atRest?: () => void | Promise<void>;
}

/** Messages accepted before the fault, and again after it. */
const messagesAround = 150;
const restMs = 120_000;

/** On the server of all cases, unless the options name another one, or undefined for none. */
export async function underLoad(
  { full, server }: CaseContext,
  options: WorldOptions,
  fault: (world: World) => Promise<FaultReport>,
): Promise<CaseCounts> {
  const world = await World.create({ server, ...options });
  try {
    const { load } = world;
    const messages = full ? messagesAround * 4 : messagesAround;
    load.start();
    await load.accepts(messages);
    const report = await fault(world);
    await load.accepts(messages);
    await load.stop();
    const audit = await world.rest(restMs);
    await report.atRest?.();
    await world.terminate();
    return tally(world, audit, report);
  } finally {
    await world.close();
  }
}

/** What came of a load and of what happened to it. */
export function tally(world: World, audit: Audit, report: FaultReport): CaseCounts {
  const { load, options } = world;
  const uncertain = uncertainParts(world, report);
  const { resends = 1, staysOpen = false, furtherToOneNumber = () => 0, note = "" } = report;
  const [doubledAllowed, openAllowed] =
    options.policy === "resend" ? [uncertain * resends, staysOpen ? uncertain : 0] : [0, uncertain];
  const { lost, misreported, rialsOff, open, underWay, examples, accepted } = audit;
  const doubled = audit.doubled - furtherToOneNumber();
  world.check(lost === 0, `${lost} lost`);
  world.check(doubled <= doubledAllowed, `${doubled} doubled, where ${doubledAllowed} may be`);
  world.check(misreported === 0, `${misreported} misreported`);
  world.check(rialsOff === 0n, `${rialsOff} rials off`);
  world.check(open <= openAllowed, `${open} open, where ${openAllowed} may be`);
  world.check(underWay === 0, `${underWay} still under way`);
  return {
    ...{ accepted, lost, doubled, misreported, rialsOff, open, doubledAllowed, openAllowed },
    retries: load.retries,
    backMs: report.backMs,
    note: [note, ...world.notes].filter(Boolean).join("; "),
    problems: [
      ...world.problems,
      ...load.failures.slice(0, 3).map((failure) => `a call failed: ${failure}`),
      ...examples,
    ],
  };
}

/** How many parts the fault may have left without an answer. */
function uncertainParts(world: World, report: FaultReport): number {
  const { cuts = 0, unansweredEndings = [], unansweredParts = 0 } = report;
  const bindsOfOneNode = Math.ceil(world.binds / world.holders);
  const unanswered = world.load.promised.filter(({ recipient }) => unansweredEndings.includes(recipient.slice(-4)));
  return (
    cuts * world.mostUnsettled * bindsOfOneNode +
    unanswered.reduce((sum, { parts }) => sum + parts, 0) +
    unansweredParts
  );
}

/** From now until a call that is made now is answered and its message is with the operator. */
export function untilBack({ load, operator }: World): Promise<number> {
  return timed(async () => operator.untilTaken((await load.probe()).recipient));
}

/** How many milliseconds it takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}

/** Does it so often, one after the other, and answers the longest time of those that it answered. */
export async function longestOf(times: number, work: (round: number) => Promise<number>): Promise<number> {
  let longest = 0;
  for (let round = 0; round < times; round += 1) longest = Math.max(longest, await work(round));
  return longest;
}

export const longestAnswerMs = 3_000;
const mostMebibytes = 500;

/**
 * Waits for what others do meanwhile. All calls of the load are answered 200 within 3 s, and the
 * gateway's memory stays bounded.
 */
export async function besideGoodCaller<T>(world: World, others: Promise<T>): Promise<T> {
  if (!existsSync("/proc/self/status")) throw new Skipped("needs Linux");
  const { load } = world;
  load.latencies.length = 0;
  const before = load.retries;
  const result = await others;
  const slowest = Math.round(Math.max(0, ...load.latencies));
  const repeated = load.retries - before;
  const memory = Math.round(memoryMiB(world.node().pid));
  world.check(repeated === 0, `${repeated} calls of the other caller were not answered 200`);
  world.check(slowest <= longestAnswerMs, `a call of the other caller took ${slowest} ms`);
  world.check(memory <= mostMebibytes, `${memory} MB resident`);
  world.notes.push(`${load.latencies.length} calls meanwhile, slowest ${slowest} ms; ${memory} MB resident`);
  return result;
}
