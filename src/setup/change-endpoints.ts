// The use cases behind all changes of endpoints of webhooks, and behind replays: by HTTP, setup file and
// command. Each is one transaction with its entry in the audit, and nodes follow. Secrets reach no audit.
import { webhookFields } from "../fields/account-fields.ts";
import { string } from "../fields/field.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { differencesOf } from "./compare-objects.ts";
import { maskOf, wants } from "../sms/event-types.ts";
import { type Actor, type AuditedChange, changeAudited } from "../store/audit.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { countLogOf, currentPosition, findLogRows } from "../store/event-log.ts";
import { noteWantsOf } from "../store/wanted-events.ts";
import { insertReplay, type ReplayToInsert } from "../store/webhook-attempts.ts";
import { dropUnwantedRetries } from "../store/webhook-deliveries.ts";
import {
  deleteEndpoints,
  disableEndpoint,
  enableEndpoint,
  type EndpointKeys,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listEndpointsOf,
  replaceSecret,
  updateEndpoint,
} from "../store/webhook-endpoints.ts";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import { mostEndpoints } from "../webhooks/endpoint-keys.ts";
import { makeSecret, oldSecretHours } from "../webhooks/signing.ts";

export interface EndpointOwner {
  readonly accountId: number;
  /** For the audit. */
  readonly account: string;
  readonly by: Actor;
}

/** One that is there. */
export interface ConcernedEndpoint extends EndpointOwner {
  readonly id: string;
  /** Throws if the endpoint differs from what the caller knows. Then nothing is changed. */
  readonly expect?: (stored: EndpointRow) => void;
}

export interface GivenEndpoint extends EndpointKeys {
  readonly enabled: boolean;
  /** Absent: a new one gets one of its own, others keep theirs. */
  readonly secret?: string | undefined;
}

export type EndpointChanges = Partial<EndpointKeys & Pick<EndpointRow, "enabled">>;

/** Throws ApiError, like all of these. */
export function createEndpoint(db: Transactional, owner: EndpointOwner, given: GivenEndpoint): Promise<EndpointRow> {
  return change(db, owner, async (tx) => {
    const others = await listEndpointsOf(tx, [owner.accountId]);
    if (others.length >= mostEndpoints)
      throw ApiError.invalidParameter("endpoints", "endpoints.tooMany", { maximum: mostEndpoints });
    if (others.some(({ name }) => name === given.name)) throw ApiError.invalidParameter("name", "endpoint.nameTaken");
    return addEndpoint(tx, owner.accountId, given);
  });
}

export function changeEndpoint(
  db: Transactional,
  owner: ConcernedEndpoint,
  changes: EndpointChanges,
): Promise<EndpointRow> {
  return change(db, owner, async (tx) => {
    const others = await listEndpointsOf(tx, [owner.accountId]);
    const before = others.find(({ id }) => id === owner.id);
    if (before === undefined) throw unknownEndpoint();
    owner.expect?.(before);
    const isTaken = others.some(({ id, name }) => id !== owner.id && name === changes.name);
    if (isTaken) throw ApiError.invalidParameter("name", "endpoint.nameTaken");
    return writeEndpoint(tx, before, changes);
  });
}

export function removeEndpoint(db: Transactional, owner: ConcernedEndpoint): Promise<EndpointRow> {
  return change(db, owner, async (tx) => {
    const before = await expectEndpoint(tx, owner);
    await deleteEndpoints(tx, [before.id]);
    return { row: before, audited: auditOf("remove", before, undefined) };
  });
}

export function unknownEndpoint(): ApiError {
  return new ApiError("unknownMessageId", { text: findingCatalogue["endpoint.unknown"] });
}

/** Answers the endpoint with the secret that signs from now on. */
export function renewSecret(
  db: Transactional,
  owner: ConcernedEndpoint,
  secret: string = makeSecret(),
): Promise<EndpointRow> {
  return change(db, owner, async (tx) => {
    const before = await expectEndpoint(tx, owner);
    await replaceSecret(tx, before.id, secret, oldSecretHours);
    const row = await expectEndpoint(tx, before);
    return { row, audited: auditOf("change", before, row) };
  });
}

/**
 * Makes these the account's endpoints, by their names, in a transaction that holds the lock and
 * raises the version itself. The audit is the caller's.
 */
export async function replaceEndpoints(
  tx: Queryable,
  accountId: number,
  desired: readonly GivenEndpoint[],
): Promise<void> {
  const stored = await listEndpointsOf(tx, [accountId]);
  const names = new Set(desired.map(({ name }) => name));
  const gone = stored.filter(({ name }) => !names.has(name)).map(({ id }) => id);
  if (gone.length > 0) await deleteEndpoints(tx, gone);
  for (const { secret, ...endpoint } of desired) {
    const before = stored.find(({ name }) => name === endpoint.name);
    if (before === undefined) {
      await addEndpoint(tx, accountId, { ...endpoint, secret });
      continue;
    }
    await writeEndpoint(tx, before, endpoint);
    if (secret !== undefined) await replaceSecret(tx, before.id, secret, oldSecretHours);
  }
  await noteWantsOf(tx, [accountId]);
}

interface Written {
  readonly row: EndpointRow;
  readonly audited: Omit<AuditedChange, "account"> | undefined;
}

