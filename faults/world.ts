// What one case runs in: gateways as processes, their database, the operator, and the caller; set
// up, brought to rest, and taken down again.
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../bench/processes.ts";
import { findRunningPostgres } from "../src/postgres/embedded-postgres.ts";
import { applySetup } from "../src/setup/change-setup.ts";
import type { SimulatedSmscOptions } from "../src/simulator/simulator-options.ts";
import { Database } from "../src/store/database.ts";
import { type Audit, audit, countUnderWay } from "./audit.ts";
import { GatewayNode } from "./gateway-node.ts";
import { Load, type LoadMix, longestMessageParts, senderLine } from "./load.ts";
import { holdsWithin, numberFrom } from "../bench/look.ts";
import { Operator } from "./operator.ts";
import { createDatabase, type DatabaseServer, execute, removeFolder, startedFolder } from "./servers.ts";

export type Policy = "resend" | "hold" | "fail";

export interface WorldOptions {
  readonly policy: Policy;
  /** Undefined: each gateway runs its own, and there is only one. */
  readonly server?: DatabaseServer | undefined;
  readonly nodes?: number;
  /** Of each gateway; 1: a process without a parent. */
  readonly workers?: number;
  readonly binds?: number;
  readonly window?: number;
  /** Further settings of the connector. */
  readonly connector?: Readonly<Record<string, unknown>>;
  readonly smsc?: SimulatedSmscOptions;
  /** Endings that the operator treats in its own way, see docs/simulator.md. */
  readonly endings?: readonly string[];
  readonly everyNth?: number;
  readonly callsPerSecond?: number;
  readonly callTimeoutMs?: number;
  /** More of the caller's account, as a setup file names it. */
  readonly account?: object;
  /** More sections of the setup file. */
  readonly setup?: object;
  readonly mix?: LoadMix;
  /** Program and arguments that gateways are started through, for a data folder. */
  readonly prefix?: (dataDir: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How far off each node's wall clock is at the start; such clocks can be stepped. */
  readonly clockOffsetsMs?: readonly number[];
}

export const openingCredit = 1_000_000_000_000n;
export const callerDomain = "caller.example";
export const apiKey = "faults-key-faults-key-faults";
/** Undelivered, refused, no receipt, three receipts, receipt before the answer. */
const ordinaryEndings = ["0001", "0010", "0030", "0032", "0033"] as const;
const restPollMs = 300;
const timeoutMs = 60_000;
/** More than a window takes to fill under the load, less than any answer is waited for. */
const fillMs = 25_000;

export class World {
  readonly options: WorldOptions;
  readonly operator: Operator;
  readonly nodes: readonly GatewayNode[];
  readonly load: Load;
  /** All that is not as it must be, in words. */
  readonly problems: string[] = [];
  /** What is worth knowing beside the counts. */
  readonly notes: string[] = [];
  /** Of the embedded database. */
  readonly dataDir: string | undefined;
  /** Of the database that is not embedded. */
  readonly databaseUrl: string | undefined;
  #db: Database | undefined;

