// What is kept of submissions that did not get a message taken: refused, rejected for now, or
// never answered. Equal ones in a row are counted. Pure; stored with the message in a compact form.

/** One submission that was answered otherwise than by taking the part, or never. */
export interface NotTaken {
  /** 0: the whole message. */
  readonly part: number;
  readonly connectorId: number;
  readonly bindNumber: number;
  /** The number of the node's run. */
  readonly node: number;
  /** The name of its command_status; null: no answer came. */
  readonly answer: string | null;
  /** When it was written, in milliseconds of a monotonic clock. */
  readonly writtenAt: number;
  /** Null: no answer came. */
  readonly answerMs: number | null;
}

/** Equal ones in a row; bind, node and answer are those of the last one. */
export interface NotTakenRun extends Omit<NotTaken, "writtenAt"> {
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** As it is stored in the column `not_taken`. */
export interface StoredNotTaken {
  /** The database's time of the last change, Unix milliseconds; set when it is written. */
  readonly at?: number;
  /** Submissions that older runs stood for, which are not kept. */
  readonly dropped?: number;
  readonly runs: readonly StoredRun[];
}

/**
 * part, connector, bind, node, status, times, first, last, milliseconds to the answer. Times that
 * are not positive count from `at`.
 */
interface StoredRun {
  readonly p: number;
  readonly c: number;
  readonly b: number;
  readonly n: number;
  readonly s: string | null;
  readonly k: number;
  readonly f: number;
  readonly l: number;
  readonly ms: number | null;
}

/** Runs kept of one message. */
const runsKept = 40;

/** The column's new value, but for `at`, if it is written at `now` of the monotonic clock. */
export function withNotTaken(
  before: StoredNotTaken | null | undefined,
  added: readonly NotTaken[],
  now: number,
): StoredNotTaken {
  const runs = (before?.runs ?? []).map((run) => ({ ...run, f: timeOf(before, run.f), l: timeOf(before, run.l) }));
  let dropped = before?.dropped ?? 0;
  for (const { part: p, connectorId: c, answer: s, ...rest } of added) {
    const written = -Math.max(0, Math.floor(now - rest.writtenAt));
    const last = { b: rest.bindNumber, n: rest.node, l: written, ms: rest.answerMs && Math.floor(rest.answerMs) };
    const place = runs.findLastIndex((run) => run.p === p);
    const run = runs[place];
    if (run?.c === c && run.s === s) runs[place] = { ...run, ...last, k: run.k + 1 };
    else runs.push({ p, c, s, k: 1, f: written, ...last });
  }
  while (runs.length > runsKept) dropped += runs.shift()?.k ?? 0;
  return { ...(dropped > 0 && { dropped }), runs };
}

/** How often the last answers to its parts on a connector were this one, all parts together. */
export function answersInARow(
  stored: StoredNotTaken | null | undefined,
  { connectorId, answer }: Pick<NotTaken, "connectorId" | "answer">,
): number {
  const lastOfParts = new Map(stored?.runs.map((run) => [run.p, run]));
  return [...lastOfParts.values()]
    .filter((run) => run.c === connectorId && run.s === answer)
    .reduce((sum, run) => sum + run.k, 0);
}

/** How often a submission was never answered: that of the part which had it most. */
export function timesUnanswered(stored: StoredNotTaken | null | undefined): number {
  const times = new Map<number, number>();
  for (const { p: part, s: answer, k } of stored?.runs ?? [])
    if (answer === null) times.set(part, (times.get(part) ?? 0) + k);
  return Math.max(0, ...times.values());
}

export function notTakenRuns(stored: StoredNotTaken | null): readonly NotTakenRun[] {
  return (stored?.runs ?? []).map((run) => ({
    part: run.p,
    connectorId: run.c,
    bindNumber: run.b,
    node: run.n,
    answer: run.s,
    times: run.k,
    answerMs: run.ms,
    firstAt: new Date(timeOf(stored, run.f)),
    lastAt: new Date(timeOf(stored, run.l)),
  }));
}

function timeOf(stored: StoredNotTaken | null | undefined, time: number): number {
  return time > 0 ? time : (stored?.at ?? 0) + time;
}
