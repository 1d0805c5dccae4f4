// Reads the environment into one frozen Config; nothing else reads process.env. All problems are
// reported together. Data such as accounts, operators, prices and connectors is in the database,
// not here.
import { lstatSync, type Stats } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { isAddressBlock } from "./addresses.ts";
import { readRegularFile, UnsafeFile } from "./trusted-file.ts";
import { availableParallelism } from "node:os";

const nodeRoles = ["http", "dispatch", "webhooks"] as const;
export type NodeRole = (typeof nodeRoles)[number];
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absent: the gateway runs its own PostgreSQL, with its files under dataDir. */
  readonly databaseUrl?: string;
  /**
   * If databaseUrl is a pooler that shares sessions: the address of the same database without the
   * pooler.
   */
  readonly databaseDirectUrl?: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly databasePoolSize: number;
  readonly statementTimeoutMs: number;
  readonly logLevel: LogLevel;
  /** Addresses or CIDR of proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[];
  /** Addresses or CIDR that may read /metrics, in addition to loopback. */
  readonly metricsAllow: readonly string[];
  readonly maximumBodyBytes: number;
  readonly maximumParts: number;
  /** Limit of messages that wait for their commit. Further calls are answered 503. */
  readonly acceptQueueLimit: number;
  readonly shutdownSeconds: number;
  readonly tokenLifetimeSeconds: number;
  readonly idempotencyHours: number;
  /** A message that no operator has accepted ends after this time (reason 1304). */
  readonly validityHours: number;
  /** Whether /console is served. */
  readonly console: boolean;
  /** Addresses or CIDR that staff may use the console from; empty: all. */
  readonly staffAllow: readonly string[];
  /** Addresses or CIDR that events may be sent to, whatever they are, by http, too. */
  readonly webhookAllow: readonly string[];
  /** Absent: this node has all roles. */
  readonly only?: readonly NodeRole[];
  /** Processes of this gateway, for all of which the other settings hold together; 1: no parent. */
  readonly workers: number;
}

/** Configuration of the commands that call a running gateway. */
export interface ClientConfig {
  readonly url: string;
  readonly apiKey?: string;
}

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`the configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables and collects their problems. An empty value counts as absent. */
class Reader {
  readonly problems: string[] = [];
  /** Of all variables that were asked for. */
  readonly names = new Set<string>();
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string | undefined {
    this.names.add(name);
    const value = this.#environment[name]?.trim();
    return value === "" ? undefined : value;
  }

  whole(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    this.problems.push(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
    return fallback;
  }

  /** Kubernetes sets `tcp://…` for a service named hodhod, which counts as absent. */
  port(name: string, least: number): number {
    return kubernetesValues.test(this.text(name) ?? "") ? usualPort : this.whole(name, usualPort, least, 65_535);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = allowed.find((candidate) => candidate === text.toLowerCase());
    if (value === undefined) this.problems.push(`${name} must be one of ${allowed.join(", ")}, not "${text}"`);
    return value ?? fallback;
  }

  list(name: string): readonly string[] {
    return (this.text(name) ?? "").split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()]));
  }

  networks(name: string): readonly string[] {
    const networks = this.list(name);
    for (const network of networks) {
      if (!isAddressBlock(network))
        this.problems.push(`${name} must list IP addresses or CIDR networks, not "${network}"`);
    }
    return Object.freeze(networks);
  }

  workers(name: string): number {
    const text = this.text(name) ?? "1";
    if (text.toLowerCase() === "auto") return Math.min(availableParallelism(), mostWorkers);
    const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= 1 && value <= mostWorkers) return value;
    this.problems.push(`${name} must be auto or a whole number from 1 to ${mostWorkers}, not "${text}"`);
    return 1;
  }

  roles(name: string): readonly NodeRole[] | undefined {
    const roles: NodeRole[] = [];
    for (const given of this.list(name)) {
      const role = nodeRoles.find((known) => known === given);
      if (role !== undefined) roles.push(role);
      else this.problems.push(`${name} may list http, dispatch and webhooks, not "${given}"`);
    }
    return roles.length > 0 ? Object.freeze([...new Set(roles)]) : undefined;
  }

  databaseUrl(name: string): string | undefined {
    const text = this.text(name);
    // The value may contain a password, so it is not shown.
    if (text !== undefined && !/^postgres(ql)?:\/\/./.test(text)) {
      this.problems.push(`${name} must begin with postgres:// or postgresql://`);
    }
    return text;
  }
}

