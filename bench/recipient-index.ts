// npm run bench:recipient-index [-- --rows N]: what an index by recipient costs each accepted
// message, and how quickly it finds a number. The candidates are filled in turn with the same rows,
// so that all of them meet the same machine.
import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { uuidFloor } from "../src/platform/uuid.ts";
import { readOptions, wholeNumberOf } from "./command-line.ts";
import { percentile } from "./percentiles.ts";

const usage = "npm run bench:recipient-index [-- --rows N]";
const values = readOptions(usage, { rows: { type: "string", default: "600000" } });
const rows = wholeNumberOf("--rows", values.rows, 10_000, 50_000_000);
/** As many as the accepting statement stores at a time under load. */
const rowsAStatement = 200;
const lookUps = 40;

const bloom = (pages: number, numbers: number, rate: number): string =>
  `using brin (recipient text_bloom_ops (n_distinct_per_range = ${numbers}, false_positive_rate = ${rate})) ` +
  `with (pages_per_range = ${pages}, autosummarize = on)`;

/** By name: the index, or nothing to compare with. */
const candidates: readonly (readonly [string, string | undefined])[] = [
  ["none", undefined],
  ["btree", "(recipient)"],
  ["brin_bloom_64", bloom(64, 1300, 0.005)],
  ["brin_bloom_16", bloom(16, 330, 0.005)],
  ["brin_bloom_8", bloom(8, 165, 0.005)],
];

const folder = await mkdtemp(path.join(tmpdir(), "hodhod-index-"));
const server = await startEmbeddedPostgres({ dataDir: folder });
const client = new pg.Client({ connectionString: server.url });
await client.connect();

async function createTables(): Promise<void> {
  for (const [name, index] of candidates) {
    await client.query(
      `create table ${name} (account_id integer, id uuid, batch_id uuid, sender text, recipient text, content text, language text, operator text,
         encoding text, parts smallint, cost bigint, status smallint default 0, route_id integer, priority smallint, valid_until timestamptz,
         tries smallint default 0, parts_taken integer default 0, parts_delivered integer default 0, primary key (account_id, id))
       with (fillfactor = 75)`,
    );
    if (index !== undefined) await client.query(`create index on ${name} ${index}`);
  }
}

/** Microseconds a row, one entry a statement. */
async function fill(): Promise<ReadonlyMap<string, number[]>> {
  const spent = new Map<string, number[]>(candidates.map(([name]) => [name, []]));
  const begun = Date.now();
  for (let done = 0; done < rows; done += rowsAStatement) {
    const prefix = uuidFloor(begun + done / 10).slice(0, 15);
    // Each candidate is first as often as any other.
    const turn = (done / rowsAStatement) % candidates.length;
    for (const [name] of [...candidates.slice(turn), ...candidates.slice(0, turn)]) {
      const text = `insert into ${name} (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, route_id,
           priority, valid_until)
         select 1 + (random() * 5)::int, (left('${prefix}', 15) || right(gen_random_uuid()::text, 21))::uuid, gen_random_uuid(), '10001234',
                '989' || lpad((random() * 999999999)::bigint::text, 9, '0'), repeat('یک متن فارسی ', 4), 'fa', 'MCI', 'ucs2', 1, 1390, 1, 1, now()
           from generate_series(1, ${rowsAStatement})`;
      const at = performance.now();
      await client.query(text);
      spent.get(name)?.push(((performance.now() - at) * 1000) / rowsAStatement);
    }
    if (done % 100_000 === 0) console.log(`${done} of ${rows} rows`);
  }
  return spent;
}

async function find(name: string): Promise<string> {
  const older = await client.query<{ recipient: string }>(
    `select recipient from ${name} tablesample system (1) limit ${lookUps}`,
  );
  const newest = await client.query<{ recipient: string }>(`select recipient from ${name} order by id desc limit 1`);
  const times: number[] = [];
  for (const { recipient } of [...older.rows, ...newest.rows]) {
    const at = performance.now();
    const found = await client.query(`select id from ${name} where recipient = $1 order by id desc limit 50`, [
      recipient,
    ]);
    times.push(performance.now() - at);
    if (found.rowCount === 0) throw new Error(`${name} does not find ${recipient}`);
  }
  const last = times.pop() ?? 0;
  times.sort((one, other) => one - other);
  const { rows: sizes } = await client.query<{ size: string }>(
    `select pg_size_pretty(coalesce(sum(pg_relation_size(indexrelid)), 0)) as size
       from pg_index where indrelid = '${name}'::regclass and not indisprimary`,
  );
  const typical = percentile(times, 0.5).toFixed(1);
  return `found in ${typical} ms (slowest ${(times.at(-1) ?? 0).toFixed(1)}), one added just now in ${last.toFixed(1)} ms; ${sizes[0]?.size ?? ""}`;
}

await createTables();
const spent = await fill();
const mean = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;
const base = mean(spent.get("none") ?? [0]);
for (const [name] of candidates) {
  const cost = mean(spent.get(name) ?? [0]);
  console.log(
    `${name.padEnd(15)} ${cost.toFixed(2)} us a row (${(cost - base >= 0 ? "+" : "") + (cost - base).toFixed(2)}); ${await find(name)}`,
  );
}
await client.end();
await server.stop();
await rm(folder, { recursive: true, force: true });
