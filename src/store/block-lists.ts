// Block lists: their names, and their numbers in packed blocks (sms/number-blocks.ts). Written in a
// transaction that holds the configuration's lock; triggers note which blocks changed.
import type { Msisdn } from "../sms/msisdn.ts";
import {
  blockOf,
  blockSize,
  holdsNumber,
  lowOf,
  lowsIn,
  msisdnAt,
  type PackedNumbers,
  placeOf,
} from "../sms/number-blocks.ts";
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

const packed = { table: "listed_block", owners: "block_list", ownerId: "list_id" };

export const listListedBlockPageStatement = blockPageStatement("listListedBlockPage", packed);
export const listListedBlocksInStatement = blocksInStatement("listListedBlocksIn", packed);
export const saveListedBlocksStatement = saveBlocksStatement("saveListedBlocks", packed);

/** In the order of blocks and lists, after the given one. */
export async function listListedBlockPage(db: Queryable, after: BlockPlace): Promise<readonly PackedBlock[]> {
  const [page] = await db.query<BlockPage>(listListedBlockPageStatement.with(after));
  return blocksOfPage(page);
}

export function listListedBlocksIn(db: Queryable, blocks: readonly number[]): Promise<readonly PackedBlock[]> {
  return db.query<PackedBlock>(listListedBlocksInStatement.with({ blocks }));
}

/** Gives these blocks exactly these numbers of the list; answers how many rows that changed. */
export async function saveListedBlocks(tx: Queryable, listId: number, blocks: readonly BlockToSave[]): Promise<number> {
  const [saved] = await tx.query<{ changed: number }>(saveListedBlocksStatement.with(blocksToSave(blocks, listId)));
  return saved?.changed ?? 0;
}

export interface KnownBlockList {
  readonly id: number;
  readonly name: string;
  readonly updatedAt: Date;
  /** How many. */
  readonly numbers: number;
}

const columns = `l.id, l.name, l.updated_at as "updatedAt",
       (select coalesce(sum(octet_length(b.numbers)) / 2, 0) from listed_block b where b.list_id = l.id)::int as numbers`;

export function listBlockLists(db: Queryable): Promise<readonly KnownBlockList[]> {
  return db.query<KnownBlockList>({
    name: "listBlockLists",
    text: `/* listBlockLists */ select ${columns} from block_list l order by l.name`,
    values: [],
  });
}

/** Without counting. */
export function listBlockListNames(db: Queryable): Promise<readonly { readonly name: string }[]> {
  return db.query<{ name: string }>({
    name: "listBlockListNames",
    text: `/* listBlockListNames */ select name from block_list order by name`,
    values: [],
  });
}

/** Without counting. */
export async function findBlockListId(db: Queryable, name: string): Promise<number | undefined> {
  const [found] = await db.query<{ id: number }>({
    name: "findBlockListId",
    text: `/* findBlockListId */ select id from block_list where name = $1`,
    values: [name],
  });
  return found?.id;
}

export async function findBlockList(db: Queryable, name: string): Promise<KnownBlockList | undefined> {
  const [found] = await db.query<KnownBlockList>({
    name: "findBlockList",
    text: `/* findBlockList */ select ${columns} from block_list l where l.name = $1`,
    values: [name],
  });
  return found;
}

export async function createBlockList(tx: Queryable, name: string): Promise<KnownBlockList> {
  await tx.query({
    name: "createBlockList",
    text: `/* createBlockList */ insert into block_list (name) values ($1)`,
    values: [name],
  });
  const made = await findBlockList(tx, name);
  if (made === undefined) throw new Error("a block list that was made is not there");
  return made;
}

export async function touchBlockList(tx: Queryable, id: number): Promise<void> {
  await tx.query({
    name: "touchBlockList",
    text: `/* touchBlockList */ update block_list set updated_at = statement_timestamp() where id = $1`,
    values: [id],
  });
}

/** With its numbers. */
export async function removeBlockList(tx: Queryable, id: number): Promise<void> {
  await tx.query({
    name: "removeBlockList",
    text: `/* removeBlockList */ delete from block_list where id = $1`,
    values: [id],
  });
}

export interface BlockOfList {
  readonly block: number;
  readonly numbers: PackedNumbers;
}

const blocksOfListPage = 64;

/** The blocks of one list after the given one. */
export function listBlocksOfList(db: Queryable, listId: number, afterBlock: number): Promise<readonly BlockOfList[]> {
  return db.query<BlockOfList>({
    name: "listBlocksOfList",
    text: `/* listBlocksOfList */
select block, numbers from listed_block where list_id = $1 and block > $2 order by block limit ${blocksOfListPage}`,
    values: [listId, afterBlock],
  });
}

/** Those of one list after the given number, in their order. */
export async function listListedNumbers(
  db: Queryable,
  listId: number,
  { after, limit }: { readonly after?: Msisdn | undefined; readonly limit: number },
): Promise<readonly Msisdn[]> {
  const [block, low] = after === undefined ? [-1, -1] : [blockOf(placeOf(after)), lowOf(placeOf(after))];
  const own = block < 0 ? [] : await listListedBlocksIn(db, [block]);
  const found = own
    .filter(({ ownerId }) => ownerId === listId)
    .flatMap(({ numbers }) => numbersOfBlock(block, numbers, { after: low, limit }));
  if (found.length >= limit) return found;
  for (const further of await listNextBlocks(db, listId, { after: block, numbers: limit - found.length }))
    found.push(...numbersOfBlock(further.block, further.numbers, { after: -1, limit: limit - found.length }));
  return found;
}

function numbersOfBlock(
  block: number,
  numbers: PackedNumbers,
  { after, limit }: { readonly after: number; readonly limit: number },
): Msisdn[] {
  const found: Msisdn[] = [];
  for (const low of lowsIn(numbers)) {
    if (found.length >= limit) break;
    if (low > after) found.push(msisdnAt(block * blockSize + low));
  }
  return found;
}

/** As many blocks as hold so many numbers, and no more: a block may have 128 KiB. */
function listNextBlocks(
  db: Queryable,
  listId: number,
  { after, numbers }: { readonly after: number; readonly numbers: number },
): Promise<readonly BlockOfList[]> {
  return db.query<BlockOfList>({
    name: "listNextBlocks",
    text: `/* listNextBlocks */
select block, numbers
  from (select block, numbers,
               sum(octet_length(numbers) / 2) over (order by block) - octet_length(numbers) / 2 as numbers_before
          from (select block, numbers from listed_block where list_id = $1 and block > $2 order by block limit $3) next) counted
 where numbers_before < $3
 order by block`,
    values: [listId, after, numbers],
  });
}

export async function isListed(db: Queryable, listId: number, number: Msisdn): Promise<boolean> {
  const place = placeOf(number);
  const rows = await listListedBlocksIn(db, [blockOf(place)]);
  return rows.some(({ ownerId, numbers }) => ownerId === listId && holdsNumber(numbers, lowOf(place)));
}
