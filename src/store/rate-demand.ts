// How many calls of accounts with a limit each process gets: rows that are replaced each second and
// count only while they are fresh.
import type { Queryable } from "./database.ts";
import { int4, float8, rows, rowStatement, single } from "./row-statement.ts";

export interface AccountDemand {
  readonly accountId: number;
  /** Calls. */
  readonly perSecond: number;
}

export interface DemandOfProcess {
  readonly processId: string;
  readonly demands: readonly AccountDemand[];
}

/** Calls a second. */
export interface KnownDemand {
  readonly accountId: number;
  readonly own: number;
  readonly others: number;
  readonly otherGateways: number;
}

/** After that a process that says nothing more counts for nothing. */
const freshSeconds = 3;
const keptSeconds = 60;

export const tellRateDemandStatement = rowStatement(
  "reportRateDemand",
  {
    processId: single<string>(),
    demand: rows<AccountDemand>({
      account_id: int4(({ accountId }) => accountId),
      per_second: float8(({ perSecond }) => perSecond),
    }),
  },
  ({ processId, demand }) => `with given as materialized (
  select * from ${demand.as("g")}
),
told as (
  insert into rate_demand (account_id, process_id, per_second, told_at)
  select account_id, ${processId}::uuid, per_second, now() from given order by account_id
  on conflict (account_id, process_id) do update set per_second = excluded.per_second, told_at = excluded.told_at
),
gone as (
  delete from rate_demand r
   where (r.process_id = ${processId}::uuid and not exists (select from given g where g.account_id = r.account_id))
      or r.told_at < now() - interval '${keptSeconds} seconds'
)
select g.account_id as "accountId",
       g.per_second as own, coalesce(sum(r.per_second), 0)::float8 as others, count(r.process_id)::int as "otherGateways"
  from given g
  left join rate_demand r on r.account_id = g.account_id and r.process_id <> ${processId}::uuid
                         and r.told_at > now() - interval '${freshSeconds} seconds'
 group by g.account_id, g.per_second`,
);

/** Replaces what the process told before, and answers what all know of the same accounts. */
export function reportRateDemand(
  db: Queryable,
  { processId, demands }: DemandOfProcess,
): Promise<readonly KnownDemand[]> {
  return db.query<KnownDemand>(tellRateDemandStatement.with({ processId, demand: demands }));
}

/** The process takes no calls any more. */
export async function withdrawRateDemand(db: Queryable, processId: string): Promise<void> {
  await db.query({
    name: "withdrawRateDemand",
    text: `/* withdrawRateDemand */ delete from rate_demand where process_id = $1`,
    values: [processId],
  });
}