/** The share of each must hold the longest request head (http/limits/request-limits.ts). */
const mostWorkers = 30;
const usualPort = 8080;
const fewestConnections = 4;
const usualConnections = 10;
const usualConnectionsOfWorker = 5;

const logLevels: readonly LogLevel[] = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** Reads the whole configuration. Throws ConfigError with all problems. */
export function readConfig(environment: Environment = process.env): Config {
  return readAll(environment, configOf);
}

function readAll<Whole>(environment: Environment, readFrom: (read: Reader) => Whole): Readonly<Whole> {
  const read = new Reader(environment);
  const whole = readFrom(read);
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return Object.freeze(whole);
}

function configOf(read: Reader): Config {
  const databaseUrl = read.databaseUrl("DATABASE_URL");
  const databaseDirectUrl = read.databaseUrl("HODHOD_DATABASE_DIRECT_URL");
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    read.problems.push("HODHOD_DATABASE_DIRECT_URL needs DATABASE_URL, which leads through the pooler");
  }
  const only = read.roles("HODHOD_ONLY");
  const workers = read.workers("HODHOD_WORKERS");
  const usualPool = workers === 1 ? usualConnections : Math.max(usualConnections, workers * usualConnectionsOfWorker);
  const config: Config = {
    host: read.text("HODHOD_HOST") ?? "127.0.0.1",
    port: read.port("HODHOD_PORT", 0),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(databaseDirectUrl === undefined ? {} : { databaseDirectUrl }),
    dataDir: path.resolve(read.text("HODHOD_DATA_DIR") ?? "data"),
    databasePoolSize: read.whole("HODHOD_DATABASE_POOL_SIZE", usualPool, fewestConnections, 200),
    statementTimeoutMs: read.whole("HODHOD_STATEMENT_TIMEOUT_SECONDS", 15, 1, 3600) * 1000,
    logLevel: read.oneOf("HODHOD_LOG_LEVEL", logLevels, "info"),
    trustProxy: read.networks("HODHOD_TRUST_PROXY"),
    metricsAllow: read.networks("HODHOD_METRICS_ALLOW"),
    maximumBodyBytes: read.whole("HODHOD_MAXIMUM_BODY_BYTES", 1_048_576, 65_536, 16_777_216),
    maximumParts: read.whole("HODHOD_MAXIMUM_PARTS", 10, 1, 30),
    acceptQueueLimit: read.whole("HODHOD_ACCEPT_QUEUE_LIMIT", 20_000, 100, 1_000_000),
    shutdownSeconds: read.whole("HODHOD_SHUTDOWN_SECONDS", 20, 1, 600),
    tokenLifetimeSeconds: read.whole("HODHOD_TOKEN_LIFETIME_SECONDS", 3600, 60, 86_400),
    idempotencyHours: read.whole("HODHOD_IDEMPOTENCY_HOURS", 24, 1, 720),
    validityHours: read.whole("HODHOD_VALIDITY_HOURS", 24, 1, 168),
    console: read.oneOf("HODHOD_CONSOLE", ["on", "off"], "on") === "on",
    staffAllow: read.networks("HODHOD_STAFF_ALLOW"),
    webhookAllow: read.networks("HODHOD_WEBHOOK_ALLOW"),
    workers,
    ...(only === undefined ? {} : { only }),
  };
  read.problems.push(...problemsOfWorkers(config));
  return config;
}

/** Octets that the bodies of all workers may have (http/limits/request-limits.ts). */
const bodyOctets = 128 << 20;

/** What is divided among the workers must leave each of them enough to work with. */
function problemsOfWorkers({ workers, databasePoolSize, maximumBodyBytes }: Config): readonly string[] {
  if (workers === 1) return [];
  const problems: string[] = [];
  const least = workers * fewestConnections;
  if (databasePoolSize < least) {
    problems.push(
      `HODHOD_DATABASE_POOL_SIZE must be at least ${least} for ${workers} workers (${fewestConnections} each), not ${databasePoolSize}`,
    );
  }
  const most = Math.floor(bodyOctets / maximumBodyBytes);
  if (workers > most) {
    problems.push(`HODHOD_WORKERS must be at most ${most} with a HODHOD_MAXIMUM_BODY_BYTES of ${maximumBodyBytes}`);
  }
  return problems;
}

/** The environment with some variables replaced by command-line options. */
export function environmentWith(given: Environment): Environment {
  return { ...process.env, ...given };
}

/**
 * The demo's configuration: the embedded database in its own folder, and a gateway with all roles
 * in one process, whose webhooks may go to programs of this machine.
 */
