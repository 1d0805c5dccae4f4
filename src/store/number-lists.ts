// Lists of numbers by the million: block lists, and ported numbers, of which those that a setup file or
// the console gives have a row each. All others are in packed blocks (sms/number-blocks.ts): a row has
// the numbers of one owner, an operator or a list, in one block. Written in a transaction that holds
// the configuration's lock; triggers note which blocks changed.
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
import type { Msisdn } from "../sms/msisdn.ts";
import { composed, onlyOf, type Queryable } from "./database.ts";
import { bytea, conditions, int4, rows, rowStatement, single } from "./row-statement.ts";

export interface PackedBlock {
  readonly block: number;
  readonly ownerId: number;
  readonly owner: string;
  readonly numbers: PackedNumbers;
}

export type BlockPlace = Pick<PackedBlock, "block" | "ownerId">;

export const beforeAllBlocks: BlockPlace = { block: -1, ownerId: 0 };

/** The value of a set is the id of its owner. */
export interface BlockToSave {
  readonly block: number;
  readonly sets: readonly NumberSet<number>[];
}

interface SetOfBlock extends NumberSet<number> {
  readonly block: number;
}

/** A number with the name of its owner. */
export interface OwnedNumber {
  readonly number: Msisdn;
  readonly owner: string;
}

/** Octets of numbers that a page holds beside its first row: some 2 ms of work for its reader. */
const octetsOfPage = 65536;
const rowsOfPage = 256;
const mostBlocksAtOnce = 64;

interface BlockPage {
  readonly blocks: readonly number[] | null;
  readonly ownerIds: readonly number[];
  readonly owners: readonly string[];
  readonly octets: readonly number[];
  readonly numbers: Buffer;
}

/** A table of packed blocks, and the table of its owners, which have an id and a name. */
interface PackedTable {
  readonly table: string;
  readonly owners: string;
  /** The column of the owners' ids. */
  readonly ownerId: string;
}

/**
 * All numbers of a page share one piece of memory: thousands of small ones would keep the garbage
 * collector busy.
 */
function pageStatement({ table, owners, ownerId }: PackedTable) {
  return rowStatement(
    `page_${table}`,
    { block: single<number>(), ownerId: single<number>() },
    (after) => `with following as (
  select block, ${ownerId} as owner_id, numbers from ${table} where (block, ${ownerId}) > (${after.block}, ${after.ownerId})
   order by block, ${ownerId} limit ${rowsOfPage}
),
measured as (
  select f.*, octet_length(numbers) as octets,
         sum(octet_length(numbers)) over (order by block, owner_id) - octet_length(numbers) as octets_before
    from following f
)
select array_agg(m.block order by m.block, m.owner_id) as blocks,
       array_agg(m.owner_id order by m.block, m.owner_id) as "ownerIds",
       array_agg(o.name order by m.block, m.owner_id) as owners,
       array_agg(m.octets order by m.block, m.owner_id) as octets,
       string_agg(m.numbers, '' order by m.block, m.owner_id) as numbers
  from measured m join ${owners} o on o.id = m.owner_id
 where m.octets_before < ${octetsOfPage}`,
  );
}

function saveStatement({ table, ownerId }: PackedTable) {
  return rowStatement(
    `save_${table}`,
    {
      block: rows<BlockToSave>({ block: int4("block") }),
      set: rows<SetOfBlock>({
        block: int4("block"),
        owner_id: int4("value"),
        numbers: bytea("numbers"),
      }),
      owner: single<number | null>(),
    },
    ({ block, set, owner }) => `with given as materialized (
  select * from ${set.as("g")}
),
gone as (
  delete from ${table} b
   where b.block = any(${block.array("block")}) and (${owner}::int is null or b.${ownerId} = ${owner}::int)
     and not exists (select from given g where g.block = b.block and g.owner_id = b.${ownerId})
  returning 1
),
saved as (
  insert into ${table} (block, ${ownerId}, numbers) select block, owner_id, numbers from given
  on conflict (block, ${ownerId}) do update set numbers = excluded.numbers where ${table}.numbers <> excluded.numbers
  returning 1
)
select (select count(*) from gone)::int + (select count(*) from saved)::int as changed`,
  );
}

export class NumberLists {
  readonly pageStatement: ReturnType<typeof pageStatement>;
  readonly saveStatement: ReturnType<typeof saveStatement>;
  readonly #of: PackedTable;
  readonly #columns: string;

  constructor(of: PackedTable) {
    const { table, owners, ownerId } = of;
    this.#of = of;
    this.pageStatement = pageStatement(of);
    this.saveStatement = saveStatement(of);
    this.#columns = `b.block, b.${ownerId} as "ownerId", o.name as owner, b.numbers from ${table} b join ${owners} o on o.id = b.${ownerId}`;
  }