/** The lock makes the limits exact, whoever else changes endpoints of the account. */
function change(
  db: Transactional,
  { accountId, account, by }: EndpointOwner,
  write: (tx: Queryable) => Promise<Written>,
): Promise<EndpointRow> {
  return changeAudited(db, by, async (tx) => {
    const { row, audited } = await write(tx);
    if (audited !== undefined) await noteWantsOf(tx, [accountId]);
    return { result: row, audited: audited && { ...audited, account } };
  });
}

async function addEndpoint(tx: Queryable, accountId: number, given: GivenEndpoint): Promise<Written> {
  const id = uuidv7();
  await insertEndpoint(tx, { id, accountId, ...given, secret: given.secret ?? makeSecret() });
  const row = await expectEndpoint(tx, { accountId, id });
  return { row, audited: auditOf("create", undefined, row) };
}

async function writeEndpoint(tx: Queryable, before: EndpointRow, changes: EndpointChanges): Promise<Written> {
  const { enabled = before.enabled } = changes;
  const keys = { ...keysOf(before), ...changes };
  if (JSON.stringify(keysOf(keys)) !== JSON.stringify(keysOf(before))) await updateEndpoint(tx, before.id, keys);
  // Requests with unwanted events must not use up room that wanted ones need.
  if (maskOf(keys.events) !== maskOf(before.events)) await dropUnwantedRetries(tx, before.id, maskOf(keys.events));
  if (enabled && !before.enabled) await enableEndpoint(tx, before.id);
  if (!enabled && before.enabled) await disableEndpoint(tx, before.id, null);
  const row = await expectEndpoint(tx, before);
  return { row, audited: auditOf("change", before, row) };
}

async function expectEndpoint(
  tx: Queryable,
  { accountId, id, expect }: Pick<ConcernedEndpoint, "accountId" | "id" | "expect">,
): Promise<EndpointRow> {
  const row = await findEndpoint(tx, { accountId, id });
  if (row === undefined) throw unknownEndpoint();
  expect?.(row);
  return row;
}

function keysOf({ name, url, events, batchSize }: EndpointKeys): EndpointKeys {
  return { name, url, events, batchSize };
}

/** Undefined: nothing differs. */
function auditOf(
  action: AuditedChange["action"],
  old: EndpointRow | undefined,
  now: EndpointRow | undefined,
): Written["audited"] {
  const { before, after } = differencesOf(audited, old && { ...old }, now && { ...now });
  if (Object.keys({ ...before, ...after }).length === 0) return undefined;
  // A renamed endpoint is found in the audit by its new name.
  const name = (now ?? old)?.name ?? "";
  return { action, kind: "webhookEndpoint", name, ...(old && { before }), ...(now && { after }) };
}

const audited = { name: string(200, "endpointName"), ...webhookFields };

/** The most events that a replay of a period may send. */
const mostReplayed = 1_000_000;
const dayMs = 86_400_000;

export type WantedReplay = { readonly eventIds: readonly string[] } | { readonly from: Date; readonly to: Date };

export interface ReplayRequest {
  readonly endpoint: Pick<EndpointRow, "id" | "accountId" | "events" | "enabled">;
  readonly wanted: WantedReplay;
  /** What is older counts as gone, even where it is still stored. */
  readonly eventDays: number;
  /** Of a time; another number for tests. */
  readonly most?: number;
}

export interface ReplayDatabases {
  readonly db: Transactional;
  /** For counting, which may take seconds; absent: `db`. */
  readonly reads?: Transactional;
}

/** Answers how many events are sent again. Throws ApiError. */
export async function replayEvents({ db, reads = db }: ReplayDatabases, request: ReplayRequest): Promise<number> {
  const { endpoint } = request;
  if (!endpoint.enabled) throw disabledEndpoint();
  // Counted in a separate transaction, so that only the commit of the replay itself can be in
  // doubt.
  const { count, ...found } = await reads.transaction((tx) => findReplayed(tx, request));
  if (count === 0) return 0;
  const outcome = await db.transaction((tx) => insertReplay(tx, { endpointId: endpoint.id, ...found }));
  if (outcome === "disabled") throw disabledEndpoint();
  if (outcome === "busy") throw new ApiError("replayUnderWay");
  return count;
}

function disabledEndpoint(): ApiError {
  return ApiError.invalidParameter("enabled", "replay.disabled");
}

interface Replayed extends Omit<ReplayToInsert, "endpointId"> {
  readonly count: number;
}

async function findReplayed(
  tx: Queryable,
  { endpoint: { accountId, events }, wanted, eventDays, most = mostReplayed }: ReplayRequest,
): Promise<Replayed> {
  // Read first: later events are new to the endpoint anyway.
  const until = await currentPosition(tx);
  const mask = maskOf(events);
  const kept = new Date(Date.now() - eventDays * dayMs);
  if ("eventIds" in wanted) {
    const rows = await findLogRows(tx, { accountId, ids: wanted.eventIds });
    const eventIds = rows.filter(({ type, at }) => wants(mask, type) && at >= kept).map((row) => row.id);
    return { eventIds, from: null, to: null, until, count: eventIds.length };
  }
  const from = wanted.from > kept ? wanted.from : kept;
  const count = await countLogOf(tx, { accountId, mask, from, to: wanted.to, limit: most + 1 });
  if (count > most) throw ApiError.invalidParameter("to", "replay.tooMany", { maximum: mostReplayed });
  return { eventIds: null, from, to: wanted.to, until, count };
}
