// Block lists by their names. Their numbers: number-lists.ts.
import { blockOf, holdsNumber, lowOf, placeOf } from "../sms/number-blocks.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { conditions } from "./conditions.ts";
import type { Queryable } from "./database.ts";
import { listedNumbers } from "./number-lists.ts";

export interface KnownBlockList {
  readonly id: number;
  readonly name: string;
  readonly updatedAt: Date;
  /** How many. */
  readonly numbers: number;
}

export function listBlockLists(db: Queryable, name?: string): Promise<readonly KnownBlockList[]> {
  const { text, values } = conditions({ "l.name = ?": name });
  return db.query<KnownBlockList>({
    name: "",
    text: `/* listBlockLists */
select l.id, l.name, l.updated_at as "updatedAt",
       (select coalesce(sum(octet_length(b.numbers)) / 2, 0) from listed_block b where b.list_id = l.id)::int as numbers
  from block_list l where ${text} order by l.name`,
    values,
  });
}

export async function findBlockList(db: Queryable, name: string): Promise<KnownBlockList | undefined> {
  return (await listBlockLists(db, name))[0];
}

/** Makes it if it is not there, and notes that it changed now. Answers its id. */
export async function touchBlockList(tx: Queryable, name: string): Promise<number> {
  const [list] = await tx.query<{ id: number }>({
    name: "touchBlockList",
    text: `/* touchBlockList */
insert into block_list (name, updated_at) values ($1, statement_timestamp())
on conflict (name) do update set updated_at = excluded.updated_at returning id`,
    values: [name],
  });
  if (list === undefined) throw new Error("a block list that was made is not there");
  return list.id;
}

/** With its numbers. */
export async function removeBlockList(tx: Queryable, id: number): Promise<void> {
  await tx.query({
    name: "removeBlockList",
    text: `/* removeBlockList */ delete from block_list where id = $1`,
    values: [id],
  });
}

export async function isListed(db: Queryable, listId: number, number: Msisdn): Promise<boolean> {
  const place = placeOf(number);
  const found = await listedNumbers.listIn(db, [blockOf(place)]);
  return found.some(({ ownerId, numbers }) => ownerId === listId && holdsNumber(numbers, lowOf(place)));
}
