// Keeps the current Directory. Loads all of it at start, and then the changes, whenever the
// configuration's mark differs. Also keeps the opted-out numbers, which change by themselves.
// NOTIFY makes a change fast, and a poll makes it certain. While the database is
// away, the last loaded state stays in use.
import { FailureLatch, type Service } from "../platform/service.ts";
import { configurationChannel } from "../store/configuration-version.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Directory } from "./directory.ts";
import { loadDirectory, type LoadedDirectory } from "./load-directory.ts";
import { OptOutFollower } from "./opt-out-follower.ts";

/**
 * A change is in force on every node within a second, even if its notification is lost: a quarter of
 * the second is left for reading it.
 */
const pollMs = 750;

export interface DirectoryServiceOptions {
  readonly database: Database;
  readonly telemetry: Telemetry;
  /** Parts of one message, from the configuration of the process. */
  readonly maximumParts: number;
}

export class DirectoryService implements Service {
  readonly name = "directory";
  readonly #database: Database;
  readonly #telemetry: Telemetry;
  readonly #maximumParts: number;
  readonly #optOuts: OptOutFollower;
  readonly #listeners = new Set<(directory: Directory) => void>();
  #loaded: LoadedDirectory | undefined;
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void | Promise<void>) | undefined;
  #running = false;
  readonly #latch: FailureLatch;

  constructor({ database, telemetry, maximumParts }: DirectoryServiceOptions) {
    this.#database = database;
    this.#telemetry = telemetry;
    this.#latch = new FailureLatch(this.name, telemetry);
    this.#maximumParts = maximumParts;
    this.#optOuts = new OptOutFollower(database);
  }

  /** Throws before the first load. */
  get current(): Directory {
    if (this.#loaded === undefined) throw new Error("the directory is not loaded yet");
    return this.#loaded.directory;
  }

  /**
   * Rejects when the database cannot be read: a gateway without configuration must not accept
   * calls.
   */
  async start(): Promise<void> {
    if (this.#running) return;
    await this.refresh();
    this.#running = true;
    this.#schedule();
    this.#stopListening = await this.#database.listen(configurationChannel, () => void this.#poll());
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    const stopListening = this.#stopListening;
    this.#stopListening = undefined;
    await stopListening?.();
    await this.#loading?.catch(() => undefined);
  }

  /**
   * Calls the listener with every new directory, after it became `current`. Returns a function that
   * removes it.
   */
  onChange(listener: (directory: Directory) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Afterwards `current` is at least as new as the database was when this was called. */
  async refresh(): Promise<void> {
    // A load in progress may have read its version before the caller's change, so wait for it and
    // load again.
    await this.#loading?.catch(() => undefined);
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    await this.#loading;
  }

  async #load(): Promise<void> {
    // Before the first directory, so that nothing is checked without them.
    const mark = await this.#optOuts.follow();
    if (mark === this.#loaded?.mark) return;
    const limits = { maximumParts: this.#maximumParts, optOuts: this.#optOuts.current };
    this.#loaded = await loadDirectory(this.#database, limits, this.#loaded, (accounts) =>
      this.#telemetry.emit("configuration.reading", { accounts }),
    );
    const { directory } = this.#loaded;
    const { version, accounts, portedNumbers, blockLists } = directory;
    const connectors = directory.connectors.map(({ name }) => name);
    const counts = { accounts: accounts.size, connectors, portedNumbers, blockListNumbers: blockLists.size };
    this.#telemetry.emit("configuration.reloaded", { version, ...counts });
    for (const listener of this.#listeners) listener(directory);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#running) return;
    this.#timer = setTimeout(() => void this.#poll(), pollMs);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#latch.watch(() => this.refresh());
    this.#schedule();
  }
}
