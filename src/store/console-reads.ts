// Single statements behind pages of the console: the text of one message, and the nodes.
import type { Queryable } from "./database.ts";
import { findMessageOwners } from "./message-owners.ts";

/** The text of one message, whosever it is. */
export async function findMessageText(
  db: Queryable,
  id: string,
): Promise<{ readonly account: string; readonly content: string } | undefined> {
  const [row] = await db.query<{ account: string; content: string }>({
    name: "findMessageText",
    text: `/* findMessageText */
select coalesce(a.name, 'account ' || m.account_id) as account, m.content
  from message m left join account a on a.id = m.account_id
 where m.account_id = any ($2::int[]) and m.id = $1`,
    values: [id, await findMessageOwners(db, id)],
  });
  return row;
}

export interface NodeState {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly dispatches: boolean;
  readonly startedAt: Date;
  /** Whether its lease holds; one without is removed soon. */
  readonly alive: boolean;
  readonly configurationVersion: bigint;
  readonly binds: number;
  readonly boundBinds: number;
}

export function listNodeStates(db: Queryable): Promise<NodeState[]> {
  return db.query<NodeState>({
    name: "listNodeStates",
    text: `/* listNodeStates */
select n.id, n.host, n.pid, n.dispatches, n.started_at as "startedAt", n.lease_until > now() as alive,
       n.configuration_version as "configurationVersion", count(b.node_id)::int as binds,
       (count(*) filter (where b.bound))::int as "boundBinds"
  from node n left join bind_lease b on b.node_id = n.id
 group by n.id order by n.host, n.started_at`,
    values: [],
  });
}
