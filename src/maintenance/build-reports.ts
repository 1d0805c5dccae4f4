// Counts messages and refunds for the reports, some minutes behind the traffic, and corrects what
// has changed since. Runs on every node that dispatches; one works at a time. Each step reads a
// bounded span of time.
//
// A message may change while it is counted. So the reports announce first how far they will count:
// from then on every statement that changes such a message notes it. They count when all statements
// that may not know of the announcement are over.
import type { Directory } from "../directory/directory.ts";
import type { Database, Queryable } from "../store/database.ts";
import { listMessageWeeks, weekOfIds, weekStart } from "../store/partitions.ts";
import {
  beforeAllOpen,
  correctReports,
  countStep,
  findNextCounted,
  listCountedAccounts,
  moveReports,
  type OpenMessage,
  readReportProgress,
  reportAsOf,
  type ReportProgress,
  restartReports,
  tendOpenMessages,
  tryLockReports,
  writersBeforeAnnouncement,
} from "../store/reports.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { StepLength } from "./step-length.ts";
import { uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import { dropOldRows } from "../store/old-rows.ts";

interface BuildReportsOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Pick<Directory, "retentionDays"> };
  /** Whose days the reports have. */
  readonly timeZone: () => string;
  /** For tests, which have no traffic of others. */
  readonly settleSeconds?: number;
}

const workMs = 1_000;
/** An id is older than its commit, and statements take a while; both end long before. */
const usualSettleSeconds = 60;
/** Borders of days lie on a quarter of an hour in every time zone. */
const longestStepMs = 15 * 60_000;
const shortestStepMs = 1_000;
/** A step that took longer is followed by shorter ones. */
const wantedStepMs = 300;
const notesAtOnce = 200;
/** How often what is too old is dropped, and what is open is looked at: some at a time. */
const tendEveryMs = 3_600_000;
const openAtOnce = 10_000;

export class ReportBuilder {
  readonly #options: BuildReportsOptions;
  readonly #stepLength = new StepLength(shortestStepMs, longestStepMs);
  #tendAt = 0;
  /** The open messages that were looked at last; undefined: not at it. */
  #tended: OpenMessage | undefined;

  constructor(options: BuildReportsOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<Record<string, number>> {
    const done = await this.#step(signal);
    const progress = await readReportProgress(this.#options.db);
    const asOf = reportAsOf(progress);
    if (asOf !== undefined) {
      const seconds = Math.max(0, (progress.now.getTime() - asOf.getTime()) / 1000);
      this.#options.telemetry.emit("reports.behind", { seconds });
    }
    return done;
  }

  async #step(signal: AbortSignal): Promise<Record<string, number>> {
    const endAt = performance.now() + workMs;
    const isOn = (): boolean => performance.now() < endAt && !signal.aborted;
    const done = { counted: 0, moved: 0 };
    if (!(await this.#begin())) return done;
    for (let notes = notesAtOnce; notes === notesAtOnce && isOn();) {
      const corrected = await this.#correct();
      notes = corrected.notes;
      done.moved += corrected.moved;
    }
    for (let counted: number | undefined = 0; counted !== undefined && isOn();) {
      counted = await this.#countNext();
      done.counted += counted ?? 0;
    }
    return done;
  }

  /** Starts again where the days are others, and announces. False: another node works. */
  async #begin(): Promise<boolean> {
    const { db, directory } = this.#options;
    const timeZone = this.#options.timeZone();
    return db.transaction(async (tx) => {
      if (!(await tryLockReports(tx))) return false;
      let progress = await readReportProgress(tx);
      if (progress.timeZone !== timeZone) {
        const weeks = await listMessageWeeks(tx);
        const oldest = weeks.at(-1)?.getTime() ?? progress.now.getTime();
        await restartReports(tx, { timeZone, from: uuidFloor(Math.min(oldest, progress.now.getTime())) });
        progress = await readReportProgress(tx);
      }
      if (progress.countedUntil >= progress.notedUntil) {
        const until = uuidFloor(progress.now.getTime() - this.#settleSeconds * 1000);
        if (until > progress.notedUntil) await moveReports(tx, { notedUntil: until });
      }
      await this.#tend(tx, directory.current.retentionDays);
      return true;
    });
  }

  async #tend(tx: Queryable, retentionDays: number): Promise<void> {
    if (performance.now() >= this.#tendAt) {
      await dropOldRows(tx, "reportDays", (retentionDays + 1) * 86_400);
      this.#tendAt = performance.now() + tendEveryMs;
      this.#tended ??= beforeAllOpen;
    }
    if (this.#tended) this.#tended = await tendOpenMessages(tx, { after: this.#tended, limit: openAtOnce });
  }

  get #settleSeconds(): number {
    return this.#options.settleSeconds ?? usualSettleSeconds;
  }

  async #correct(): Promise<{ readonly notes: number; readonly moved: number }> {
    return this.#options.db.transaction(async (tx) => {
      if (!(await tryLockReports(tx))) return { notes: 0, moved: 0 };
      const corrected = await correctReports(tx, notesAtOnce);
      if (corrected.notes < notesAtOnce) await moveReports(tx, { isCorrected: true });
      return corrected;
    });
  }

  /** Undefined: there is nothing to count now. */
  async #countNext(): Promise<number | undefined> {
    const begunAt = performance.now();
    const counted = await this.#options.db.transaction(async (tx) => {
      if (!(await tryLockReports(tx))) return undefined;
      const progress = await readReportProgress(tx);
      if (!(await this.#mayCount(tx, progress))) return undefined;
      return this.#count(tx, progress);
    });
    const tookMs = performance.now() - begunAt;
    if (tookMs > wantedStepMs) this.#stepLength.shorten();
    else this.#stepLength.lengthen();
    return counted;
  }

  async #mayCount(tx: Queryable, progress: ReportProgress): Promise<boolean> {
    if (progress.countedUntil >= progress.notedUntil || progress.announcedSeconds < this.#settleSeconds) return false;
    return !(await writersBeforeAnnouncement(tx));
  }

  async #count(tx: Queryable, { countedUntil, notedUntil, timeZone }: ReportProgress): Promise<number> {
    const week = weekOfIds(weekStart(new Date(uuidv7Time(countedUntil))));
    const end = week[1] < notedUntil ? week[1] : notedUntil;
    const accountIds = await listCountedAccounts(tx, week);
    const next = await findNextCounted(tx, { from: countedUntil, to: end, accountIds });
    if (next === undefined) {
      await moveReports(tx, { countedUntil: end });
      return 0;
    }
    const at = uuidv7Time(next);
    const quarter = Math.floor(at / longestStepMs) * longestStepMs + longestStepMs;
    const until = uuidFloor(Math.floor(Math.min(quarter, at + this.#stepLength.ms)));
    const to = until < end ? until : end;
    return countStep(tx, { from: uuidFloor(at), to, at: new Date(at), timeZone, accountIds });
  }
}
