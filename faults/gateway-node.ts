// One `hodhod serve` as a process of its own: started, killed, terminated, started again on the
// same port. Its wall clock can be stepped while it runs (preload.js): no privilege is needed.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "../bench/free-port.ts";
import { run, type RunningProcess } from "../bench/processes.ts";
import { signalTo } from "../src/postgres/server.ts";
import { temporaryFolder } from "./servers.ts";

export interface GatewayNodeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Program and arguments that the program is started through. */
  readonly prefix: readonly string[];
  /** How far off its wall clock is at the start; undefined: it is true, and cannot be stepped. */
  readonly clockOffsetMs: number | undefined;
}

const preload = pathToFileURL(path.join(import.meta.dirname, "preload.js")).href;

export class GatewayNode {
  readonly port: number;
  readonly #options: GatewayNodeOptions;
  readonly #clockFile: string | undefined;
  #process: RunningProcess | undefined;

  static async create(options: GatewayNodeOptions): Promise<GatewayNode> {
    return new GatewayNode(await freePort(), options);
  }

  private constructor(port: number, options: GatewayNodeOptions) {
    this.port = port;
    this.#options = options;
    const { clockOffsetMs } = options;
    if (clockOffsetMs === undefined) return;
    this.#clockFile = path.join(temporaryFolder(), "clock");
    writeFileSync(this.#clockFile, String(clockOffsetMs));
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Over when the HTTP service is open. */
  async start(): Promise<void> {
    const { env, prefix } = this.#options;
    const [command, ...args] = [...prefix, process.execPath, "bin/hodhod", "serve"];
    const settings = {
      HODHOD_PORT: String(this.port),
      HODHOD_LOG_LEVEL: "warn",
      HODHOD_SHUTDOWN_SECONDS: "10",
      NODE_OPTIONS: `--import=${preload}`,
      ...(this.#clockFile !== undefined && { FAULTS_CLOCK_FILE: this.#clockFile }),
    };
    this.#process = run({ command, args, env: { ...settings, ...env } });
    await this.#process.line(/listening on http/);
  }

  /** Sets its wall clock so far off the true one. */
  stepClock(offsetMs: number): void {
    if (this.#clockFile === undefined) throw new Error("this gateway has no clock to step");
    writeFileSync(this.#clockFile, String(offsetMs));
    signalTo(this.pid, "SIGUSR2");
  }

  /** What it reports of itself; NaN where it reports nothing by that name. */
  async metric(name: string): Promise<number> {
    const metrics = await fetch(`http://127.0.0.1:${this.port}/metrics`).then((response) => response.text());
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "m").exec(metrics)?.[1]);
  }

  async kill(): Promise<void> {
    await this.#process?.stop("SIGKILL");
  }

  /** Answers what is wrong with how it ended. */
  async terminate(): Promise<readonly string[]> {
    const running = this.#process;
    if (!running) return [];
    await running.stop();
    const code = await running.exited;
    return code === 0 ? [] : [`SIGTERM ended it with exit code ${code ?? "none"}: ${running.tail(5).join(" / ")}`];
  }
}
