// The HTTP service of a gateway over a real database and the real intake, without what lies behind
// (no dispatch, no operator).
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { readConfig, type Config } from "../../src/platform/config.ts";
import { Authenticator } from "../../src/credentials/authenticator.ts";
import { DirectoryService } from "../../src/directory/directory-service.ts";
import { buildServer } from "../../src/http/server.ts";
import type { RequestLimits } from "../../src/http/limits/request-limits.ts";
import type { DemoTicket, Readiness } from "../../src/http/server-parts.ts";
import { openWebhookParts } from "../../src/http/webhooks/endpoint-call.ts";
import { Intake } from "../../src/intake/accept-batch.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { ensureTokenKey } from "../../src/credentials/access-token.ts";
import type { Database } from "../../src/store/database.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { faultsOfAnswer } from "./api-document.ts";
import { cheapHash } from "./cheap-password.ts";
import { createPreparedDatabase, statement, type TestDatabase } from "./database.ts";
import { applyDocument } from "./apply-document.ts";

export const keys = {
  demo: "demo-key-of-the-tests-0001",
  foreign: "foreign-key-of-the-tests-1",
  poor: "poor-key-of-the-tests-0001",
  statusOnly: "status-only-key-of-tests-1",
  textOnly: "text-only-key-of-the-tests",
  fenced: "fenced-key-of-the-tests-01",
  fencedByKey: "fenced-by-key-of-the-tests",
  slow: "slow-key-of-the-tests-0001",
  unlimited: "unlimited-key-of-the-tests",
} as const;

export const demoUser = { userName: "demo", password: "password-of-demo", domain: "demo.example" } as const;

export const setupText = `
operators:
  - { name: MCI, prefixes: ["912", "991"] }
  - { name: Irancell, prefixes: ["935"] }
  - { name: RighTel, prefixes: ["920"], enabled: false }
  - { name: Taliya, prefixes: ["932"] }
connectors:
  - { name: mci-1, type: smpp, host: 127.0.0.1, port: 2775, systemId: hodhod, password: secret }
routes:
  - { operator: MCI, line: "*", connectors: [mci-1] }
  - { operator: Irancell, line: "*", connectors: [mci-1] }
  - { operator: RighTel, line: "*", connectors: [mci-1] }
lines:
  - { number: "10001234", kind: dedicated, inbound: demo }
  - { number: "10005678", kind: dedicated }
  - { number: "10007777", kind: dedicated }
  - { number: "30001111", kind: service }
  - { number: "30002222", kind: advertising }
  - { number: "02188001122", kind: dedicated }
systemLines: { service: "30001111", advertising: "30002222" }
tariffs:
  - name: standard
    prices:
      - { operator: "*", line: "*", language: fa, price: 1390 }
      - { operator: "*", line: "*", language: "*", price: 2800 }
accounts:
  - name: demo
    domain: demo.example
    credit: 100000000
    tariff: standard
    lines: ["10001234", "10005678", "02188001122"]
    users: [{ username: demo, password: password-of-demo }]
    apiKeys: [{ name: main, key: "${keys.demo}" }]
    blockedRecipients: ["09129999999"]
  - name: foreign
    domain: foreign.example
    credit: 100000000
    tariff: standard
    lines: ["10001234", "10007777"]
    users: [{ username: foreign, password: password-of-foreign }]
    apiKeys: [{ name: main, key: "${keys.foreign}" }]
  - { name: poor, domain: poor.example, credit: 5600, tariff: standard, lines: ["10001234"], apiKeys: [{ name: main, key: "${keys.poor}" }] }
  - name: statusOnly
    domain: status.example
    tariff: standard
    lines: ["10001234"]
    permissions: [status]
    users: [{ username: reader, password: password-of-reader }]
    apiKeys: [{ name: main, key: "${keys.statusOnly}" }]
  - name: textOnly
    domain: text.example
    credit: 1000000
    tariff: standard
    lines: ["10001234"]
    permissions: [send, status]
    users: [{ username: text, password: password-of-text }]
    apiKeys: [{ name: main, key: "${keys.textOnly}" }]
  - name: fenced
    domain: fenced.example
    credit: 1000000
    tariff: standard
    lines: ["10001234"]
    permissions: [balance]
    allowedIps: ["10.0.0.0/8"]
    users: [{ username: fenced, password: password-of-fenced }]
    apiKeys:
      - { name: main, key: "${keys.fenced}" }
      - { name: own, key: "${keys.fencedByKey}", allowedIps: ["127.0.0.1"] }
  - name: slow
    domain: slow.example
    credit: 1000000
    tariff: standard
    lines: ["10001234"]
    requestsPerSecond: 2
    apiKeys: [{ name: main, key: "${keys.slow}" }]
  - { name: open, domain: open.example, credit: unlimited, tariff: standard, lines: ["10001234"], apiKeys: [{ name: main, key: "${keys.unlimited}" }] }
templates:
  - { id: TydSt1skQE, account: demo, content: "کد ورود شما: {code}", sender: "10001234", approved: true, validSeconds: 120 }
  - { id: ServiceTpl, account: demo, content: "Hello {name}, {item-1}", sender: service, approved: true }
  - { id: AdvertTmpl, account: demo, content: "Sale!", sender: advertising, approved: true }
  - { id: NoLineTmpl, account: demo, content: "Code {code}", approved: true }
  - { id: Unapproved, account: demo, content: "Code {code}", approved: false }
  - { id: ForeignTpl, account: foreign, content: "Code {code}", approved: true }
`;

