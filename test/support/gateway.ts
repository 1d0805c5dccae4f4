// The whole gateway in this process: a real database, the real HTTP service on a port of its own,
// real SMPP to a simulated operator on loopback. Tests drive it over HTTP alone, and wait on what
// it announces, never on the clock.
import { readConfig, type Config } from "../../src/platform/config.ts";
import { type Gateway, startGateway } from "../../src/app/gateway.ts";
import { createLogger, logTelemetry } from "../../src/platform/logger.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { prepareDatabase } from "../../src/app/prepare-database.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../../src/simulator/simulator-options.ts";
import type { SubmittedMessage } from "../../src/simulator/submitted-message.ts";
import { Database } from "../../src/store/database.ts";
import { Telemetry, type TelemetryName } from "../../src/platform/telemetry.ts";
import { createPreparedDatabase, createTestDatabase, statement } from "./database.ts";
import { baseSetup, keys, type SetupDocument } from "./gateway-setup.ts";
import { applyDocument } from "./apply-document.ts";
import { pauseBetweenLooks } from "./factories.ts";

export { keys };

/** Everything that an answer of the API may hold; absent ones are undefined. */
export interface AnswerBody {
  readonly batchId?: string;
  readonly message?: MessageElement;
  readonly messages?: readonly MessageElement[];
  readonly errorCode?: number;
  readonly errorMessage?: string;
  readonly validationErrors?: readonly { readonly field: string; readonly errorMessage: string }[];
  readonly canceledCount?: number;
  readonly balance?: string;
  readonly nextCursor?: string;
  readonly accessToken?: string;
}

export interface MessageElement {
  readonly sentMessageId?: string;
  readonly senderNumber?: string;
  readonly recipientNumber?: string;
  readonly content?: string;
  readonly operator?: string;
  readonly parts?: string;
  readonly cost?: string;
  readonly encoding?: string;
  readonly messageStatus?: number;
  readonly errorCode?: number;
  readonly errorMessage?: string;
  readonly batchId?: string;
  readonly sendTimestamp?: number;
  readonly sentTimestamp?: number;
  readonly finalTimestamp?: number;
}

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
  readonly text: string;
  readonly headers: Headers;
}

export interface CallOptions {
  /** X-Api-Key; the demo account's when absent, none when null. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
}

export interface SentBatch {
  readonly batchId: string;
  /** Of the first message. */
  readonly id: string;
  readonly ids: readonly string[];
}

export interface TestGatewayOptions {
  /** One simulated operator each; the setup's connectors smsc-1, smsc-2… lead to them. */
  readonly smsc?: SimulatedSmscOptions | readonly SimulatedSmscOptions[];
  /** Settings of every connector, over the defaults. */
  readonly connector?: Readonly<Record<string, unknown>>;
  /** Keys of the setup file that replace those of the base setup. */
  readonly setup?: SetupDocument | ((ports: readonly number[]) => SetupDocument);
  readonly environment?: Readonly<Record<string, string>>;
  /** Keep every log line at level trace. */
  readonly keepLog?: boolean;
  /** Instead of a cloned test database; the caller removes it. */
  readonly databaseUrl?: string;
}

/** Ends what hangs; nothing is asserted by it. */
const deadlineMs = 60_000;

/** What may have changed the state that a test waits for. */
const changes: readonly TelemetryName[] = [
  "batch.accepted",
  "submission.settled",
  "commit.group",
  "receipt.applied",
  "inbound.received",
  "inbound.joined",
  "bind.changed",
  "configuration.reloaded",
  "message.ended",
  "database.back",
  "service.recovered",
  "node.lease",
  "window.use",
];

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await TestGateway.create(options);
  try {
    await gateway.start();
    await gateway.untilBound();
  } catch (error) {
    await gateway.stop();
    throw error;
  }
  return gateway;
}

/** Runs the work with its own gateway, which is always stopped afterwards. */
export async function withTestGateway(
  options: TestGatewayOptions,
  work: (gateway: TestGateway) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway(options);
  try {
    await work(gateway);
  } finally {
    await gateway.stop();
  }
}

interface TestGatewayParts {
  readonly config: Config;
  readonly smscs: readonly [SimulatedSmsc, ...SimulatedSmsc[]];
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly setup: SetupDocument;
  readonly drop: () => Promise<void>;
  readonly keepLog: boolean;
}

export class TestGateway {
  readonly config: Config;
  readonly smscs: readonly [SimulatedSmsc, ...SimulatedSmsc[]];
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Log lines at level trace, where they are kept. */
  readonly log: string[] = [];
  readonly #setup: SetupDocument;
  readonly #drop: () => Promise<void>;
  readonly #joined: TestGateway[] = [];
  #gateway: Gateway | undefined;
  /** Counts what may have changed something. */
  #changes = 0;
  readonly #waiting = new Set<() => void>();

