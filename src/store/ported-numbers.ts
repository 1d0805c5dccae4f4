// Ported numbers: those of a setup file or entered in the console, a row each, and those that were
// imported, in packed blocks (number-lists.ts).
import { blockOf, holdsNumber, lowOf, placeOf } from "../sms/number-blocks.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { conditions } from "./conditions.ts";
import type { Queryable } from "./database.ts";
import { importedNumbers } from "./number-lists.ts";

export interface PortedNumber {
  readonly number: string;
  readonly operator: string;
}

/** Those that were given, in their order: `numbers`: only these. */
export function listPortedNumbers(
  db: Queryable,
  {
    numbers,
    after,
    limit,
  }: { readonly numbers?: readonly string[] | undefined; readonly after?: string | undefined; readonly limit?: number },
): Promise<PortedNumber[]> {
  const where = conditions({ "p.number = any(?::text[])": numbers, "p.number > ?": after });
  return db.query<PortedNumber>({
    name: "",
    text: `/* listPortedNumbers */
select p.number, o.name as operator from ported_number p join operator o on o.id = p.operator_id
 where ${where.text} order by p.number limit ${where.value(limit ?? null)}`,
    values: where.values,
  });
}

export interface PortedCount {
  readonly operator: string;
  /** Of a setup file, or entered in the console. */
  readonly given: number;
  readonly imported: number;
}

/** Of each operator, or of one. */
export function countPortedNumbers(db: Queryable, operator?: string): Promise<readonly PortedCount[]> {
  const { text, values } = conditions({ "o.name = ?": operator });
  return db.query<PortedCount>({
    name: "",
    text: `/* countPortedNumbers */
select o.name as operator,
       (select count(*) from ported_number p where p.operator_id = o.id)::int as given,
       (select coalesce(sum(octet_length(b.numbers)) / 2, 0) from ported_block b where b.operator_id = o.id)::int as imported
  from operator o where ${text} order by o.name`,
    values,
  });
}

export interface KnownPorted extends PortedNumber {
  /** False: of a setup file, or entered in the console; such a one wins. */
  readonly isImported: boolean;
}

export async function findPortedNumber(db: Queryable, number: Msisdn): Promise<KnownPorted | undefined> {
  const [given] = await listPortedNumbers(db, { numbers: [number] });
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
  for (const each of await listPortedNumbers(db, page)) known.set(each.number, { ...each, isImported: false });
  return [...known.values()].sort((one, other) => (one.number < other.number ? -1 : 1)).slice(0, page.limit);
}
