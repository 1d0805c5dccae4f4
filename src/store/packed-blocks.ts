// Statements on tables of packed blocks (sms/number-blocks.ts), which ported numbers and block
// lists share: a row has the numbers of one owner, an operator or a list, in one block.
import type { NumberSet, PackedNumbers } from "../sms/number-blocks.ts";
import { bytea, int4, rows, rowStatement, type RowStatement, single } from "./row-statement.ts";

export interface PackedTable {
  readonly table: string;
  /** The table of the owners, which have an id and a name. */
  readonly owners: string;
  /** The column that names the owner. */
  readonly ownerId: string;
}

export interface PackedBlock {
  readonly block: number;
  readonly ownerId: number;
  readonly owner: string;
  readonly numbers: PackedNumbers;
}

export type BlockPlace = Pick<PackedBlock, "block" | "ownerId">;

export const beforeAllBlocks: BlockPlace = { block: -1, ownerId: 0 };

/** Octets of numbers that a page holds beside its first row: some 2 ms of work for its reader. */
const octetsOfPage = 65536;
const rowsOfPage = 256;

export interface BlockPage {
  readonly blocks: readonly number[] | null;
  readonly ownerIds: readonly number[];
  readonly owners: readonly string[];
  readonly octets: readonly number[];
  readonly numbers: Buffer;
}

/**
 * In the order of blocks and owners, after the given one. All numbers of the page share one piece
 * of memory: thousands of small ones would keep the garbage collector busy.
 */
export function blockPageStatement(name: string, { table, owners, ownerId }: PackedTable): RowStatement<BlockPlace> {
  return rowStatement(
    name,
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

/** Of what `blockPageStatement` answers. */
export function blocksOfPage(page: BlockPage | undefined): readonly PackedBlock[] {
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

export function blocksInStatement(
  name: string,
  { table, owners, ownerId }: PackedTable,
): RowStatement<{ blocks: readonly number[] }> {
  return rowStatement(
    name,
    { blocks: single<readonly number[]>() },
    ({ blocks }) => `select b.block, b.${ownerId} as "ownerId", o.name as owner, b.numbers
  from ${table} b join ${owners} o on o.id = b.${ownerId}
 where b.block = any(${blocks}::int[]) order by b.block, b.${ownerId}`,
  );
}

/** The value of a set is the id of its owner. */
export interface BlockToSave {
  readonly block: number;
  readonly sets: readonly NumberSet<number>[];
}

interface SetOfBlock extends NumberSet<number> {
  readonly block: number;
}

export interface BlocksToSave {
  readonly block: readonly BlockToSave[];
  readonly set: readonly SetOfBlock[];
  /** The only owner whose numbers are replaced; null: all owners. */
  readonly owner: number | null;
}

/** Gives these blocks exactly these numbers; answers how many rows that `changed`. */
export function saveBlocksStatement(name: string, { table, ownerId }: PackedTable): RowStatement<BlocksToSave> {
  return rowStatement(
    name,
    {
      block: rows<BlockToSave>({ block: int4(({ block }) => block) }),
      set: rows<SetOfBlock>({
        block: int4(({ block }) => block),
        owner_id: int4(({ value }) => value),
        numbers: bytea(({ numbers }) => numbers),
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

export function blocksToSave(blocks: readonly BlockToSave[], owner: number | null): BlocksToSave {
  return { block: blocks, set: blocks.flatMap(({ block, sets }) => sets.map((set) => ({ block, ...set }))), owner };
}
