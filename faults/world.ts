// What one case runs in: gateways as processes, their database, the operator, and the caller; set
// up, brought to rest, and taken down again.
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../bench/processes.ts";
import { findRunningPostgres } from "../src/postgres/embedded-postgres.ts";
import { applySetup } from "../src/setup/change-setup.ts";
import type { SimulatedSmscOptions } from "../src/simulator/simulator-options.ts";
import { Database } from "../src/store/database.ts";
import { type Audit, audit, countUnderWay } from "./audit.ts";
import { GatewayClock } from "./gateway-clock.ts";
import { GatewayNode } from "./gateway-node.ts";
import { Load, type LoadMix, longestMessageParts, senderLine } from "./load.ts";
import { Operator } from "./operator.ts";
import {
  createDatabase,
  type DatabaseServer,
  dropDatabase,
  removeFolder,
  serverPid,
  startedFolder,
} from "./servers.ts";
import { holdsWithin, numberFrom } from "./look.ts";

export type Policy = "resend" | "hold" | "fail";

export interface WorldOptions {
  readonly policy: Policy;
  /** Absent: each gateway runs its own, and there is only one. */
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
  /** Of the caller's account. */
  readonly users?: readonly { readonly username: string; readonly password: string }[];
  /** Endpoints of the caller's account, as a setup file names them. */
  readonly webhooks?: readonly object[];
  /** As a setup file names them. */
  readonly inboundRules?: readonly object[];
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
export const ordinaryEndings = ["0001", "0010", "0030", "0032", "0033"] as const;
const restPollMs = 300;
const shareDeadlineMs = 60_000;
/** More than a window takes to fill under the load, less than any answer is waited for. */
const fillMs = 25_000;

/** What each of them preloads is preloaded. */
function joined(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>> = {}) {
  const preloads = [one, other].flatMap(({ NODE_OPTIONS = [] }) => NODE_OPTIONS);
  return { ...one, ...other, ...(preloads.length > 0 && { NODE_OPTIONS: preloads.join(" ") }) };
}

export class World {
  readonly options: WorldOptions;
  readonly operator: Operator;
  readonly nodes: readonly GatewayNode[];
  readonly load: Load;
  readonly #clocks: readonly GatewayClock[];
  /** Of the embedded database. */
  readonly dataDir: string | undefined;
  readonly role: string | undefined;
  #db: Database | undefined;

