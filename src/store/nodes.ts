// Statements on living processes and the binds they hold.
import { composed, onlyOf, type Queryable } from "./database.ts";
import { int4, rows, rowStatement, single } from "./row-statement.ts";
import { lockNames } from "./transaction-settings.ts";

export interface NodeLease {
  readonly nodeId: string;
  readonly leaseMs: number;
  /**
   * Version of the configuration that the node uses. Versions increase. If two statements of a node
   * are reordered, the higher version wins.
   */
  readonly configurationVersion: bigint;
}

export interface NewNode extends NodeLease {
  readonly host: string;
  readonly pid: number;
  /** Whether the node takes binds. */
  readonly dispatches: boolean;
}

/** Registers this process as a living node. */
export async function insertNode(db: Queryable, node: NewNode): Promise<boolean> {
  const { nodeId, leaseMs, configurationVersion, host, pid, dispatches } = node;
  const rows = await db.query(
    "insertNode",
    `insert into node (id, host, pid, dispatches, configuration_version, lease_until)
values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6 / 1000.0)) on conflict do nothing returning id`,
    [nodeId, host, pid, dispatches, configurationVersion, leaseMs],
  );
  return rows.length === 1;
}

/** The number that stands for this registration of a process in what is kept of submissions. */
export async function numberNodeRun(
  db: Queryable,
  { nodeId, host, pid }: Pick<NewNode, "nodeId" | "host" | "pid">,
): Promise<number | undefined> {
  const [row] = await db.query<{ number: number }>(
    "numberNodeRun",
    `insert into node_run (node_id, host, pid) values ($1, $2, $3) returning number`,
    [nodeId, host, pid],
  );
  return row?.number;
}

/** The state of all nodes, as a dispatcher needs it. */
export interface Cluster {
  /** Connectors with at least one bind that is up, on any living node. */
  readonly boundConnectors: readonly number[];
  /** The leases of some nodes have ended. */
  readonly hasDeadNodes: boolean;
  /** By the database's clock. */
  readonly now: Date;
}

/** `isRenewed`: the node has not been removed as dead meanwhile. */
export async function renewNode(
  db: Queryable,
  { nodeId, leaseMs, configurationVersion }: NodeLease,
): Promise<Cluster & { readonly isRenewed: boolean }> {
  return onlyOf(
    db.query<Cluster & { isRenewed: boolean }>(
      "renewNode",
      `with renewed as (
  update node set lease_until = now() + make_interval(secs => $2 / 1000.0), configuration_version = greatest(configuration_version, $3)
   where id = $1 and lease_until > now() returning id)
select exists (select from renewed) as "isRenewed",
       coalesce((select array_agg(distinct b.connector_id) from bind_lease b join node n on n.id = b.node_id
                  where b.bound and n.lease_until > now()), '{}') as "boundConnectors",
       exists (select from node where lease_until < now()) as "hasDeadNodes", now() as "now"`,
      [nodeId, leaseMs, configurationVersion],
    ),
  );
}

async function removeNodes(db: Queryable, condition: string, values: readonly unknown[]): Promise<void> {
  await db.query(
    composed(
      "removeNodes",
      `with gone as (delete from node where ${condition} returning id)
delete from bind_lease where node_id in (select id from gone) or node_id not in (select id from node)`,
      values,
    ),
  );
}

/** Ends this process's lease and releases its binds. */
export function removeNode(db: Queryable, nodeId: string): Promise<void> {
  return removeNodes(db, "id = $1", [nodeId]);
}

/**
 * For a database that only one process can use (embedded): all other nodes are dead, even if their
 * leases have not ended.
 */
export function removeOtherNodes(db: Queryable, nodeId: string): Promise<void> {
  return removeNodes(db, "id <> $1", [nodeId]);
}

/** Deletes nodes whose lease has ended, and their binds. */
export function removeDeadNodes(db: Queryable): Promise<void> {
  return removeNodes(db, "lease_until < now()", []);
}

/**
 * Tries to lease free bind slots of a connector, and returns the bind numbers won. The lock
 * serializes the nodes, so each sees all earlier nodes and does not treat a slot of a living node
 * as free.
 */
export async function acquireBinds(
  tx: Queryable,
  { nodeId, connectorId, binds, wanted }: { nodeId: string; connectorId: number; binds: number; wanted: number },
): Promise<number[]> {
  await lockNames(tx, [`binds ${connectorId}`]);
  const rows = await tx.query<{ bindNumber: number }>(
    "acquireBinds",
    `insert into bind_lease (connector_id, bind_number, node_id)
select $2, free.bind_number, $1 from (
  select n as bind_number from generate_series(1, $3::int) n
   where not exists (select from bind_lease b join node on node.id = b.node_id and node.lease_until > now()
                      where b.connector_id = $2 and b.bind_number = n)
     and exists (select from node where id = $1 and lease_until > now())
   order by n limit $4) free
on conflict (connector_id, bind_number) do update set node_id = excluded.node_id, bound = false, bound_at = null, in_flight = 0, changed_at = now()
 where not exists (select from node where node.id = bind_lease.node_id and node.lease_until > now())
returning bind_number as "bindNumber"`,
    [nodeId, connectorId, binds, wanted],
  );
  return rows.map((row) => row.bindNumber);
}