  /** SQL of the test itself. */
  rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.db.query(statement(sql, values));
  }

  static async create(options: TestGatewayOptions): Promise<TestGateway> {
    const telemetry = new Telemetry();
    const startsPrepared = mayStartPrepared(options);
    const { db, drop } = await openDatabase(options, startsPrepared, telemetry);
    const [first = {}, ...more] = listOf(options.smsc ?? {});
    const startAll = Promise.all(more.map(startSimulatedSmsc));
    const smscs: readonly [SimulatedSmsc, ...SimulatedSmsc[]] = [await startSimulatedSmsc(first), ...(await startAll)];
    const ports = smscs.map(({ port }) => port);
    const { setup = {}, connector = {}, keepLog = false } = options;
    const given = typeof setup === "function" ? setup(ports) : setup;
    const wanted = { ...baseSetup(ports, connector), ...given };
    return new TestGateway({
      config: readConfig({ HODHOD_PORT: "0", HODHOD_SHUTDOWN_SECONDS: "4", ...options.environment }),
      smscs,
      db,
      telemetry,
      setup: startsPrepared ? withoutPrepared(wanted) : wanted,
      drop,
      keepLog,
    });
  }

  private constructor(parts: TestGatewayParts) {
    this.config = parts.config;
    this.smscs = parts.smscs;
    this.db = parts.db;
    this.telemetry = parts.telemetry;
    this.#setup = parts.setup;
    this.#drop = parts.drop;
    const noteChange = (): void => {
      this.#changes += 1;
      for (const wake of this.#waiting) wake();
    };
    for (const name of changes) parts.telemetry.on(name, noteChange);
    for (const smsc of parts.smscs) {
      smsc.on("submit", noteChange);
      smsc.on("bind", noteChange);
      smsc.on("bindRefused", noteChange);
      smsc.on("unbind", noteChange);
      smsc.on("receiptAnswered", noteChange);
      smsc.on("moAnswered", noteChange);
    }
    if (parts.keepLog) {
      const write = (line: string): void => {
        this.log.push(line);
      };
      logTelemetry(createLogger({ logLevel: "trace" }, { write }), parts.telemetry);
    }
  }

  /** The first, and mostly the only, simulated operator. */
  get smsc(): SimulatedSmsc {
    return this.smscs[0];
  }

  get url(): string {
    return this.#running.address;
  }

  get #running(): Gateway {
    if (this.#gateway === undefined) throw new Error("the gateway does not run");
    return this.#gateway;
  }

  /** Starts the gateway again on the same database, after `stopGateway`. */
  async start(): Promise<void> {
    const { config, db, telemetry } = this;
    this.#gateway = await startGateway({
      config,
      db,
      telemetry,
      metrics: createMetrics(telemetry),
      alone: false,
      prepare: () => this.#apply(this.#setup),
    });
  }

  /** A second gateway on the same database and operators; its stop is stopGateway. */
  join({ databaseUrl = this.db.url }: { readonly databaseUrl?: string } = {}): TestGateway {
    const { config, smscs } = this;
    const telemetry = new Telemetry();
    const db = Database.open({ url: databaseUrl, telemetry, poolSize: 8 });
    const drop = (): Promise<void> => Promise.resolve();
    const second = new TestGateway({ config, smscs, db, telemetry, setup: this.#setup, drop, keepLog: false });
    this.#joined.push(second);
    return second;
  }

  /** Stops the gateway alone, as SIGTERM does. */
  async stopGateway(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await gateway?.stop();
  }

  async stop(): Promise<void> {
    await this.stopGateway();
    for (const joined of this.#joined) await joined.stopGateway();
    await Promise.all(this.#joined.map(({ db }) => db.close()));
    await Promise.all(this.smscs.map((smsc) => smsc.stop("destroy")));
    await this.#drop();
  }

  /** A round of a background duty, now. */
  runNow(duty: string): Promise<Record<string, number>> {
    return this.#running.runNow(duty);
  }

  /** Changes the configuration of the running service, as staff do, and waits until it follows. */
  async apply(change: SetupDocument): Promise<void> {
    await this.#apply(change);
    await this.#running.directory.refresh();
  }

  async #apply(document: SetupDocument): Promise<void> {
    await applyDocument(this.db, document);
  }

  accountId(name: string): number {
    const account = [...this.#running.directory.current.accounts.values()].find((each) => each.name === name);
    if (account === undefined) throw new Error(`no account ${name}`);
    return account.id;
  }

  /** One HTTP request. */
  async call(method: string, path: string, { key = keys.demo, headers, body }: CallOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.url}/${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { "x-api-key": key }),
        ...(typeof body === "object" ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = String(response.headers.get("content-type")).includes("json") && text !== "";
    const parsed = isJson ? (JSON.parse(text) as AnswerBody) : {};
    return { status: response.status, body: parsed, text, headers: response.headers };
  }

  /** A single send that must be accepted. */
  async send(recipientNumber: string, fields: object = {}, options: CallOptions = {}): Promise<SentBatch> {
    const body = { senderNumber: "10001234", recipientNumber, content: "سلام", ...fields };
    return accepted(await this.call("POST", "messages/send", { body, ...options }));
  }

  /** A template send whose message is valid for two seconds, unless another template is named. */
  async sendShortLived(recipientNumber: string, templateId = "TwoSeconds"): Promise<SentBatch> {
    const body = { recipientNumber, templateId, parameters: [{ name: "code", value: "12345" }] };
    return accepted(await this.call("POST", "messages/send/template", { body }));
  }

  /** A bulk send of one text to many recipients, that must be accepted. */
  async sendBulk(
    recipientNumbers: readonly string[],
    fields: object = {},
    options: CallOptions = {},
  ): Promise<SentBatch> {
    const body = { senderNumbers: "10001234", recipientNumbers, contents: "سلام", ...fields };
    return accepted(await this.call("POST", "messages/send/bulk", { body, ...options }));
  }

  /** One message as messages/status reports it. */
  async status(id: string, options: CallOptions = {}): Promise<MessageElement> {
    const { body, status, text } = await this.call("POST", "messages/status", {
      body: { sentMessageIds: [id] },
      ...options,
    });
    const element = body.messages?.[0];
    if (element === undefined) throw new Error(`no status: ${status} ${text}`);
    return element;
  }

  /** Waits until messages/status tells that status, or one that satisfies. */
  async untilStatus(
    id: string,
    wanted: number | ((element: MessageElement) => boolean),
    options: CallOptions = {},
  ): Promise<MessageElement> {
    const fits = typeof wanted === "number" ? (element: MessageElement) => element.messageStatus === wanted : wanted;
    let last: MessageElement | undefined;
    const look = async (): Promise<MessageElement | undefined> => {
      last = await this.status(id, options);
      return fits(last) ? last : undefined;
    };
    const about = (): string => `status ${String(wanted)}; last: ${JSON.stringify(last)}`;
    return this.until(about, look);
  }

  /** Waits until all of them have that status, looking by batch. */
  async untilAll(batchId: string, wanted: number): Promise<readonly MessageElement[]> {
    let last = "";
    const look = async (): Promise<readonly MessageElement[] | undefined> => {
      const { body } = await this.call("GET", `messages/status/${batchId}`);
      const messages = body.messages ?? [];
      last = messages.map(({ messageStatus }) => messageStatus).join();
      return messages.length > 0 && messages.every(({ messageStatus }) => messageStatus === wanted)
        ? messages
        : undefined;
    };
    return this.until(() => `all at ${wanted}; last: ${last}`, look);
  }

  /** Looks again at each thing the gateway or the operator announces, until there is an answer. */
  async until<T>(what: string | (() => string), look: () => T | undefined | Promise<T | undefined>): Promise<T> {
    const begin = performance.now();
    for (;;) {
      const seen = this.#changes;
      const found = await look();
      if (found !== undefined) return found;
      const leftMs = deadlineMs - (performance.now() - begin);
      if (leftMs <= 0 || !(await this.#nextChange(seen, leftMs)))
        throw new Error(`not within ${deadlineMs} ms: ${typeof what === "string" ? what : what()}`);
      await pauseBetweenLooks(begin);
    }
  }

  /** False when nothing changed in time. */
  #nextChange(seen: number, ms: number): Promise<boolean> {
    if (this.#changes !== seen) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (changed: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(changed);
      };
      const wake = (): void => settle(true);
      const timer = setTimeout(() => settle(false), ms);
      this.#waiting.add(wake);
    });
  }

  /** Until every operator has a bind. */
  async untilBound(): Promise<void> {
    await this.until(
      "all connectors bound",
      () => this.smscs.every(({ sessions }) => sessions.length > 0) || undefined,
    );
  }

  /** Until the operator has seen that many submissions to that recipient. */
  async untilSubmitted(recipientNumber: string, count: number): Promise<readonly SubmittedMessage[]> {
    const about = (): string => `${count} submissions; ${this.submissions(recipientNumber).length} seen`;
    const look = (): readonly SubmittedMessage[] | undefined => {
      const seen = this.submissions(recipientNumber);
      return seen.length >= count ? seen : undefined;
    };
    return this.until(about, look);
  }

  /** What the operators saw for a recipient, refused ones too, in order of arrival. */
  submissions(recipientNumber: string): readonly SubmittedMessage[] {
    const address = `98${recipientNumber.slice(1)}`;
    return this.smscs.flatMap(({ submitted }) => submitted.filter(({ recipient }) => recipient.address === address));
  }

  /**
   * A further message, of another account, has come through on the same link: whatever was to
   * follow the events before it has followed.
   */
  async passMarker(): Promise<void> {
    const { id } = await this.send("09129997777", { content: "marker" }, { key: keys.other });
    await this.untilStatus(id, 2, { key: keys.other });
  }

  /** The account's credit as the API reports it, in rials. */
  async balance(key: string = keys.demo): Promise<bigint> {
    const { body } = await this.call("GET", "account/balance", { key });
    return BigInt((body.balance ?? "").replaceAll(",", ""));
  }

  /** The ledger of an account, summed up. */
  async ledger(account = "demo"): Promise<Ledger> {
    const rows = await this.db.query<Ledger>(
      statement(
        `select coalesce(sum(amount), 0)::bigint as sum,
                coalesce(sum(amount) filter (where kind = 'refund'), 0)::bigint as refunded,
                (count(*) filter (where kind = 'refund'))::int as refunds,
                (count(*) filter (where kind = 'charge'))::int as charges
           from ledger_entry where account_id = $1`,
        [this.accountId(account)],
      ),
    );
    const [ledger] = rows;
    if (ledger === undefined) throw new Error("no ledger");
    return ledger;
  }

  /** What was given back for one message. */
  async refundsOf(messageId: string): Promise<readonly bigint[]> {
    const rows = await this.db.query<{ amount: bigint }>(
      statement("select amount from ledger_entry where kind = 'refund' and message_id = $1", [messageId]),
    );
    return rows.map(({ amount }) => amount);
  }

  /** Rows of a table, for what the API does not tell. */
  async count(table: string, where = "true"): Promise<number> {
    const rows = await this.db.query<{ count: number }>(
      statement(`select count(*)::int as count from ${table} where ${where}`),
    );
    return rows[0]?.count ?? 0;
  }
}

export interface Ledger {
  readonly sum: bigint;
  readonly refunded: bigint;
  readonly refunds: number;
  readonly charges: number;
}

async function openDatabase(
  { databaseUrl }: TestGatewayOptions,
  startsPrepared: boolean,
  telemetry: Telemetry,
): Promise<{ db: Database; drop: () => Promise<void> }> {
  const options = { telemetry, poolSize: 8 };
  if (databaseUrl !== undefined) {
    const db = Database.open({ url: databaseUrl, ...options });
    return { db, drop: () => db.close() };
  }
  return startsPrepared
    ? createPreparedDatabase(JSON.stringify(preparedSetup), prepare, options)
    : createTestDatabase(options);
}

/**
 * Stored once for all tests: to read, judge and save it takes a fifth of what a gateway costs. Its
 * operator is nowhere.
 */
const preparedSetup = baseSetup([1], {});

async function prepare(db: Database): Promise<void> {
  await prepareDatabase({ config: readConfig({}), db });
  await applyDocument(db, preparedSetup);
}

/**
 * Where all that is prepared is wanted, and perhaps led to operators by other routes. A log that is
 * kept also tells how the setup is stored.
 */
function mayStartPrepared({ databaseUrl, keepLog = false, setup = {} }: TestGatewayOptions): boolean {
  return (
    databaseUrl === undefined &&
    !keepLog &&
    typeof setup === "object" &&
    Object.keys(setup).every((section) => section === "routes")
  );
}

/** The sections that differ from what is prepared. */
function withoutPrepared(setup: SetupDocument): SetupDocument {
  return Object.fromEntries(
    Object.entries(setup).filter(
      ([section, wanted]) => JSON.stringify(wanted) !== JSON.stringify(preparedSetup[section]),
    ),
  );
}

function listOf<T extends object>(oneOrMore: T | readonly T[]): readonly T[] {
  return Array.isArray(oneOrMore) ? (oneOrMore as readonly T[]) : [oneOrMore as T];
}

/** The ids of a send; throws when it was not accepted. */
export function accepted({ status, body, text }: Answer): SentBatch {
  const elements = body.message === undefined ? (body.messages ?? []) : [body.message];
  const ids = elements.flatMap(({ sentMessageId }) => (sentMessageId === undefined ? [] : [sentMessageId]));
  const [id] = ids;
  if (status !== 200 || body.batchId === undefined || id === undefined)
    throw new Error(`not accepted: ${status} ${text}`);
  return { batchId: body.batchId, id, ids };
}

/**
 * A number of MCI with the ending that chooses what the simulated operator does; `variant` tells
 * tests apart.
 */
export function recipientOf(suffix: string, variant = 100): string {
  return `0912${String(variant).padStart(3, "0")}${suffix}`;
}
