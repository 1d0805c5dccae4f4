// The one reader of a node: takes what is new in the log of all accounts and hands it to the
// endpoints that keep up. Reads nothing while the node has no endpoint.
import { FailureLatch } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { currentPosition, type LogRow, type Position, readLog } from "../store/event-log.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface LogHeadOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Whether any endpoint wants to be told. */
  readonly isWanted: () => boolean;
  readonly onRows: (rows: readonly LogRow[]) => void;
  /** After each page, when `position` has advanced. */
  readonly onRead: () => void;
}

const pollMs = 100;
const pageRows = 2000;

export class LogHead {
  readonly #options: LogHeadOptions;
  readonly #latch: FailureLatch;
  #position: Position | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isRunning = false;

  constructor(options: LogHeadOptions) {
    this.#options = options;
    this.#latch = new FailureLatch("webhook-events", options.telemetry);
  }

  /** Undefined: it does not read. */
  get position(): Position | undefined {
    return this.#position;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
    this.#position = undefined;
  }

  #schedule(): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#latch.watch(() => this.#read()).finally(() => this.#schedule());
    }, pollMs);
  }

  async #read(): Promise<void> {
    const { db, telemetry, isWanted, onRows, onRead } = this.#options;
    if (!isWanted()) {
      this.#position = undefined;
      return;
    }
    this.#position ??= await currentPosition(db);
    for (let isFull = true; isFull && this.#isRunning;) {
      const page = await readLog(db, { after: this.#position, limit: pageRows });
      this.#position = page.position;
      const seconds = Math.max(0, page.now.getTime() - page.asOf.getTime()) / 1000;
      telemetry.emit("events.behind", { source: "webhooks", seconds });
      if (page.rows.length > 0) onRows(page.rows);
      onRead();
      isFull = page.rows.length >= pageRows;
    }
  }
}
