// What a case is, and the frame that most of them share: a world under load, a fault in the middle
// of it, rest, and the audit.
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
  readonly calls: number;
  /** Calls that had to be repeated, each repetition counted. */
  readonly retries: number;
  /** What the rule allows here. */
  readonly doubledAllowed: number;
  readonly openAllowed: number;
  readonly backMs: number | undefined;
  readonly note: string;
  /** All that is not as it must be, in words. */
  readonly problems: readonly string[];
}

/** A case that cannot be brought about on this machine. */
export class Skipped extends Error {}

export interface FaultCase {
  readonly name: string;
  readonly title: string;
  /** It is judged by how quickly calls are answered: no other case runs beside it. */
  readonly isAlone?: boolean;
  /** It needs a machine that does nothing else: it runs in the full form, or when it is named. */
  readonly needsQuiet?: boolean;
  run(context: CaseContext): Promise<CaseCounts>;
}

/** What a fault tells about itself. */
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
  /** With resend: how often each unanswered part may be submitted again (once, unless told). */
  readonly resends?: number;
  /** With resend: no submission of theirs is ever answered, so that their messages stay open. */
  readonly staysOpen?: boolean;
  readonly backMs?: number;
  /** A function is asked after `atRest`. */
  readonly note?: string | (() => string);
  readonly problems?: readonly string[];
  /** What is wrong when all is at rest, beyond what is counted. The gateways still run. */
  readonly atRest?: (world: World) => readonly string[] | Promise<readonly string[]>;
}

/** What is wrong, in words; nothing if it is as it must be. */
export function must(holds: boolean, words: string): readonly string[] {
  return holds ? [] : [words];
}

/** Messages accepted before the fault, and again after it. */
const messagesAround = 150;
const restMs = 120_000;

export async function underLoad(
  { full }: CaseContext,
  options: WorldOptions,
  fault: (world: World) => Promise<FaultReport>,
): Promise<CaseCounts> {
  const world = await World.create(options);
  try {
    const { load } = world;
    const messages = full ? messagesAround * 4 : messagesAround;
    load.start();
    await load.accepts(messages);
    const report = await fault(world);
    await load.accepts(messages);
    await load.stop();
    const audit = await world.rest(restMs);
    const remaining = (await report.atRest?.(world)) ?? [];
    const endings = await world.terminate();
    return tally(world, { audit, report, problems: [...endings, ...remaining] });
  } finally {
    await world.close();
  }
}

/** What came of a load and of what happened to it. */
export function tally(
  world: World,
  { audit, report, problems }: { audit: Audit; report: FaultReport; problems: readonly string[] },
): CaseCounts {
  const { load, options } = world;
  const uncertain = uncertainParts(world, report);
  const { resends = 1, staysOpen = false } = report;
  const [doubledAllowed, openAllowed] =
    options.policy === "resend" ? [uncertain * resends, staysOpen ? uncertain : 0] : [0, uncertain];
  const { accepted, lost, doubled, misreported, rialsOff, open, underWay, examples } = audit;
  return {
    accepted,
    lost,
    doubled,
    misreported,
    rialsOff,
    open,
    doubledAllowed,
    openAllowed,
    calls: load.calls,
    retries: load.retries,
    backMs: report.backMs,
    note: typeof report.note === "function" ? report.note() : (report.note ?? ""),
    problems: [
      ...must(lost === 0, `${lost} lost`),
      ...must(doubled <= doubledAllowed, `${doubled} doubled, where ${doubledAllowed} may be`),
      ...must(misreported === 0, `${misreported} misreported`),
      ...must(rialsOff === 0n, `${rialsOff} rials off`),
      ...must(open <= openAllowed, `${open} open, where ${openAllowed} may be`),
      ...must(underWay === 0, `${underWay} still under way`),
      ...load.failures.slice(0, 3).map((failure) => `a call failed: ${failure}`),
      ...problems,
      ...(report.problems ?? []),
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
export async function untilBack(world: World): Promise<number> {
  const begunAt = performance.now();
  const { id, recipient } = await world.load.probe();
  await world.operator.untilTaken(recipient).catch(async (error: unknown) => {
    const whereabouts = await world.whereabouts(id).catch(String);
    throw new Error(`a message accepted after the fault is not sent: ${whereabouts}`, { cause: error });
  });
  return performance.now() - begunAt;
}

/** Does it so often, one after the other, and answers the longest time that it told. */
export async function longestOf(times: number, work: (round: number) => Promise<number>): Promise<number> {
  let longest = 0;
  for (let round = 0; round < times; round += 1) longest = Math.max(longest, await work(round));
  return longest;
}

export function inWords(times: number): string {
  return times === 1 ? "once" : `${times} times`;
}
