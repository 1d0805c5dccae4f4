// Ported numbers that were imported, in packed blocks (sms/number-blocks.ts). Written in a
// transaction that holds the configuration's lock.
import type { Msisdn } from "../sms/msisdn.ts";
import {
  blockOf,
  blockSize,
  holdsNumber,
  lowOf,
  lowsIn,
  msisdnAt,
  type NumberSet,
  type PackedNumbers,
  placeOf,
} from "../sms/number-blocks.ts";
import { listPortedNumbersIn } from "./configuration-pages.ts";
import type { Queryable } from "./database.ts";
import { bytea, int4, rows, rowStatement } from "./row-statement.ts";
import { listPortedNumberPage } from "./setup-network.ts";

export interface PortedBlock {
  readonly block: number;
  readonly operatorId: number;
  readonly operator: string;
  readonly numbers: PackedNumbers;
}

/** Octets of numbers that a page holds beside its first row: some 2 ms of work for its reader. */
const octetsOfPage = 65536;
const rowsOfPage = 256;

interface PortedPage {
  readonly blocks: readonly number[] | null;
  readonly operatorIds: readonly number[];
  readonly operators: readonly string[];
  readonly octets: readonly number[];
  readonly numbers: Buffer;
}

/**
 * In the order of blocks and operators, after the given one. All numbers of the page share one
 * piece of memory: thousands of small ones would keep the garbage collector busy.
 */
export async function listPortedBlockPage(
  db: Queryable,
  after: Pick<PortedBlock, "block" | "operatorId">,
): Promise<readonly PortedBlock[]> {
  const [page] = await db.query<PortedPage>({
    name: "listPortedBlockPage",
    text: `/* listPortedBlockPage */
with following as (
  select * from ported_block where (block, operator_id) > ($1, $2) order by block, operator_id limit ${rowsOfPage}
),
measured as (
  select f.*, octet_length(numbers) as octets,
         sum(octet_length(numbers)) over (order by block, operator_id) - octet_length(numbers) as octets_before
    from following f
)
select array_agg(m.block order by m.block, m.operator_id) as blocks,
       array_agg(m.operator_id order by m.block, m.operator_id) as "operatorIds",
       array_agg(o.name order by m.block, m.operator_id) as operators,
       array_agg(m.octets order by m.block, m.operator_id) as octets,
       string_agg(m.numbers, '' order by m.block, m.operator_id) as numbers
  from measured m join operator o on o.id = m.operator_id
 where m.octets_before < ${octetsOfPage}`,
    values: [after.block, after.operatorId],
  });
  if (page === undefined || page.blocks === null) return [];
  const { operatorIds, operators, octets, numbers } = page;
  let end = 0;
  return page.blocks.map((block, index) => {
    const start = end;
    end += octets[index] ?? 0;
    const [operatorId = 0, operator = ""] = [operatorIds[index], operators[index]];
    return { block, operatorId, operator, numbers: numbers.subarray(start, end) };
  });
}

export function listPortedBlocksIn(db: Queryable, blocks: readonly number[]): Promise<readonly PortedBlock[]> {
  return db.query<PortedBlock>({
    name: "listPortedBlocksIn",
    text: `/* listPortedBlocksIn */
select b.block, b.operator_id as "operatorId", o.name as operator, b.numbers
  from ported_block b join operator o on o.id = b.operator_id
 where b.block = any($1::int[]) order by b.block, b.operator_id`,
    values: [blocks],
  });
}

/** The value of a set is the id of its operator. */
export interface BlockToSave {
  readonly block: number;
  readonly sets: readonly NumberSet<number>[];
}

interface SetOfBlock extends NumberSet<number> {
  readonly block: number;
}

export const savePortedBlocksStatement = rowStatement(
  "savePortedBlocks",
  {
    block: rows<BlockToSave>({ block: int4(({ block }) => block) }),
    set: rows<SetOfBlock>({
      block: int4(({ block }) => block),
      operator_id: int4(({ value }) => value),
      numbers: bytea(({ numbers }) => numbers),
    }),
  },
  ({ block, set }) => `with given as materialized (
  select * from ${set.as("g")}
),
gone as (
  delete from ported_block b
   where b.block = any(${block.array("block")})
     and not exists (select from given g where g.block = b.block and g.operator_id = b.operator_id)
  returning 1
),
saved as (
  insert into ported_block (block, operator_id, numbers) select block, operator_id, numbers from given
  on conflict (block, operator_id) do update set numbers = excluded.numbers where ported_block.numbers <> excluded.numbers
  returning 1
)
select (select count(*) from gone)::int + (select count(*) from saved)::int as changed`,
);

