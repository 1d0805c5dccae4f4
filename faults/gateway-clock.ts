// The wall clock of one gateway, which a case can step while the gateway runs. No privilege is
// needed: see stepped-clock.js.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { signalTo } from "../src/postgres/server.ts";
import { removeFolder, temporaryFolder } from "./servers.ts";

const preload = pathToFileURL(path.join(import.meta.dirname, "stepped-clock.js")).href;

export class GatewayClock {
  readonly #folder = temporaryFolder();
  readonly #file = path.join(this.#folder, "clock");

  constructor(offsetMs = 0) {
    writeFileSync(this.#file, String(offsetMs));
  }

  /** To start the gateway with. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${preload}`, FAULTS_CLOCK_FILE: this.#file };
  }

  /** From now on the gateway's clock is so far off the true one. */
  step(pid: number, offsetMs: number): void {
    writeFileSync(this.#file, String(offsetMs));
    signalTo(pid, "SIGUSR2");
  }

  async remove(): Promise<void> {
    await removeFolder(this.#folder);
  }
}