export async function releaseBinds(
  db: Queryable,
  { nodeId, connectorId, bindNumbers }: { nodeId: string; connectorId: number; bindNumbers: readonly number[] },
): Promise<void> {
  await db.query(
    "releaseBinds",
    `delete from bind_lease where connector_id = $2 and bind_number = any ($3::int[]) and node_id = $1`,
    [nodeId, connectorId, bindNumbers],
  );
}

/** The living nodes that dispatch, and the binds that each has leased, bound or not. */
export interface BindHolders {
  readonly nodeIds: readonly string[];
  /** By node: connectors whose local address its machine does not have. */
  readonly withoutAddress: ReadonlyMap<string, readonly number[]>;
  readonly holdings: readonly { nodeId: string; connectorId: number; bindNumbers: readonly number[] }[];
}

export async function readBindHolders(db: Queryable): Promise<BindHolders> {
  const rows = await db.query<{
    nodeId: string;
    withoutAddress: readonly number[];
    connectorId: number | null;
    bindNumbers: readonly number[];
  }>(
    "readBindHolders",
    `select n.id as "nodeId", b.connector_id as "connectorId", n.without_address as "withoutAddress", array_agg(b.bind_number) as "bindNumbers"
  from node n left join bind_lease b on b.node_id = n.id where n.lease_until > now() and n.dispatches group by 1, 2`,
  );
  return {
    nodeIds: [...new Set(rows.map(({ nodeId }) => nodeId))],
    withoutAddress: new Map(rows.map(({ nodeId, withoutAddress }) => [nodeId, withoutAddress])),
    holdings: rows.flatMap(({ nodeId, connectorId, bindNumbers }) =>
      connectorId === null ? [] : [{ nodeId, connectorId, bindNumbers }],
    ),
  };
}

export async function noteWithoutAddress(
  db: Queryable,
  nodeId: string,
  connectorIds: readonly number[],
): Promise<void> {
  await db.query("noteWithoutAddress", "update node set without_address = $2 where id = $1", [nodeId, connectorIds]);
}

/** The state of a bind that its node reports when the bind comes up or goes down. */
export interface BindReport {
  readonly nodeId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly bound: boolean;
  /** Why the bind went down or did not come up. */
  readonly error: string | null;
}

/**
 * Records whether a bind is up, for staff and for the other nodes, which fail over from connectors
 * that are bound nowhere. The last error is kept until the next one.
 */
export async function markBind(db: Queryable, bind: BindReport): Promise<void> {
  await db.query(
    "markBind",
    `update bind_lease
   set bound = $4, bound_at = case when $4 then now() end, in_flight = 0,
       changed_at = case when bound = $4 then changed_at else now() end,
       last_error = coalesce($5, last_error), last_error_at = case when $5::text is null then last_error_at else now() end
 where connector_id = $2 and bind_number = $3 and node_id = $1`,
    [bind.nodeId, bind.connectorId, bind.bindNumber, bind.bound, bind.error],
  );
}

export interface WindowUse {
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly inFlight: number;
}

export const markWindowsStatement = rowStatement(
  "markWindows",
  {
    nodeId: single<string>(),
    use: rows<WindowUse>({
      connector_id: int4("connectorId"),
      bind_number: int4("bindNumber"),
      in_flight: int4("inFlight"),
    }),
  },
  ({ nodeId, use }) => `update bind_lease b set in_flight = u.in_flight
  from ${use.as("u")}
 where b.connector_id = u.connector_id and b.bind_number = u.bind_number and b.node_id = ${nodeId} and b.in_flight <> u.in_flight`,
);

/** Stores how many submit_sm of each bind are unanswered, for staff. */
export async function markWindows(db: Queryable, nodeId: string, uses: readonly WindowUse[]): Promise<void> {
  await db.query(markWindowsStatement.with({ nodeId, use: uses }));
}

export interface NodeState {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly configurationVersion: bigint;
}

/** Those whose leases hold. */
export function listNodes(db: Queryable): Promise<readonly NodeState[]> {
  return db.query<NodeState>(
    "listNodes",
    `select id, host, pid, configuration_version as "configurationVersion" from node where lease_until > now() order by host, started_at`,
  );
}