export function readDemoConfig(environment: Environment = process.env): Config {
  const dataDir = environment["HODHOD_DATA_DIR"]?.trim();
  const own = dataDir === undefined || dataDir === "" ? "demo-data" : dataDir;
  return readConfig({
    ...environment,
    DATABASE_URL: undefined,
    HODHOD_DATABASE_DIRECT_URL: undefined,
    HODHOD_ONLY: undefined,
    HODHOD_WORKERS: undefined,
    HODHOD_DATA_DIR: own,
    HODHOD_WEBHOOK_ALLOW: [environment["HODHOD_WEBHOOK_ALLOW"] ?? "", "127.0.0.0/8", "::1"].join(),
  });
}

/** The address and API key that `send` and `status` use. */
export function readClientConfig(environment: Environment = process.env): ClientConfig {
  return readAll(environment, clientConfigOf);
}

function clientConfigOf(read: Reader): ClientConfig {
  const apiKey = read.text("HODHOD_API_KEY");
  const url = read.text("HODHOD_URL") ?? `http://127.0.0.1:${read.port("HODHOD_PORT", 1)}`;
  if (!/^https?:\/\/./.test(url)) read.problems.push(`HODHOD_URL must begin with http:// or https://`);
  return { url: url.replace(/\/+$/, ""), ...(apiKey === undefined ? {} : { apiKey }) };
}

/** Those that are read. */
export function knownVariables(): ReadonlySet<string> {
  const read = new Reader({});
  configOf(read);
  clientConfigOf(read);
  return read.names;
}

/**
 * What Kubernetes sets for services called hodhod or hodhod-…: HODHOD_SERVICE_HOST,
 * HODHOD_PORT_8080_TCP_ADDR and so on.
 */
const kubernetesNames = /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const kubernetesValues = /^(tcp|udp|sctp):\/\//;

/** Unknown HODHOD_ variables, probably misspelt. */
export function findUnknownVariables(environment: Environment = process.env): readonly string[] {
  const known = knownVariables();
  return Object.entries(environment).flatMap(([name, value = ""]) => {
    const isOurs = known.has(name) || !name.startsWith("HODHOD_");
    return isOurs || kubernetesNames.test(name) || kubernetesValues.test(value) ? [] : [name];
  });
}

const longestEnvironmentFile = 1_048_576;

/**
 * Adds our variables of a `.env` file in the working directory, if there is one. Variables that are
 * already set keep their values. Anybody who can write to that folder could make us use another
 * database or load a library into our programs. So the file must belong to us or root, and
 * variables of other programs are ignored. Throws ConfigError if the file cannot be trusted,
 * because without its DATABASE_URL the command would work on another database.
 */
export function loadEnvironmentFile(file: string, tell: (line: string) => void): void {
  const text = readEnvironmentFile(file);
  if (text === undefined) return;
  const entries = Object.entries(parseEnv(text));
  const isOurs = (name: string) => name.startsWith("HODHOD_") || name === "DATABASE_URL";
  for (const [name, value] of entries) if (isOurs(name)) process.env[name] ??= value;
  const others = entries.flatMap(([name]) => (isOurs(name) ? [] : [name.replace(/[^\w.-]/g, "?").slice(0, 64)]));
  if (others.length === 0) return;
  const rest = others.length > 10 ? ` and ${others.length - 10} more` : "";
  tell(
    `warning: ${file} sets ${others.slice(0, 10).join(", ")}${rest}: only HODHOD_* and DATABASE_URL are read from it`,
  );
}

function readEnvironmentFile(file: string): string | undefined {
  try {
    const link = lstatSync(file, { throwIfNoEntry: false });
    const reason = link?.isSymbolicLink() === true ? whyNotOurs(link) : undefined;
    if (reason !== undefined) throw new UnsafeFile(file, link, `is a symbolic link that ${reason}`);
    const refuse = (stat: Stats) => whyNotOurs(stat) ?? whyNotClosed(stat);
    return readRegularFile(file, { mostBytes: longestEnvironmentFile, refuse })?.toString("utf8");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${message}; correct it, move it away, or start the command in another folder`]);
  }
}

function whyNotOurs({ uid }: Stats): string | undefined {
  return uid === 0 || uid === process.getuid?.() || process.getuid === undefined
    ? undefined
    : "belongs to another user";
}

/**
 * Groups with a single user are common (umask 002), but a file read by root must not be writable by
 * a group.
 */
function whyNotClosed({ mode }: Stats): string | undefined {
  if (process.getuid === undefined) return undefined;
  if ((mode & 0o002) !== 0) return "is writable by all users";
  return (mode & 0o020) !== 0 && process.getuid() === 0 ? "is writable by its group" : undefined;
}