  /** With the gateways running, bound, and no load yet. */
  static async create(options: WorldOptions): Promise<World> {
    const { server, nodes = 1, endings = ordinaryEndings, smsc = {}, workers = 1, prefix, clockOffsetsMs } = options;
    const operator = new Operator(endings, { submitDelayMs: 25, ...smsc });
    await operator.smsc.listen();
    const dataDir = server ? undefined : await startedFolder();
    const databaseUrl = server && (await createDatabase(server));
    const env = {
      HODHOD_WORKERS: String(workers),
      ...(databaseUrl === undefined ? { HODHOD_DATA_DIR: dataDir ?? "" } : { DATABASE_URL: databaseUrl }),
      ...options.env,
    };
    const gateways = await Promise.all(
      Array.from({ length: nodes }, (_, node) =>
        GatewayNode.create({ env, prefix: prefix?.(dataDir ?? "") ?? [], clockOffsetMs: clockOffsetsMs?.[node] }),
      ),
    );
    const world = new World({ options, operator, nodes: gateways, dataDir, databaseUrl });
    try {
      await world.#start();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  private constructor(parts: Pick<World, "options" | "operator" | "nodes" | "dataDir" | "databaseUrl">) {
    const { options } = parts;
    this.options = options;
    this.operator = parts.operator;
    this.nodes = parts.nodes;
    this.dataDir = parts.dataDir;
    this.databaseUrl = parts.databaseUrl;
    const { callsPerSecond = 12, endings = ordinaryEndings, everyNth = 15, mix, callTimeoutMs } = options;
    const ports = parts.nodes.map(({ port }) => port);
    this.load = new Load({ ports, apiKey, callsPerSecond, endings, everyNth, mix, callTimeoutMs });
  }

  get window(): number {
    return this.options.window ?? 20;
  }

  /**
   * Parts of one bind without a recorded outcome: a claim fills the window, and may end with a long
   * message of which only the first part fits.
   */
  get mostUnsettled(): number {
    return this.window + longestMessageParts - 1;
  }

  get binds(): number {
    return this.options.binds ?? 1;
  }

  /** Nodes in all: each worker is one. */
  get holders(): number {
    return this.nodes.length * (this.options.workers ?? 1);
  }

  /** The first gateway, or the one of that number, counted on and on. */
  node(number = 0): GatewayNode {
    const node = this.nodes[number % this.nodes.length];
    if (!node) throw new Error("this world has no gateway");
    return node;
  }

  get db(): Database {
    if (!this.#db) throw new Error("the database is not there yet");
    return this.#db;
  }

  /** `problem` says in words what is wrong where it does not hold. */
  check(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }

  /** Waits until it holds, at most for a minute. */
  async checkSoon(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    this.check(await holdsWithin(timeoutMs, holds), `${what}: not within ${timeoutMs / 1000} s`);
  }

  /** Waits until nothing is on its way any more, or `deadlineMs` have passed, and counts. */
  async rest(deadlineMs: number): Promise<Audit> {
    const until = performance.now() + deadlineMs;
    let before = "";
    for (;;) {
      if (performance.now() > until) return this.audit();
      const { counters } = this.operator.smsc;
      const mayRest = counters.receiptsWaiting === 0 && (await countUnderWay(this.db).catch(() => 1)) === 0;
      // An audit asks for each message. Nobody may be there to answer.
      const counts = mayRest ? await this.audit().catch(() => undefined) : undefined;
      const { underWay = 1, open, lost = 1, misreported = 1 } = counts ?? {};
      const now = JSON.stringify([counters, open]);
      // Twice the same, for what the operator does later than at once.
      if (counts && underWay + lost + misreported === 0 && now === before) return counts;
      before = now;
      await delay(restPollMs);
    }
  }

  /** A call of the caller to the API of the first node. */
  fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.node().port}${path}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  audit(): Promise<Audit> {
    const { operator, load, db } = this;
    const call = { apiKey, ports: this.nodes.map(({ port }) => port) };
    return audit({ operator, db, call, promised: load.promised, openingCredit });
  }

  /** Ends the gateways in order. */
  async terminate(): Promise<void> {
    this.problems.push(...(await Promise.all(this.nodes.map((node) => node.terminate()))).flat());
  }

  /** Whatever state it is in. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.operator.smsc.stop("destroy");
    await this.#db?.close();
    const { server } = this.options;
    if (this.dataDir !== undefined) await removeFolder(this.dataDir);
    if (server && this.databaseUrl !== undefined)
      await execute(server.url, `drop database ${this.databaseName} with (force)`);
  }

  /** Of the one on a server. */
  get databaseName(): string {
    return new URL(this.databaseUrl ?? "").pathname.slice(1);
  }

  async #start(): Promise<void> {
    await this.node().start();
    this.#db = Database.open({ url: this.databaseUrl ?? (await this.#embeddedUrl()), poolSize: 2 });
    await this.apply(this.#setup());
    await Promise.all(this.nodes.slice(1).map((node) => node.start()));
    await this.operator.untilBinds(this.binds);
    await this.untilShared();
  }

  /** As a setup file. */
  async apply(setup: object): Promise<void> {
    await applySetup(this.db, { text: JSON.stringify(setup), folder: root, prune: false, dryRun: false });
  }

  /** Waits until every node has its part of the binds. */
  async untilShared(): Promise<void> {
    const leases = "from bind_lease where bound";
    const isShared = async (): Promise<boolean> =>
      (await numberFrom(this.db, `select count(distinct node_id) ${leases}`)) === this.holders &&
      (await numberFrom(this.db, `select count(*) ${leases}`)) === this.binds;
    if (!(await holdsWithin(timeoutMs, isShared))) throw new Error("the nodes do not share the binds");
  }

  /**
   * Waits until the first node reports that so many parts are written and not answered, or has not
   * for a while. Resolves with what it reports.
   */
  async untilInFlight(parts: number): Promise<number> {
    let inFlight = 0;
    await holdsWithin(fillMs, async () => {
      inFlight = (await this.node().metric("hodhod_window_in_flight")) || 0;
      return inFlight >= parts;
    });
    return inFlight;
  }

  /** Waits until nothing is claimed by a node that is no more. */
  async untilTakenOver(): Promise<void> {
    const orphans = `select count(*) from claim
 where not exists (select from node where node.id = claim.node_id and node.lease_until > now())`;
    if (!(await holdsWithin(timeoutMs, async () => (await numberFrom(this.db, orphans)) === 0)))
      throw new Error("the claims of a dead node are not taken over");
  }

  async #embeddedUrl(): Promise<string> {
    // Through the gateway's own view of the file system, which need not be ours.
    const running = await findRunningPostgres(this.seenByNode(this.dataDir ?? ""));
    if (!running) throw new Error("the gateway has no database");
    const url = new URL(running.url);
    const socketFolder = url.searchParams.get("host") ?? "";
    // Beside the database's folder, as we see it, or elsewhere, as the gateway does.
    url.searchParams.set("host", socketFolder.startsWith("/proc/") ? socketFolder : this.seenByNode(socketFolder));
    return url.href;
  }

  /** A file of the gateway's, as this process can open it. */
  seenByNode(file: string): string {
    return this.options.prefix ? `/proc/${this.node().pid}/root${file}` : file;
  }

  #setup(): object {
    const { policy, connector, account, setup } = this.options;
    return {
      connectors: [
        {
          name: "operator",
          type: "smpp",
          host: "127.0.0.1",
          port: this.operator.smsc.port,
          systemId: "hodhod",
          password: "faults",
          uncertain: policy,
          binds: this.binds,
          window: this.window,
          responseTimeoutMs: 5000,
          enquireLinkSeconds: 2,
          ...connector,
        },
      ],
      routes: [{ operator: "*", line: "*", connectors: ["operator"] }],
      lines: [{ number: senderLine, kind: "dedicated" }],
      tariffs: [{ name: "standard", prices: [{ operator: "*", line: "*", language: "*", price: 1390 }] }],
      accounts: [
        {
          name: "caller",
          domain: callerDomain,
          credit: Number(openingCredit),
          tariff: "standard",
          lines: [senderLine],
          apiKeys: [{ name: "main", key: apiKey }],
          ...account,
        },
      ],
      ...setup,
    };
  }
}