/** Gives these blocks exactly these numbers; answers how many rows that changed. */
export async function savePortedBlocks(tx: Queryable, blocks: readonly BlockToSave[]): Promise<number> {
  const sets = blocks.flatMap(({ block, sets }) => sets.map((set) => ({ block, ...set })));
  const [saved] = await tx.query<{ changed: number }>(savePortedBlocksStatement.with({ block: blocks, set: sets }));
  return saved?.changed ?? 0;
}

export interface PortedCount {
  readonly operator: string;
  /** Of a setup file, or entered in the console. */
  readonly given: number;
  readonly imported: number;
}

const portedCounts = `select o.name as operator,
       (select count(*) from ported_number p where p.operator_id = o.id)::int as given,
       (select coalesce(sum(octet_length(b.numbers)) / 2, 0) from ported_block b where b.operator_id = o.id)::int as imported
  from operator o`;

/** Of each operator. */
export function countPortedNumbers(db: Queryable): Promise<readonly PortedCount[]> {
  return db.query<PortedCount>({
    name: "countPortedNumbers",
    text: `/* countPortedNumbers */ ${portedCounts} order by o.name`,
    values: [],
  });
}

export async function countPortedNumbersOf(tx: Queryable, operator: string): Promise<number> {
  const [row] = await tx.query<PortedCount>({
    name: "countPortedNumbersOf",
    text: `/* countPortedNumbersOf */ ${portedCounts} where o.name = $1`,
    values: [operator],
  });
  return row === undefined ? 0 : row.given + row.imported;
}

export interface KnownPorted {
  readonly number: string;
  readonly operator: string;
  /** False: of a setup file, or entered in the console; such a one wins. */
  readonly isImported: boolean;
}

export async function findPortedNumber(db: Queryable, number: Msisdn): Promise<KnownPorted | undefined> {
  const [given] = await listPortedNumbersIn(db, [number]);
  if (given !== undefined) return { ...given, isImported: false };
  const place = placeOf(number);
  const sets = await listPortedBlocksIn(db, [blockOf(place)]);
  const found = sets.find(({ numbers }) => holdsNumber(numbers, lowOf(place)));
  return found && { number, operator: found.operator, isImported: true };
}

/** In the order of numbers, after the given one. */
export async function listKnownPorted(
  db: Queryable,
  { after, limit }: { readonly after: Msisdn | undefined; readonly limit: number },
): Promise<readonly KnownPorted[]> {
  const given = await listPortedNumberPage(db, { after: after ?? "", limit });
  const known = new Map<string, KnownPorted>();
  for (const { number, operator } of await listImportedPage(db, after === undefined ? 0 : placeOf(after) + 1, limit)) {
    known.set(number, { number, operator, isImported: true });
  }
  for (const each of given) known.set(each.number, { ...each, isImported: false });
  return [...known.values()].sort((one, other) => (one.number < other.number ? -1 : 1)).slice(0, limit);
}

const mostBlocksAtOnce = 64;

async function listImportedPage(
  db: Queryable,
  from: number,
  limit: number,
): Promise<readonly Pick<KnownPorted, "number" | "operator">[]> {
  const found: Pick<KnownPorted, "number" | "operator">[] = [];
  let block = blockOf(from);
  // One block may be full, and many may hold one number each.
  for (let atOnce = 1; found.length < limit; atOnce = Math.min(4 * atOnce, mostBlocksAtOnce)) {
    const sets = await listPortedBlocksFrom(db, block, atOnce);
    const last = sets.at(-1);
    if (last === undefined) break;
    const places = sets.flatMap((set) => {
      const inSet = Array.from(lowsIn(set.numbers), (low) => ({ place: set.block * blockSize + low, set }));
      return inSet.filter(({ place }) => place >= from);
    });
    places.sort((one, other) => one.place - other.place);
    for (const { place, set } of places.slice(0, limit - found.length)) {
      found.push({ number: msisdnAt(place), operator: set.operator });
    }
    block = last.block + 1;
  }
  return found;
}

/** All of so many blocks that hold numbers. */
function listPortedBlocksFrom(db: Queryable, block: number, count: number): Promise<readonly PortedBlock[]> {
  return db.query<PortedBlock>({
    name: "listPortedBlocksFrom",
    text: `/* listPortedBlocksFrom */
select b.block, b.operator_id as "operatorId", o.name as operator, b.numbers
  from ported_block b join operator o on o.id = b.operator_id
 where b.block in (select distinct block from ported_block where block >= $1 order by block limit $2)
 order by b.block, b.operator_id`,
    values: [block, count],
  });
}
