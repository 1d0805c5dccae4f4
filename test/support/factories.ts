// A small service to test with: configuration seeded by SQL into a database of its own, a directory
// that has read it, and shorthand for sending and for looking at what became of messages. Names may
// be chosen; everything has a default.
import type { FailureReason } from "../../src/sms/failure-reason.ts";
import { afterAll, beforeAll } from "vitest";
import { type PreparedMessage, prepareMessage } from "../../src/sms/prepare-message.ts";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import type { Account } from "../../src/directory/directory.ts";
import type { Connector } from "../../src/directory/network.ts";
import { DirectoryService } from "../../src/directory/directory-service.ts";
import { type CallToStore, storeCalls } from "../../src/store/accept-calls.ts";
import { assembleCall } from "../../src/intake/assemble-call.ts";
import type { CallToAccept } from "../../src/intake/commit-calls.ts";
import { listObjectRows, saveObjects } from "../../src/store/configured-objects.ts";
import type { Database } from "../../src/store/database.ts";
import type { PartTaken } from "../../src/store/progress.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, statement, type TestDatabase } from "./database.ts";

export interface AccountPlan {
  readonly name: string;
  readonly credit?: bigint;
  readonly unlimited?: boolean;
  readonly lines?: readonly string[];
}

export interface ConnectorPlan {
  readonly name: string;
  readonly enabled?: boolean;
  readonly settings?: Partial<ConnectorSettings>;
}

export interface RoutePlan {
  readonly operator?: string;
  readonly line?: string;
  /** Names, by preference. */
  readonly connectors: readonly string[];
}

export interface WorldPlan {
  readonly accounts?: readonly AccountPlan[];
  readonly connectors?: readonly ConnectorPlan[];
  readonly routes?: readonly RoutePlan[];
  /** Line number → kind. */
  readonly lines?: Readonly<Record<string, string>>;
}