export interface TestApi {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: DirectoryService;
  readonly intake: Intake;
  readonly config: Config;
  /** What GET /health/ready sees. */
  readiness: Readiness;
  /**
   * The answer with its body parsed. Throws when the answer is not what docs/openapi.json promises.
   */
  call(method: CallMethod, url: string, options?: CallOptions): Promise<Answer>;
  accountId(name: string): number;
  /** Answers the port on loopback. */
  listen(): Promise<number>;
  /** SQL of the test itself. */
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export type CallMethod = NonNullable<InjectOptions["method"]>;

export type CallOptions = Omit<InjectOptions, "payload" | "url" | "method"> & {
  readonly key?: string;
  readonly payload?: unknown;
};

/**
 * Every field that some answer has. Which of them an answer really has is held against
 * docs/openapi.json.
 */
export interface AnswerBody {
  readonly batchId: string;
  readonly message: MessageElement;
  readonly messages: readonly MessageElement[];
  readonly errorCode: number;
  readonly errorMessage: string;
  readonly validationErrors: readonly { readonly field: string; readonly errorMessage: string }[];
  readonly canceledCount: number;
  readonly balance: string;
  readonly nextCursor: string;
  readonly accessToken: string;
}

export interface MessageElement {
  readonly sentMessageId: string;
  readonly senderNumber: string;
  readonly recipientNumber: string;
  readonly content: string;
  readonly operator: string;
  readonly errorCode?: number;
  readonly errorMessage: string;
  readonly batchId: string;
  readonly sendTimestamp: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string | number | string[] | undefined>;
  readonly body: AnswerBody;
}

export interface TestApiOptions {
  /** Instead of one of its own. */
  readonly database?: Pick<TestDatabase, "db" | "drop">;
  /** How wrong credentials are held back; at once where a test does not look at that. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Where a test would need too many callers to reach the usual ones. */
  readonly limits?: Partial<RequestLimits>;
  /** Where the built console lies, instead of in dist/. */
  readonly consoleFolder?: string;
  /** As a demo is started with. */
  readonly demoTickets?: readonly DemoTicket[];
  /** The clock by which what is known of callers is forgotten. */
  readonly now?: () => number;
  /** Instead of argon2, for tests that look at who waits and not at passwords. */
  readonly verify?: (passwordHash: string, password: string) => Promise<boolean>;
}

/** An answer in short: its status, the errorCode, and the fields at fault. */
export function refusal({ status, body }: { readonly status: number; readonly body: unknown }): readonly unknown[] {
  const { errorCode, validationErrors = [] } = body as Partial<AnswerBody>;
  return [status, errorCode, ...validationErrors.map(({ field }) => field)];
}

/** One for this test alone, which is closed when it ends. */
export async function ownTestApi(
  environment: Record<string, string> = {},
  options: TestApiOptions = {},
): Promise<TestApi> {
  const api = await openTestApi(environment, options);
  onTestFinished(() => api.close());
  return api;
}

/** One for all tests of the file. It can be used from its first test on. */
export function useTestApi(environment: Record<string, string> = {}, options: TestApiOptions = {}): TestApi {
  const api = {} as TestApi;
  beforeAll(async () => {
    await openTestApi(environment, options, api);
  });
  afterAll(() => api.close());
  return api;
}

/** Fills `target`. */
export async function openTestApi(
  environment: Record<string, string> = {},
  options: TestApiOptions = {},
  target: object = {},
): Promise<TestApi> {
  const { database, wait = async () => undefined, now = Date.now, verify, limits = {} } = options;
  const { consoleFolder, demoTickets } = options;
  const telemetry = new Telemetry();
  const { db, drop } = database ?? (await createPreparedDatabase(setupText, prepare, { telemetry, poolSize: 10 }));
  if (database !== undefined) await applyTo(db);
  const config = readConfig(environment);
  await ensureTokenKey({ database: db, tokenLifetimeSeconds: config.tokenLifetimeSeconds });
  const directory = new DirectoryService({ database: db, telemetry, maximumParts: config.maximumParts });
  await directory.start();
  const { acceptQueueLimit: queueLimit, idempotencyHours, tokenLifetimeSeconds } = config;
  const validitySeconds = config.validityHours * 3600;
  const intake = new Intake({
    db,
    telemetry,
    queueLimit,
    idempotencyHours,
    validitySeconds,
    announceDue: () => undefined,
  });
  const authenticator = new Authenticator({ directory, tokenLifetimeSeconds, wait, now, ...(verify && { verify }) });
  const metrics = createMetrics(telemetry);
  const api = Object.assign(target, {
    db,
    telemetry,
    directory,
    intake,
    config,
    readiness: { database: true, migrated: true },
  });
  const readiness = async () => api.readiness;
  const consoleReads = db.openApart({ poolSize: 2, statementTimeoutMs: 5_000, isPipelined: true });
  const { parts: webhooks, service: webhookTests } = openWebhookParts(config.webhookAllow);
  const parts = {
    config,
    directory,
    webhooks,
    authenticator,
    intake,
    db,
    consoleReads,
    telemetry,
    metrics,
    readiness,
    limits,
  };
  const app = buildServer({
    ...parts,
    ...(consoleFolder !== undefined && { consoleFolder }),
    ...(demoTickets && { demoTickets }),
  });
  await app.ready();
  return Object.assign(api, {
    app,
    call: (method: CallMethod, url: string, options?: CallOptions) => call(app, method, url, options),
    listen: async () => Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port),
    accountId: (name: string) =>
      [...directory.current.accounts.values()].find((account) => account.name === name)?.id ?? 0,
    rows: <Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => db.query<Row>(statement(sql, values)),
    close: async () => {
      await app.close();
      await intake.stop();
      await directory.stop();
      await consoleReads.close();
      await webhookTests.stop();
      await drop();
    },
  });
}