  /** In the order of blocks and owners, after the given one. */
  async listPage(db: Queryable, after: BlockPlace): Promise<readonly PackedBlock[]> {
    const [found] = await db.query<BlockPage>(this.pageStatement.with(after));
    return blocksOfPage(found);
  }

  listIn(db: Queryable, blocks: readonly number[]): Promise<readonly PackedBlock[]> {
    return db.query<PackedBlock>(
      `in_${this.#of.table}`,
      `select ${this.#columns} where b.block = any($1::int[]) order by b.block, b.${this.#of.ownerId}`,
      [blocks],
    );
  }

  /** All of so many blocks that hold numbers; `owner`: only its numbers. */
  #listFrom(db: Queryable, block: number, count: number, owner: number | undefined): Promise<PackedBlock[]> {
    const { table, ownerId } = this.#of;
    const where = conditions({ [`${ownerId} = ?`]: owner, "block >= ?": block });
    return db.query<PackedBlock>(
      composed(
        "listBlocksFrom",
        `select ${this.#columns}
 where ${where.text.replaceAll(ownerId, `b.${ownerId}`)}
   and b.block in (select distinct block from ${table} where ${where.text} order by block limit ${where.value(count)})
 order by b.block, b.${ownerId}`,
        where.values,
      ),
    );
  }

  /** Gives these blocks exactly these numbers, or of this owner alone; answers how many rows that changed. */
  async saveBlocks(tx: Queryable, blocks: readonly BlockToSave[], owner: number | null): Promise<number> {
    const set = blocks.flatMap(({ block, sets }) => sets.map((one) => ({ block, ...one })));
    const [saved] = await tx.query<{ changed: number }>(this.saveStatement.with({ block: blocks, set, owner }));
    return saved?.changed ?? 0;
  }

  /** In their order, after the given one; `owner`: only its numbers. */
  async listNumbers(
    db: Queryable,
    { after, limit, owner }: { readonly after?: Msisdn | undefined; readonly limit: number; readonly owner?: number },
  ): Promise<readonly OwnedNumber[]> {
    const from = after === undefined ? 0 : placeOf(after) + 1;
    const found: OwnedNumber[] = [];
    let block = blockOf(from);
    // One block may be full, and many may hold one number each.
    for (let atOnce = 1; found.length < limit; atOnce = Math.min(4 * atOnce, mostBlocksAtOnce)) {
      const sets = await this.#listFrom(db, block, atOnce, owner);
      const last = sets.at(-1);
      if (last === undefined) break;
      const places = sets.flatMap((set) => {
        const inSet = Array.from(lowsIn(set.numbers), (low) => ({ place: set.block * blockSize + low, set }));
        return inSet.filter(({ place }) => place >= from);
      });
      places.sort((one, other) => one.place - other.place);
      for (const { place, set } of places.slice(0, limit - found.length))
        found.push({ number: msisdnAt(place), owner: set.owner });
      block = last.block + 1;
    }
    return found;
  }
}

function blocksOfPage(page: BlockPage | undefined): readonly PackedBlock[] {
  if (page === undefined || page.blocks === null) return [];
  const { ownerIds, owners, octets, numbers } = page;
  let end = 0;
  return page.blocks.map((block, index) => {
    const start = end;
    end += octets[index] ?? 0;
    const [ownerId = 0, owner = ""] = [ownerIds[index], owners[index]];
    return { block, ownerId, owner, numbers: numbers.subarray(start, end) };
  });
}

export const importedNumbers = new NumberLists({
  table: "ported_block",
  owners: "configured_object",
  ownerId: "operator_id",
});
export const listedNumbers = new NumberLists({ table: "listed_block", owners: "block_list", ownerId: "list_id" });

export interface KnownBlockList {
  readonly id: number;
  readonly name: string;
  readonly updatedAt: Date;
  /** How many. */
  readonly numbers: number;
}

export function listBlockLists(db: Queryable, name?: string): Promise<readonly KnownBlockList[]> {
  const { text, values } = conditions({ "l.name = ?": name });
  return db.query<KnownBlockList>(
    composed(
      "listBlockLists",
      `select l.id, l.name, l.updated_at as "updatedAt",
       (select coalesce(sum(octet_length(b.numbers)) / 2, 0) from listed_block b where b.list_id = l.id)::int as numbers
  from block_list l where ${text} order by l.name`,
      values,
    ),
  );
}

export async function findBlockList(db: Queryable, name: string): Promise<KnownBlockList | undefined> {
  return (await listBlockLists(db, name))[0];
}

