// Ported numbers that were imported, in packed blocks (sms/number-blocks.ts). Written in a
// transaction that holds the configuration's lock.
import type { Msisdn } from "../sms/msisdn.ts";
import { blockOf, blockSize, holdsNumber, lowOf, lowsIn, msisdnAt, placeOf } from "../sms/number-blocks.ts";
import { listPortedNumbersIn } from "./configuration-pages.ts";
import type { Queryable } from "./database.ts";
import {
  blockPageStatement,
  blocksInStatement,
  blocksOfPage,
  blocksToSave,
  type BlockPage,
  type BlockPlace,
  type BlockToSave,
  type PackedBlock,
  saveBlocksStatement,
} from "./packed-blocks.ts";
import { listPortedNumberPage } from "./setup-network.ts";

const packed = { table: "ported_block", owners: "operator", ownerId: "operator_id" };

export const listPortedBlockPageStatement = blockPageStatement("listPortedBlockPage", packed);
export const listPortedBlocksInStatement = blocksInStatement("listPortedBlocksIn", packed);
export const savePortedBlocksStatement = saveBlocksStatement("savePortedBlocks", packed);

/** In the order of blocks and operators, after the given one. */
export async function listPortedBlockPage(db: Queryable, after: BlockPlace): Promise<readonly PackedBlock[]> {
  const [page] = await db.query<BlockPage>(listPortedBlockPageStatement.with(after));
  return blocksOfPage(page);
}

export function listPortedBlocksIn(db: Queryable, blocks: readonly number[]): Promise<readonly PackedBlock[]> {
  return db.query<PackedBlock>(listPortedBlocksInStatement.with({ blocks }));
}

/** Gives these blocks exactly these numbers; answers how many rows that changed. */
export async function savePortedBlocks(tx: Queryable, blocks: readonly BlockToSave[]): Promise<number> {
  const [saved] = await tx.query<{ changed: number }>(savePortedBlocksStatement.with(blocksToSave(blocks, null)));
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
  return found && { number, operator: found.owner, isImported: true };
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
      found.push({ number: msisdnAt(place), operator: set.owner });
    }
    block = last.block + 1;
  }
  return found;
}

/** All of so many blocks that hold numbers. */
function listPortedBlocksFrom(db: Queryable, block: number, count: number): Promise<readonly PackedBlock[]> {
  return db.query<PackedBlock>({
    name: "listPortedBlocksFrom",
    text: `/* listPortedBlocksFrom */
select b.block, b.operator_id as "ownerId", o.name as owner, b.numbers
  from ported_block b join operator o on o.id = b.operator_id
 where b.block in (select distinct block from ported_block where block >= $1 order by block limit $2)
 order by b.block, b.operator_id`,
    values: [block, count],
  });
}
