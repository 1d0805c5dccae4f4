// One `hodhod serve` as a process of its own: started, killed, terminated, started again on the
// same port.
import { freePort } from "../bench/free-port.ts";
import { run, type RunningProcess } from "../bench/processes.ts";

export interface GatewayNodeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Program and arguments that the program is started through. */
  readonly prefix?: readonly string[];
}

export class GatewayNode {
  readonly port: number;
  readonly #options: GatewayNodeOptions;
  #process: RunningProcess | undefined;

  static async create(options: GatewayNodeOptions): Promise<GatewayNode> {
    return new GatewayNode(await freePort(), options);
  }

  private constructor(port: number, options: GatewayNodeOptions) {
    this.port = port;
    this.#options = options;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The latest lines of its log. */
  tail(count: number): readonly string[] {
    return this.#process?.tail(count) ?? [];
  }

  /** Over when the HTTP service is open. */
  async start(): Promise<void> {
    const { env, prefix = [] } = this.#options;
    const [program, ...rest] = [...prefix, process.execPath, "bin/hodhod", "serve"];
    const settings = { HODHOD_PORT: String(this.port), HODHOD_LOG_LEVEL: "warn", HODHOD_SHUTDOWN_SECONDS: "10" };
    this.#process = run({ command: program, args: rest, env: { ...settings, ...env } });
    await this.#process.line(/listening on http/);
  }

  /** What it tells of itself; NaN where it tells nothing by that name. */
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
    await running.stop("SIGTERM");
    const code = await running.exited;
    return code === 0 ? [] : [`SIGTERM ended it with exit code ${code ?? "none"}: ${running.tail(5).join(" / ")}`];
  }
}
