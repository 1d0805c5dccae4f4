// The only access to PostgreSQL: a pool of sessions with Hodhod's settings, named statements,
// transactions, notifications. Knows no table. Only src/store may import it for statements; other
// modules hold a Database only to pass it on.
import pg from "pg";
import type { Telemetry } from "../platform/telemetry.ts";
import { columnTypes } from "./array-parameters.ts";
import { breaksConnection, classify, DatabaseUnavailable, isStalePlan, repeatConflicts } from "./database-errors.ts";
import { NotificationListener } from "./notifications.ts";

/** One named statement with its values; undefined is null. A name always has the same text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement, or the name, text and values of one whose text never changes. */
export type AskedStatement = readonly [Statement] | readonly [name: string, text: string, values?: readonly unknown[]];

/** The server's log and views name a statement by the comment at its beginning. */
export function statementOf(asked: AskedStatement): Statement {
  const [given, text, values = []] = asked;
  return typeof given === "string" ? { name: given, text: `/* ${given} */\n${text}`, values } : given;
}

/** A statement whose text differs from call to call: the server prepares it for this call only. */
export function composed(name: string, text: string, values: readonly unknown[]): Statement {
  return { ...statementOf([name, text, values]), name: "" };
}

export interface Queryable {
  /** int8 → bigint, timestamptz → Date, uuid → string, bytea → Buffer, jsonb → parsed. */
  query<Row>(...asked: AskedStatement): Promise<Row[]>;
}

/** The first row, if there is one. */
export async function firstOf<Row>(rows: Promise<readonly Row[]>): Promise<Row | undefined> {
  return (await rows)[0];
}

/** The row of a statement that always answers one. */
export async function onlyOf<Row>(rows: Promise<readonly Row[]>): Promise<Row> {
  const [row] = await rows;
  if (row === undefined) throw new Error("a statement that always answers a row answered none");
  return row;
}

/** Runs single statements and transactions. */
export interface Transactional extends Queryable {
  /** Commits everything that the work did, or nothing. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
}

export interface DatabaseOptions {
  /** postgres://…; a unix socket as postgresql://user@localhost/database?host=/folder. */
  readonly url: string;
  /**
   * When the url leads to a pooler that assigns a session per transaction: a url that bypasses the
   * pooler, for work that needs its own session. Sessions of the pooled url are used as they come:
   * their settings are those of the role.
   */
  readonly directUrl?: string;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  /** How long a caller waits for a new or a free connection before it gets an error. */
  readonly connectTimeoutMs?: number;
  readonly telemetry?: Telemetry | undefined;
  /**
   * Statements of a transaction that are given at once are sent at once, instead of each after the
   * answer to the one before. After one that failed, the others fail.
   */
  readonly isPipelined?: boolean;
}

/** Added to the server's own statement_timeout, for a server or network that no longer responds. */
const silenceTimeoutMs = 5000;
/** A transaction of this program never waits for anything but the database. */
const idleInTransactionTimeoutMs = 30_000;

export class Database implements Transactional {
  readonly url: string;
  /** Whether sessions come from a pooler that assigns one per transaction. */
  readonly isPooled: boolean;
  readonly poolSize: number;
  /** Set by the renewals of the node's lease. */
  readonly clock = new DatabaseClock();
  readonly #options: DatabaseOptions;
  /** For own sessions: the listener's and dedicated ones. */
  readonly #direct: pg.ClientConfig;
  readonly #pool: pg.Pool;
  readonly #listener: NotificationListener;
  readonly #telemetry: Telemetry | undefined;
  #lostAt: number | undefined;

  /**
   * Connects on first use, and again after a connection broke. The gateway can start while the
   * server is away.
   */
  static open(options: DatabaseOptions): Database {
    return new Database(options);
  }

