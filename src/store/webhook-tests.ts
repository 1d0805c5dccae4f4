// The tests of an endpoint, which all nodes count together.
import type { Queryable } from "./database.ts";

export interface TestTurn {
  readonly allowed: boolean;
  /** Tests left in this minute. */
  readonly remaining: number;
  /** Until the oldest test of the last minute counts no more. */
  readonly waitSeconds: number;
}

/**
 * Counts a test, unless the endpoint had `mostInMinute` in the last minute. Undefined: the endpoint
 * is not there any more.
 */
export async function takeTest(db: Queryable, endpointId: string, mostInMinute: number): Promise<TestTurn | undefined> {
  const [row] = await db.query<{ sent: number | null; seconds: number | null }>({
    name: "takeTest",
    text: `/* takeTest */
with endpoint as (
  select id from webhook_endpoint where id = $1 for key share
),
taken as (
  insert into webhook_test as t (endpoint_id, sent_at) select id, array[now()] from endpoint
      on conflict (endpoint_id) do update
     set sent_at = array(select s from unnest(t.sent_at) s where s > now() - interval '1 minute') || now()
   where (select count(*) from unnest(t.sent_at) s where s > now() - interval '1 minute') < $2
  returning sent_at
)
select (select cardinality(sent_at) from taken) as sent,
       (select extract(epoch from min(s) + interval '1 minute' - now())::float8 from webhook_test, unnest(sent_at) s
         where endpoint_id = $1 and s > now() - interval '1 minute') as seconds
  from endpoint`,
    values: [endpointId, mostInMinute],
  });
  if (row === undefined) return undefined;
  const sent = row.sent ?? undefined;
  return {
    allowed: sent !== undefined,
    remaining: mostInMinute - (sent ?? mostInMinute),
    // The first test of a minute has none before it. One that is counted just now is not seen.
    waitSeconds: Math.max(1, Math.ceil(row.seconds ?? (sent === undefined ? 1 : 60))),
  };
}