  /** With the gateways running, bound, and no load yet. */
  static async create(options: WorldOptions): Promise<World> {
    const { server, nodes = 1, endings = ordinaryEndings, smsc = {} } = options;
    const operator = new Operator(endings, { submitDelayMs: 25, ...smsc });
    await operator.smsc.listen();
    const dataDir = server ? undefined : await startedFolder();
    const database = server && (await createDatabase(server));
    const workers = { HODHOD_WORKERS: String(options.workers ?? 1) };
    const env = {
      ...workers,
      ...(database ? { DATABASE_URL: database.url } : { HODHOD_DATA_DIR: dataDir ?? "" }),
      ...options.env,
    };
    const prefix = options.prefix?.(dataDir ?? "") ?? [];
    const clocks = (options.clockOffsetsMs ?? []).map((offsetMs) => new GatewayClock(offsetMs));
    const gateways = await Promise.all(
      Array.from({ length: nodes }, (_, node) => GatewayNode.create({ env: joined(env, clocks[node]?.env), prefix })),
    );
    const world = new World({ options, operator, nodes: gateways, clocks, dataDir, role: database?.role });
    try {
      await world.#start();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  private constructor(parts: {
    options: WorldOptions;
    operator: Operator;
    nodes: readonly GatewayNode[];
    clocks: readonly GatewayClock[];
    dataDir: string | undefined;
    role: string | undefined;
  }) {
    const { options } = parts;
    this.options = options;
    this.operator = parts.operator;
    this.nodes = parts.nodes;
    this.#clocks = parts.clocks;
    this.dataDir = parts.dataDir;
    this.role = parts.role;
    this.load = new Load({
      ports: parts.nodes.map(({ port }) => port),
      apiKey,
      callsPerSecond: options.callsPerSecond ?? 12,
      endings: options.endings ?? ordinaryEndings,
      everyNth: options.everyNth ?? 15,
      ...(options.mix === undefined ? {} : { mix: options.mix }),
      ...(options.callTimeoutMs === undefined ? {} : { callTimeoutMs: options.callTimeoutMs }),
    });
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

  /** The first gateway; most cases have one. */
  get node(): GatewayNode {
    const [node] = this.nodes;
    if (!node) throw new Error("this world has no gateway");
    return node;
  }

  get db(): Database {
    if (!this.#db) throw new Error("the database is not there yet");
    return this.#db;
  }

  /** Waits until nothing is on its way any more, or `deadlineMs` have passed, and counts. */
  async rest(deadlineMs: number): Promise<Audit> {
    const until = performance.now() + deadlineMs;
    let before = "";
    for (;;) {
      const counts = await this.#auditAtRest(until);
      if (counts === undefined) before = "";
      else {
        // Twice the same, for what the operator does later than at once.
        const now = JSON.stringify([this.operator.smsc.counters, counts.open, counts.lost, counts.misreported]);
        const isAtRest = counts.underWay === 0 && this.operator.smsc.counters.receiptsWaiting === 0 && now === before;
        if ((isAtRest && counts.lost + counts.misreported === 0) || performance.now() > until) return counts;
        before = now;
      }
      await delay(restPollMs);
    }
  }

  /** Undefined before that moment where something is on its way, or nobody answers. */
  async #auditAtRest(until: number): Promise<Audit | undefined> {
    // An audit asks for each message.
    if (performance.now() <= until && !(await this.#mayBeAtRest())) return undefined;
    return this.audit().catch((error: unknown) => {
      if (performance.now() > until) throw error;
      return undefined;
    });
  }

  async #mayBeAtRest(): Promise<boolean> {
    if (this.operator.smsc.counters.receiptsWaiting > 0) return false;
    return (await countUnderWay(this.db).catch(() => undefined)) === 0;
  }

  /** A call of the caller to the API of the first node. */
  fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.node.port}${path}`, {
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

  /** Ends the gateways in order. Answers what is wrong with how they ended. */
  async terminate(): Promise<readonly string[]> {
    return (await Promise.all(this.nodes.map((node) => node.terminate()))).flat();
  }

  /** Whatever state it is in. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.operator.smsc.stop("destroy");
    await this.#db?.close();
    for (const clock of this.#clocks) await clock.remove();
    const { server } = this.options;
    if (this.dataDir !== undefined) await removeFolder(this.dataDir);
    if (server && this.role !== undefined) await dropDatabase(server, this.role);
  }

  /** Where one message is, in words: for what went wrong. */
  async whereabouts(messageId: string): Promise<string> {
    const [row] = await this.db.query<Record<string, unknown>>({
      name: "whereabouts",
      text: `select m.status, m.reason, m.tries, m.parts_taken, (select count(*)::int from held_message where message_id = m.id) as held,
       (select jsonb_agg(to_jsonb(q)) from message_queue q where q.message_id = m.id) as queued,
       (select jsonb_agg(to_jsonb(c) - 'message_ids' - 'account_ids' - 'attempts') from claim c where m.id = any (c.message_ids)) as claims,
       (select jsonb_agg(to_jsonb(n)) from node n) as nodes, (select jsonb_agg(to_jsonb(b)) from bind_lease b) as binds, now()
  from message m where m.id = $1`,
      values: [messageId],
    });
    return `${JSON.stringify(row)}; the gateway says: ${this.node.tail(5).join(" / ")}`;
  }

  /** Sets the first node's wall clock so far off the true one. */
  stepClock(offsetMs: number): void {
    const [clock] = this.#clocks;
    if (!clock) throw new Error("this world was not made with clocks to step");
    clock.step(this.node.pid, offsetMs);
  }

  /** How far the clock of the first node is off, as it tells after its next looks. */
  async clockOffMs(): Promise<number> {
    await delay(5000);
    return (await this.node.metric("hodhod_clock_off_seconds")) * 1000;
  }

  serverPid(): number {
    const pid = this.dataDir === undefined ? undefined : serverPid(this.dataDir);
    if (pid === undefined) throw new Error("no embedded database runs");
    return pid;
  }

  async #start(): Promise<void> {
    await this.node.start();
    this.#db = Database.open({ url: await this.#databaseUrl(), poolSize: 2 });
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
    const isShared = await holdsWithin(
      shareDeadlineMs,
      async () =>
        (await numberFrom(this.db, `select count(distinct node_id) ${leases}`)) === this.holders &&
        (await numberFrom(this.db, `select count(*) ${leases}`)) === this.binds,
    );
    if (!isShared) throw new Error("the nodes do not share the binds");
  }

  /**
   * Waits until the first node tells that so many parts are written and not answered, or has not
   * for a while. Resolves with what it tells.
   */
  async untilInFlight(parts: number): Promise<number> {
    let inFlight = 0;
    await holdsWithin(fillMs, async () => {
      inFlight = (await this.node.metric("hodhod_window_in_flight")) || 0;
      return inFlight >= parts;
    });
    return inFlight;
  }

  /** Waits until nothing is claimed by a node that is no more. */
  async untilTakenOver(): Promise<void> {
    const orphans = `select count(*) from claim
 where not exists (select from node where node.id = claim.node_id and node.lease_until > now())`;
    if (!(await holdsWithin(shareDeadlineMs, async () => (await numberFrom(this.db, orphans)) === 0)))
      throw new Error("the claims of a dead node are not taken over");
  }

  async #databaseUrl(): Promise<string> {
    const { server } = this.options;
    if (server) {
      const url = new URL(server.url);
      url.pathname = `/${this.role ?? ""}`;
      return url.href;
    }
    // Through the gateway's own view of the file system, which need not be ours.
    const seen = this.seenByNode(this.dataDir ?? "");
    const running = await findRunningPostgres(seen);
    if (!running) throw new Error("the gateway has no database");
    const url = new URL(running.url);
    const socketFolder = url.searchParams.get("host") ?? "";
    // Beside the database's folder, as we see it, or elsewhere, as the gateway does.
    const found = socketFolder.startsWith("/proc/") ? socketFolder : this.seenByNode(socketFolder);
    url.searchParams.set("host", found);
    return url.href;
  }

  /** A file of the gateway's, as this process can open it. */
  seenByNode(file: string): string {
    return this.options.prefix ? `/proc/${this.node.pid}/root${file}` : file;
  }

  #setup() {
    const { policy, connector = {}, users = [], webhooks, inboundRules } = this.options;
    return {
      connectors: [
        {
          name: "operator",
          type: "smpp",
          host: "127.0.0.1",
          port: this.operator.port,
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
          users,
          apiKeys: [{ name: "main", key: apiKey }],
          ...(webhooks && { webhooks }),
        },
      ],
      ...(inboundRules && { inboundRules }),
    };
  }
}
