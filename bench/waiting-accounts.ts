// The same number of waiting messages goes out, of one account, of a thousand, and of as many as a
// large provider has. The queue is filled by SQL while no gateway runs; the messages of all
// accounts lie mixed, as their calls would have come.
import { holdsWithin } from "./look.ts";
import { count, type Result, type Workbench } from "./scenario.ts";
import {
  oneLink,
  type Postgres,
  prepareDatabase,
  type Smsc,
  type SmscCount,
  withGateway,
  withPostgres,
  withSmsc,
} from "./systems.ts";

const waiting = 200_000;
const few = 1_000;
const manyInShort = 5_000;
const manyInFull = 50_000;
/**
 * The start of the gateway, and what goes out while it starts, are not counted, nor is the end,
 * when binds have little left.
 */
const [firstCounted, lastCounted] = [0.1, 0.9];
const longestMs = 600_000;

export async function measureWaitingAccounts(bench: Workbench): Promise<readonly Result[]> {
  const rates: number[] = [];
  const numbers = [1, few, bench.full ? manyInFull : manyInShort];
  for (const number of numbers) {
    const perSecond = await drain(bench, number);
    rates.push(perSecond);
    bench.progress(`${number} accounts: ${Math.round(perSecond)}/s`);
  }
  const [one = 0, many = 0] = [rates[0], rates.at(-1)];
  const condition = `${count(waiting)} waiting, ${count(numbers.at(-1) ?? 0)} accounts`;
  return [
    {
      title: "waiting messages of many accounts, compared with one account",
      figure: many / one,
      unit: "×",
      least: 0.9,
      condition,
    },
  ];
}

/** Messages submitted per second, from the first to the last tenth of what waits. */
function drain(bench: Workbench, number: number): Promise<number> {
  return withSmsc({}, (smsc) =>
    withPostgres(async (postgres) => {
      const setup = oneLink(smsc.port);
      await prepareDatabase(postgres.url, setup);
      await fillQueue(postgres, number);
      return withGateway({ url: postgres.url, setup, onMemory: bench.noteMemory }, async () => {
        const first = await untilSubmitted(smsc, firstCounted * waiting);
        const last = await untilSubmitted(smsc, lastCounted * waiting);
        return ((last.submits - first.submits) / (last.at - first.at)) * 1000;
      });
    }),
  );
}

async function untilSubmitted(smsc: Smsc, submits: number): Promise<SmscCount> {
  let seen = await smsc.count();
  const isReached = async (): Promise<boolean> => (seen = await smsc.count()).submits >= submits;
  if (!(await holdsWithin(longestMs, isReached, 20)))
    throw new Error(`only ${seen.submits} of ${waiting} messages were submitted`);
  return seen;
}

// Accounts like the first one, with a credit and nothing else.
const moreAccounts = `
with made as (
  insert into account (name, domain, tariff)
  select 'bench-' || n, 'bench-' || n || '.example', (select tariff from account order by id limit 1) from generate_series(2, $1::int) n
  returning id
)
insert into account_balance (account_id, balance) select id, 0 from made`;

// Calls of many messages, accepted within the last minutes: message n is that of account n, n +
// accounts, ….
const fillText = `
with owner as materialized (select row_number() over (order by id) - 1 as place, id from account),
call as (
  select o.id as account_id, lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 300000 + n), 12, '0') as ms, md5(n::text) as random, n
    from generate_series(0, $1::int - 1) n join owner o on o.place = n % $2::int
),
stored as (
  insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, route_id, priority, valid_until)
  select account_id, (ms || '70008' || substr(random, 1, 15))::uuid, (ms || '70009' || substr(random, 1, 15))::uuid, '10001234',
         '98914' || lpad(n::text, 7, '0'), 'سلام، کد ورود شما ۱۲۳۴۵۶ است.', 'fa', 'MCI', 'ucs2', 1, 0, (select min(id) from configured_object where section = 'routes'), 2, now() + interval '1 day'
    from call order by n
  returning account_id, id, route_id, priority, valid_until, parts
)
insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
select route_id, priority, account_id, now() - interval '1 minute', id, valid_until, parts from stored`;

async function fillQueue(postgres: Postgres, number: number): Promise<void> {
  await postgres.query(moreAccounts, [number]);
  await postgres.query(fillText, [waiting, number]);
  await postgres.query("vacuum (analyze) message, message_queue, account, account_balance");
}