function applyTo(db: Database): Promise<unknown> {
  return applyDocument(db, setupText);
}

/** The hashes of its passwords take longer than all else here, and each check of them as long. */
async function prepare(db: Database): Promise<void> {
  await applyTo(db);
  for (const userName of ["demo", "foreign", "reader", "fenced"]) {
    const values = [userName, await cheapHash(`password-of-${userName}`)];
    await db.query(statement("update person set password_hash = $2 where username = $1", values));
  }
}

async function call(
  app: FastifyInstance,
  method: CallMethod,
  url: string,
  { key, payload, headers, ...options }: CallOptions = {},
): Promise<Answer> {
  const isJson = typeof payload === "object" && payload !== null && !Buffer.isBuffer(payload);
  const response = await app.inject({
    ...options,
    method,
    url,
    headers: {
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload: isJson ? JSON.stringify(payload) : (payload as string) }),
  });
  const json = String(response.headers["content-type"]).includes("json");
  const body = json && response.body !== "" ? (JSON.parse(response.body) as unknown) : undefined;
  const { statusCode: status } = response;
  const faults = json ? faultsOfAnswer(method, url, status, body) : [];
  if (faults.length > 0) throw new Error(`${method} ${url} ${status} ${response.body}: ${faults.join()}`);
  return { status, text: response.body, headers: response.headers, body: body as AnswerBody };
}