  private constructor(options: DatabaseOptions) {
    const { url, poolSize = 10, statementTimeoutMs = 15_000 } = options;
    this.url = url;
    this.poolSize = poolSize;
    this.#options = options;
    this.#telemetry = options.telemetry;
    const connection: pg.ClientConfig = {
      connectionString: url,
      application_name: "hodhod",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
      types: columnTypes,
    };
    const pipelined = options.isPipelined === true ? { pipeline: true } : {};
    this.isPooled = options.directUrl !== undefined;
    this.#direct = { ...connection, connectionString: options.directUrl ?? url };
    this.#listener = new NotificationListener(() => new pg.Client(this.#direct));
    this.#pool = new pg.Pool({
      ...connection,
      ...pipelined,
      max: poolSize,
      idleTimeoutMillis: 60_000,
      query_timeout: statementTimeoutMs + silenceTimeoutMs,
      // The pool awaits the promise, although the option's type does not say so.
      onConnect: (client) =>
        (this.isPooled ? undefined : configureSession(client, statementTimeoutMs)) as unknown as undefined,
    });
    // A broken session, idle or in use, leaves the pool by itself; without these listeners its
    // error would end the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /**
   * Runs one statement in its own transaction. After a conflict with another transaction it is run
   * again, a few times.
   */
  async query<Row>(...asked: AskedStatement): Promise<Row[]> {
    const statement = statementOf(asked);
    return repeatConflicts(() => this.#session((client) => run<Row>(client, statement, true)));
  }

  /**
   * Commits everything that the work did, or nothing. DatabaseUnavailable is in doubt only if the
   * commit itself was sent. `tx` cannot be used after the work ends.
   */
  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#session(async (client) => {
      let open = true;
      const tx: Queryable = {
        query: async <Row>(...asked: AskedStatement) => {
          if (!open) throw new Error("the transaction is over");
          return run<Row>(client, statementOf(asked), false);
        },
      };
      const begun = execute(client, "begin", false);
      // In a pipeline the first statements follow at once, and fail with it.
      if (this.#options.isPipelined === true) void begun.catch(() => undefined);
      else await begun;
      let result: T;
      try {
        result = await work(tx);
        open = false;
      } catch (error) {
        open = false;
        if (!breaksConnection(error)) await execute(client, "rollback", false);
        throw error;
      }
      const tag = await execute(client, "commit", true);
      // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
      if (tag === "ROLLBACK") throw new Error("a statement of the transaction failed and its error was lost");
      return result;
    });
  }

  /**
   * A Database with a single session, or as many as are given, that bypasses any pooler and is
   * shared with nothing else: for work that must never wait for the pool, or that the pool must
   * never wait for. Whoever opens it closes it. Only the pool reports lost and restored
   * connections.
   */
  openApart(given: Pick<DatabaseOptions, "poolSize" | "statementTimeoutMs" | "isPipelined"> = {}): Database {
    const { directUrl, ...options } = this.#options;
    return new Database({ ...options, poolSize: 1, ...given, telemetry: undefined, url: directUrl ?? this.url });
  }

  /**
   * An own connection without time limits, for one long task: migrations, backup, restore. The
   * signal ends it in the middle of a statement.
   */
  async dedicatedSession<T>(work: (client: pg.Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const client = new pg.Client(this.#direct);
    client.on("error", () => undefined);
    let terminate = (): void => undefined;
    try {
      await client.connect();
      await configureSession(client, 0);
      await client.query("set idle_in_transaction_session_timeout = 0");
      if (signal !== undefined) {
        const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
        terminate = () => void this.#terminate(rows[0]?.pid);
        signal.addEventListener("abort", terminate);
      }
      return await work(client);
    } catch (error) {
      throw classify(error, true);
    } finally {
      signal?.removeEventListener("abort", terminate);
      await client.end().catch(() => undefined);
    }
  }

  /** A session of ours. If the database is away, so is the session. */
  async #terminate(pid: number | undefined): Promise<void> {
    await this.query("terminateSession", "select pg_terminate_backend($1)", [pid]).catch(() => undefined);
  }

  async #session<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#checkOut();
    let broken = true;
    try {
      const result = await work(client);
      broken = false;
      return result;
    } catch (error) {
      broken = breaksConnection(error) || isStalePlan(error);
      if (error instanceof DatabaseUnavailable && broken) this.#noteLost(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /**
   * Calls the handler with each payload sent to the channel, and with "" after a lost connection is
   * restored, when notifications may have been missed. Only a hint: a pooler may drop
   * notifications, so every listener also polls.
   */
  async listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>> {
    return this.#listener.listen(channel, handler);
  }

  /** Throws DatabaseUnavailable unless the database answers. */
  async ping(): Promise<void> {
    await this.query("ping", "select 1");
  }

  /** Waits for the work in progress, then closes every session. */
  async close(): Promise<void> {
    await this.#listener.close();
    if (!this.#pool.ended && !this.#pool.ending) await this.#pool.end();
  }

  async #checkOut(): Promise<pg.PoolClient> {
    try {
      const client = await this.#pool.connect();
      this.#noteBack();
      return client;
    } catch (error) {
      const classified = classify(error, false);
      // All sessions were busy the whole time: the pool is too small, but the database is
      // available.
      const exhausted = error instanceof Error && error.message.startsWith("timeout exceeded");
      if (breaksConnection(classified) && !exhausted) this.#noteLost(error);
      throw classified;
    }
  }

  #noteLost(error: unknown): void {
    if (this.#lostAt !== undefined) return;
    this.#lostAt = Date.now();
    this.#telemetry?.emit("database.lost", { error });
  }

  #noteBack(): void {
    if (this.#lostAt === undefined) return;
    this.#telemetry?.emit("database.back", { lostMs: Date.now() - this.#lostAt });
    this.#lostAt = undefined;
  }
}

/**
 * Sets what the statements rely on, whatever the server's defaults: above all, an answered commit
 * is on disk. A synchronous_commit stronger than `on` is kept.
 */
async function configureSession(client: pg.ClientBase, statementTimeoutMs: number): Promise<void> {
  await client.query(
    `set statement_timeout = ${statementTimeoutMs};
     set idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs};
     set timezone = 'UTC';
     set jit = off;
     set client_min_messages = warning;
     select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
}

async function run<Row>(client: pg.ClientBase, statement: Statement, sent: boolean): Promise<Row[]> {
  try {
    const { name, text, values } = statement;
    const result = await client.query({ name, text, values: values as unknown[] });
    return result.rows as Row[];
  } catch (error) {
    throw classify(error, sent);
  }
}

async function execute(client: pg.ClientBase, text: string, sent: boolean): Promise<string> {
  try {
    return (await client.query(text)).command;
  } catch (error) {
    throw classify(error, sent);
  }
}

export class DatabaseClock {
  /** The database's time less the monotonic clock, in ms; undefined until it was heard. */
  #aheadMs: number | undefined;

  /**
   * In whole milliseconds. Before the first reading this is the wall clock of this node. After it,
   * the error is half of the time that the best reading took, plus any steps of the database's
   * clock since the last reading.
   */
  now(): number {
    return this.#aheadMs === undefined ? Date.now() : Math.round(performance.now() + this.#aheadMs);
  }

  /**
   * Takes a reading: the database's time at some moment between `askedAt` (`performance.now`) and
   * now. The clock is corrected only as far as the reading proves it wrong, so a slow answer cannot
   * spoil a good reading.
   */
  heard(at: Date, askedAt: number): void {
    const [least, most] = [at.getTime() - performance.now(), at.getTime() - askedAt];
    this.#aheadMs = Math.min(most, Math.max(least, this.#aheadMs ?? (least + most) / 2));
  }
}