export interface World {
  readonly db: Database;
  readonly url: string;
  readonly telemetry: Telemetry;
  readonly directory: DirectoryService;
  account(name?: string): Account;
  connector(name?: string): Connector;
  /** In the order of the plan. */
  readonly routeIds: readonly number[];
  /** Runs SQL that changes the configuration, and has the directory read it. */
  reconfigure(sql: string, values?: readonly unknown[]): Promise<void>;
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const line = "10001234";
/** Operator MCI, delivered by the simulator without more ado. */
export const mci = "989121230000";
export const irancell = "989351230000";
/** Price of a part of a text that is not Persian. */
export const otherPrice = 2800n;

/** One for all tests of the file. It can be used from its first test on. */
export function useWorld(plan: WorldPlan = {}): World {
  const world = {} as World;
  beforeAll(async () => {
    Object.assign(world, await openWorld(plan));
  });
  afterAll(() => world.close());
  return world;
}

/**
 * A small service in a database of its own, or in `database`, which is migrated and empty.
 * `connector` is where the simulator listens.
 */
export async function openWorld(plan: WorldPlan = {}, database?: Omit<TestDatabase, "rows">): Promise<World> {
  const telemetry = new Telemetry();
  const { db, url, drop } = database ?? (await createTestDatabase({ telemetry, poolSize: 10 }));
  const routeIds = await seed(db, plan);
  const directory = new DirectoryService({ database: db, telemetry, maximumParts: 10 });
  await directory.refresh();
  const firstAccount = plan.accounts?.[0]?.name ?? "demo";
  const firstConnector = plan.connectors?.[0]?.name ?? "sim";
  return {
    db,
    url,
    telemetry,
    directory,
    routeIds,
    account: (name = firstAccount) => found([...directory.current.accounts.values()].find((one) => one.name === name)),
    connector: (name = firstConnector) => found(directory.current.connectors.find((one) => one.name === name)),
    reconfigure: async (sql, values = []) => {
      await db.query(statement(sql, values));
      await db.query(statement("update configuration set version = version + 1"));
      await directory.refresh();
    },
    rows: (sql, values = []) => db.query(statement(sql, values)),
    close: async () => {
      await directory.stop();
      await drop();
    },
  };
}

async function seed(db: Database, plan: WorldPlan): Promise<number[]> {
  const {
    accounts = [{ name: "demo" }],
    connectors = [{ name: "sim" }],
    routes = [{ connectors: [connectors[0]?.name ?? ""] }],
    lines = { [line]: "dedicated" },
  } = plan;
  const price = (language: string, rials: number) => ({ operator: "*", line: "*", language, price: rials });
  await saveObjects(db, [
    { section: "operators", name: "MCI", body: { prefixes: ["910", "912"] } },
    { section: "operators", name: "Irancell", body: { prefixes: ["935"] } },
    { section: "tariffs", name: "standard", body: { prices: [price("fa", 1390), price("*", 2800)] } },
    ...Object.entries(lines).map(([name, kind]) => ({ section: "lines" as const, name, body: { kind } })),
  ]);
  for (const account of accounts) await seedAccount(db, account, Object.keys(lines));
  for (const { name, enabled = true, settings = {} } of connectors) {
    const given = { type: "smpp", host: "127.0.0.1", port: 1, systemId: name, password: "secret", enabled };
    await saveObjects(db, [{ section: "connectors", name, body: { ...given, ...settings } }]);
  }
  const routeIds: number[] = [];
  for (const [position, route] of routes.entries()) {
    const body = { operator: "*", line: "*", ...route };
    await saveObjects(db, [{ section: "routes", name: `${body.line} ${body.operator}`, position, body }]);
    routeIds.push((await listObjectRows(db, ["routes"])).routes.at(-1)?.id ?? 0);
  }
  await db.query(statement("update configuration set version = version + 1"));
  return routeIds;
}

async function seedAccount(db: Database, account: AccountPlan, allLines: readonly string[]): Promise<void> {
  const { name, credit = 1_000_000_000n, unlimited = false, lines = allLines } = account;
  const [row] = await db.query<{ id: number }>(
    statement(
      "insert into account (name, domain, tariff, lines) values ($1, $1 || '.example', 'standard', $2) returning id",
      [name, lines],
    ),
  );
  const { id } = found(row);
  await db.query(statement("insert into account_balance values ($1, $2, $3)", [id, credit, unlimited]));
  await db.query(
    statement("insert into ledger_entry (account_id, id, kind, amount) values ($1, $2, 'opening', $3)", [
      id,
      uuidv7(),
      credit,
    ]),
  );
}

export interface MessagePlan {
  readonly recipient?: string;
  readonly content?: string;
  readonly sender?: string;
}

export interface CallPlan {
  readonly account?: Account;
  readonly messages?: readonly MessagePlan[];
  readonly priority?: 0 | 1 | 2;
  /** Of each of its messages, as the following. */
  readonly validSeconds?: number;
  readonly sendAt?: Date | undefined;
  readonly windowEnd?: Date;
  readonly purpose?: 0 | 1 | 2;
  readonly review?: string;
  readonly routeId?: number;
}

/** A call as the intake would give it to the committer. */
export function callToAccept(world: World, plan: CallPlan = {}): CallToAccept {
  const { account = world.account(), messages = [{}], priority = 1, validSeconds = 3600 } = plan;
  const { sendAt, windowEnd, purpose, review, routeId } = plan;
  const verdicts = messages.map((message) => ({
    ...prepare(account, message),
    validSeconds,
    ...(sendAt && { sendAt }),
    ...(windowEnd && { windowEnd }),
    ...(purpose !== undefined && { storedPurpose: purpose }),
    ...(review !== undefined && { review }),
    ...(routeId !== undefined && { routeId }),
  }));
  return { account, verdicts, priority };
}

/** The call as it would be stored. */
export function callOf(world: World, plan: CallPlan = {}): CallToStore {
  const { account, verdicts, priority } = callToAccept(world, plan);
  return assembleCall(verdicts, { accountId: account.id, priority, validitySeconds: 3600, now: Date.now() }).call;
}

function prepare(
  account: Account,
  { recipient = mci, content = "Hello", sender = line }: MessagePlan,
): PreparedMessage {
  const draft = { senderNumber: sender, recipientNumber: recipient, content, source: "json" as const };
  const prepared = prepareMessage(draft, account.terms);
  if (prepared.kind === "rejected") throw new Error(`not a message: ${JSON.stringify(prepared.faults)}`);
  return prepared;
}

/** Stores one call and answers its messages' ids, in order. */
export async function storeCall(world: World, plan: CallPlan = {}): Promise<string[]> {
  const call = callOf(world, plan);
  const { stored } = await storeCalls(world.db, [call]);
  if (stored[0] !== true) throw new Error("the call was not stored");
  return call.messages.map(({ id }) => id);
}

/** Stores a call of one message, and answers its id. */
export async function storeMessage(
  world: World,
  message: MessagePlan = {},
  call: Omit<CallPlan, "messages"> = {},
): Promise<string> {
  const [id = ""] = await storeCall(world, { ...call, messages: [message] });
  return id;
}

/** A part that the world's SMSC took under an id of its own. */
export function partTaken(world: World, messageId: string, part: number): PartTaken {
  const smscMessageId = uuidv7();
  const smscIdKey = smscMessageId.replaceAll("-", "");
  const connectorId = world.connector().id;
  return { accountId: world.account().id, messageId, part, connectorId, recipient: mci, smscIdKey, smscMessageId };
}

/** A text of that many parts, in the GSM alphabet. */
export function longText(parts: number, letter = "x"): string {
  return letter.repeat(153 * (parts - 1) + 20);
}

export interface MessageRow {
  readonly id: string;
  readonly status: number;
  readonly reason: number | null;
  readonly detail: string | null;
  readonly failure: FailureReason | null;
  readonly parts: number;
  readonly taken: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly tries: number;
  readonly sentAt: Date | null;
  readonly finalAt: Date | null;
}

export async function readMessages(world: World, ids?: readonly string[]): Promise<MessageRow[]> {
  return world.rows(
    `select id, status, reason, reason_detail as detail, failure, parts, parts_taken as taken, parts_delivered as delivered,
            parts_undelivered as undelivered, tries, sent_at as "sentAt", final_at as "finalAt"
       from message where $1::uuid[] is null or id = any ($1::uuid[]) order by id`,
    [ids ?? null],
  );
}

export async function readMessage(world: World, id: string): Promise<MessageRow> {
  return found((await readMessages(world, [id]))[0]);
}

export async function count(world: World, table: string): Promise<number> {
  const [row] = await world.rows<{ n: number }>(`select count(*)::int as n from ${table}`);
  return found(row).n;
}

/** The balance and the sum of the ledger, which must always be one number. */
export async function readMoney(world: World, account = world.account()): Promise<{ balance: bigint; ledger: bigint }> {
  const [row] = await world.rows<{ balance: bigint; ledger: bigint }>(
    `select balance, (select sum(amount)::bigint from ledger_entry e where e.account_id = b.account_id) as ledger
       from account_balance b where account_id = $1`,
    [account.id],
  );
  return found(row);
}

/** A node that lives (or, with a lease in the past, died). */
export async function seedNode(world: World, leaseSeconds: number, aliveSeconds = 60): Promise<string> {
  const id = uuidv7();
  await world.rows(
    `insert into node (id, host, pid, configuration_version, started_at, lease_until)
     values ($1, 'test', 1, 1, now() - make_interval(secs => $3), now() + make_interval(secs => $2))`,
    [id, leaseSeconds, aliveSeconds],
  );
  return id;
}

export interface OrphanPlan {
  readonly parts?: number;
  /** Bits of the parts that an SMSC is known to have taken. */
  readonly taken?: number;
}

/** A message that a node had claimed for a connector when it died. */
export async function seedOrphan(
  world: World,
  connector: string,
  { parts = 1, taken = 0 }: OrphanPlan = {},
): Promise<string> {
  const dead = await seedNode(world, 60);
  const id = await storeMessage(world, { content: longText(parts) });
  await world.rows(
    `with taken as (delete from message_queue where message_id = $3 returning account_id, message_id)
     insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids)
     select gen_random_uuid(), $1, $2, 1, array[account_id], array[message_id] from taken`,
    [dead, world.connector(connector).id, id],
  );
  await world.rows("update message set parts_taken = $2 where id = $1", [id, taken]);
  await world.rows("delete from node where id = $1", [dead]);
  return id;
}

const tablesOfMessages = [
  "message",
  "message_queue",
  "claim",
  "node",
  "bind_lease",
  "held_message",
  "submission",
  "unmatched_receipt",
  "receipt_deadline",
  "inbound_part",
  "inbound_message",
  "inbound_counter",
  "ledger_entry",
  "idempotency_key",
  "concatenation_reference",
  "reference_wait",
];

/** Forgets every message and node; what they cost is booked back, so that the books stay right. */
export async function clear(world: World): Promise<void> {
  await emptyTables(world.db, tablesOfMessages);
  await world.rows(
    "insert into ledger_entry (account_id, id, kind, amount) select account_id, gen_random_uuid(), 'opening', balance from account_balance",
  );
}

/**
 * Truncating makes new files for each partition and each of its indexes: fifty times the work of
 * deleting the few rows of a test.
 */
export async function emptyTables(db: Database, tables: readonly string[]): Promise<void> {
  const deletions = tables.map((table) => `from_${table} as (delete from ${table} returning 1)`);
  const counts = tables.map((table) => `(select count(*) from from_${table})`);
  const [row] = await db.query<{ rows: number }>(
    statement(`with ${deletions.join(", ")} select (${counts.join(" + ")})::int as rows`),
  );
  // Each scan would read past what is left of them.
  if (found(row).rows > 1000) await db.query(statement(`truncate ${tables.join(", ")} cascade`));
}

/**
 * Asks again and again, for facts that nothing announces. Rejects when it does not become true in
 * time.
 */
export async function eventually(fact: () => Promise<boolean> | boolean, deadlineMs = 60_000): Promise<void> {
  const begin = performance.now();
  while (!(await fact())) {
    if (performance.now() - begin > deadlineMs)
      throw new Error(`did not become true within ${deadlineMs} ms: ${fact.toString()}`);
    await pauseBetweenLooks(begin);
  }
}

/**
 * Longer, the longer it has taken since `begin`, by performance.now(): each look takes processor
 * time of what is waited for.
 */
export function pauseBetweenLooks(begin: number): Promise<void> {
  const ms = Math.min(Math.max((performance.now() - begin) / 8, 5), 100);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The sessions of this database that wait for a lock. */
export const lockWaiters =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("not there");
  return value;
}
