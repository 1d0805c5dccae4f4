// Messages of past weeks as the gateway leaves them behind: final statuses, submissions, ledger
// entries, the balance lowered by them. Written by SQL, in order of time, into the weeks' own
// parts.
import { Database } from "../src/store/database.ts";
import { indexClosedWeeks } from "../src/store/background-indexes.ts";
import { ensureWeeks, listClosedMessageParts, weekStart } from "../src/store/partitions.ts";
import type { Size } from "./scenario.ts";
import type { Postgres } from "./systems.ts";

const shortStored = 1_000_000;
const fullStored = 10_000_000;
const weeksBack = 8;
const weekMs = 7 * 24 * 3600 * 1000;
const rowsAStep = 50_000;
const price = 1390;
const tellEveryMs = 4000;

// 95 in 100 delivered, 3 undelivered, 1 sent and never reported on, 1 refused by the operator and
// paid back. A call of one message each: its batch has the same millisecond. $1 first number, $2
// last number, $3 first millisecond, $4 milliseconds between two.
const storeText = `
with call as materialized (
  select n, to_timestamp(ms / 1000.0) as at, n % 100 as share, ${uuid("'7000'")} as id, ${uuid("'7' || substr(random, 1, 3)")} as batch_id,
         '98912' || lpad((n * 7919 % 10000000)::text, 7, '0') as recipient
    from (select n, ($3::float8 + n * $4::float8)::bigint as ms, md5(n::text) as random from generate_series($1::bigint, $2::bigint) n) numbered
),
owner as materialized (select (select min(id) from account) as account_id, (select min(id) from connector) as connector_id, (select min(id) from route) as route_id),
stored as (
  insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, reason, reason_detail,
                       route_id, priority, valid_until, connector_id, parts_taken, parts_delivered, parts_undelivered, sent_at, final_at)
  select account_id, id, batch_id, '10001234', recipient, 'سلام، کد ورود شما ' || n || ' است.', 'fa', 'MCI', 'ucs2', 1, ${price},
         case when share < 95 then 2 when share < 98 then 3 when share = 98 then 1 else 4 end,
         case when share < 95 then null when share < 98 then 1306 when share = 98 then 1301 else 1303 end,
         case when share between 95 and 97 then 'UNDELIV 027' end,
         route_id, 1, at + interval '24 hours', connector_id, (share < 99)::int, (share < 95)::int, (share between 95 and 97)::int,
         case when share < 99 then at + interval '1 second' end, at + interval '4 seconds'
    from call, owner
),
submitted as (
  insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
  select at + interval '1 second', connector_id, (1500000000000000 + n)::text, account_id, id, 1, recipient from call, owner where share < 99
),
charged as (
  insert into ledger_entry (account_id, id, kind, amount, messages, message_id, created_at)
  select account_id, batch_id, 'charge', -${price}, 1, null, at from call, owner
  union all
  select account_id, ${uuid("'7' || substr(random, 4, 3)")}, 'refund', ${price}, 1, id, at + interval '2 seconds'
    from (select *, (extract(epoch from at) * 1000)::bigint as ms, md5('refund' || n) as random from call) refunded, owner where share = 99
)
update account_balance b set balance = b.balance - (select count(*) filter (where share < 99) * ${price} from call)
  from owner where b.account_id = owner.account_id`;

/**
 * SQL for a version 7 UUID of the millisecond \`ms\` with that third group and bits of \`random\`
 * (32 hexadecimal digits).
 */
function uuid(thirdGroup: string): string {
  const time = "lpad(to_hex(ms), 12, '0')";
  return `(${time} || ${thirdGroup} || '8' || substr(random, 6, 3) || substr(random, 9, 12))::uuid`;
}

/** How many a run of this size has stored. */
export function storedIn({ full }: Size): number {
  return full ? fullStored : shortStored;
}

/** Stores so many messages, evenly over the weeks until now. The database has been set up. */
export async function storeMessages(postgres: Postgres, messages: number, tell: (line: string) => void): Promise<void> {
  // Not up to this moment: rows with a time ahead of the clock would be no past.
  const until = Date.now() - 60_000;
  const from = until - weeksBack * weekMs;
  await withDatabase(postgres.url, (db) => makeWeeks(db, from, until));
  await postgres.query("set synchronous_commit = off");
  let toldAt = 0;
  for (let first = 0; first < messages; first += rowsAStep) {
    const last = Math.min(first + rowsAStep, messages) - 1;
    await postgres.query(storeText, [first, last, from, (until - from) / messages]);
    if (Date.now() - toldAt > tellEveryMs) tell(`${last + 1} of ${messages} messages stored`);
    if (Date.now() - toldAt > tellEveryMs) toldAt = Date.now();
  }
  // As years of service leave it: indexed, vacuumed, counted, written out; and the deadline for
  // receipts carried out day by day.
  await postgres.query(
    "insert into receipt_deadline (connector_id, done_until) select id, now() - interval '72 hours' from connector on conflict do nothing",
  );
  tell("indexing and vacuuming");
  await withDatabase(postgres.url, async (db) => indexClosedWeeks(db, await listClosedMessageParts(db, new Date())));
  for (const table of ["message", "submission", "ledger_entry"]) await postgres.query(`vacuum (analyze) ${table}`);
  await postgres.query("checkpoint");
}

/** Those from the one of `from` to the one of `until`. */
async function makeWeeks(db: Database, from: number, until: number): Promise<void> {
  const weeks: Date[] = [];
  for (
    let monday = weekStart(new Date(from));
    monday.getTime() <= until;
    monday = new Date(monday.getTime() + weekMs)
  ) {
    weeks.push(monday);
  }
  await ensureWeeks(db, weeks);
}

async function withDatabase(url: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = Database.open({ url, poolSize: 2 });
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