/** Makes it if it is not there, and notes that it changed now. Answers its id. */
export async function touchBlockList(tx: Queryable, name: string): Promise<number> {
  const list = await onlyOf(
    tx.query<{ id: number }>(
      "touchBlockList",
      `insert into block_list (name, updated_at) values ($1, statement_timestamp())
on conflict (name) do update set updated_at = excluded.updated_at returning id`,
      [name],
    ),
  );
  return list.id;
}

/** With its numbers. */
export async function removeBlockList(tx: Queryable, id: number): Promise<void> {
  await tx.query("removeBlockList", `delete from block_list where id = $1`, [id]);
}

export async function isListed(db: Queryable, listId: number, number: Msisdn): Promise<boolean> {
  const place = placeOf(number);
  const found = await listedNumbers.listIn(db, [blockOf(place)]);
  return found.some(({ ownerId, numbers }) => ownerId === listId && holdsNumber(numbers, lowOf(place)));
}

export interface PortedNumber {
  readonly number: string;
  readonly operator: string;
}

/** Those that were given, in their order: `numbers`: only these. */
export function listGivenPorted(
  db: Queryable,
  {
    numbers,
    after,
    limit,
  }: { readonly numbers?: readonly string[] | undefined; readonly after?: string | undefined; readonly limit?: number },
): Promise<PortedNumber[]> {
  const where = conditions({ "p.number = any(?::text[])": numbers, "p.number > ?": after });
  return db.query<PortedNumber>(
    composed(
      "listGivenPorted",
      `select p.number, o.name as operator from ported_number p join configured_object o on o.id = p.operator_id
 where ${where.text} order by p.number limit ${where.value(limit)}`,
      where.values,
    ),
  );
}

/** The operators must exist. */
export async function upsertPorted(tx: Queryable, numbers: readonly PortedNumber[]): Promise<void> {
  if (numbers.length === 0) return;
  await tx.query(
    "upsertPorted",
    `insert into ported_number (number, operator_id)
select given.number, o.id
  from unnest($1::text[], $2::text[]) as given (number, name)
  join configured_object o on o.section = 'operators' and o.name = given.name
on conflict (number) do update set operator_id = excluded.operator_id`,
    [numbers.map(({ number }) => number), numbers.map(({ operator }) => operator)],
  );
}

export async function deletePorted(tx: Queryable, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return;
  await tx.query("deletePorted", "delete from ported_number where number = any($1::text[])", [numbers]);
}

/** Operators of imported numbers, which no setup file names. */
export async function listImportedOperators(tx: Queryable): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(
    "listImportedOperators",
    `select name from configured_object o where section = 'operators' and exists (select from ported_block where operator_id = o.id)`,
  );
  return rows.map(({ name }) => name);
}

export interface PortedCount {
  readonly operator: string;
  /** Of a setup file, or entered in the console. */
  readonly given: number;
  readonly imported: number;
}

/** Of each operator, or of one. */
export function countPortedNumbers(db: Queryable, operator?: string): Promise<readonly PortedCount[]> {
  const { text, values } = conditions({ "o.section = ?": "operators", "o.name = ?": operator });
  return db.query<PortedCount>(
    composed(
      "countPortedNumbers",
      `select o.name as operator,
       (select count(*) from ported_number p where p.operator_id = o.id)::int as given,
       (select coalesce(sum(octet_length(b.numbers)) / 2, 0) from ported_block b where b.operator_id = o.id)::int as imported
  from configured_object o where ${text} order by o.name`,
      values,
    ),
  );
}

export interface KnownPorted extends PortedNumber {
  /** False: of a setup file, or entered in the console; such a one wins. */
  readonly isImported: boolean;
}

export async function findPortedNumber(db: Queryable, number: Msisdn): Promise<KnownPorted | undefined> {
  const [given] = await listGivenPorted(db, { numbers: [number] });
  if (given !== undefined) return { ...given, isImported: false };
  const place = placeOf(number);
  const sets = await importedNumbers.listIn(db, [blockOf(place)]);
  const found = sets.find(({ numbers }) => holdsNumber(numbers, lowOf(place)));
  return found && { number, operator: found.owner, isImported: true };
}

/** In the order of numbers, after the given one. */
export async function listKnownPorted(
  db: Queryable,
  page: { readonly after: Msisdn | undefined; readonly limit: number },
): Promise<readonly KnownPorted[]> {
  const known = new Map<string, KnownPorted>();
  for (const { number, owner } of await importedNumbers.listNumbers(db, page))
    known.set(number, { number, operator: owner, isImported: true });
  for (const each of await listGivenPorted(db, page)) known.set(each.number, { ...each, isImported: false });
  return [...known.values()].sort((one, other) => (one.number < other.number ? -1 : 1)).slice(0, page.limit);
}
