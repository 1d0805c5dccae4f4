// The use cases behind `hodhod opt-outs` and the console: what staff enter counts for all accounts,
// what users of an account enter for that one. Triggers tell the nodes.
import type { Msisdn } from "../sms/msisdn.ts";
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import {
  addOptOuts,
  isLineKnown,
  type OptOut,
  putOwnOptOut,
  removeOptOut,
  removeOwnOptOut,
} from "../store/opt-outs.ts";

export class UnknownLine extends Error {
  override readonly name = "UnknownLine";
}

interface EnteredOptOut {
  readonly line: string;
  readonly number: Msisdn;
  readonly by: Actor;
}

/** Throws UnknownLine. */
export async function expectLine(db: Queryable, line: string): Promise<void> {
  if (!(await isLineKnown(db, line))) throw new UnknownLine(`there is no line ${line}`);
}

/** Answers whether it is new. */
export function enterOptOut(db: Transactional, { line, number, by }: EnteredOptOut): Promise<boolean> {
  return db.transaction(async (tx) => {
    await expectLine(tx, line);
    const added = await addOptOuts(tx, { line, numbers: [number], how: "staff" });
    if (added.length === 0) return false;
    await insertAuditEntries(tx, by, [{ action: "create", kind: "optOut", name: `${line} ${number}` }]);
    return true;
  });
}

/** Whoever made it. Answers what there was: an entry for all, and those of single accounts. */
export function withdrawOptOut(db: Transactional, { line, number, by }: EnteredOptOut): Promise<readonly OptOut[]> {
  return db.transaction(async (tx) => {
    await expectLine(tx, line);
    const removed = await removeOptOut(tx, { line, number });
    const before = { how: removed.map(({ how }) => how) };
    if (removed.length > 0)
      await insertAuditEntries(tx, by, [{ action: "remove", kind: "optOut", name: `${line} ${number}`, before }]);
    return removed;
  });
}

interface EnteredForOne {
  readonly account: { readonly id: number; readonly name: string };
  /** One of its lines. */
  readonly line: string;
  readonly number: Msisdn;
  readonly by: Actor;
}

/** For this account alone. Answers the entry that counts, also where it was there before. */
export function enterForOne(db: Transactional, { account, line, number, by }: EnteredForOne): Promise<OptOut> {
  return db.transaction(async (tx) => {
    const { isNew, ...entry } = await putOwnOptOut(tx, { accountId: account.id, line, number });
    const change = { action: "create", kind: "optOut", name: `${line} ${number}`, account: account.name } as const;
    if (isNew) await insertAuditEntries(tx, by, [change]);
    return entry;
  });
}

/** `foreign`: there is an entry that the account has not made, which stays. */
export function withdrawForOne(
  db: Transactional,
  { account, line, number, by }: EnteredForOne,
): Promise<"removed" | "none" | "foreign"> {
  return db.transaction(async (tx) => {
    const outcome = await removeOwnOptOut(tx, { accountId: account.id, line, number });
    const change = { action: "remove", kind: "optOut", name: `${line} ${number}`, account: account.name } as const;
    if (outcome === "removed") await insertAuditEntries(tx, by, [change]);
    return outcome;
  });
}

/**
 * Short transactions, so that nothing waits for a long one: a run that ends half-way has added what
 * it had come to, and the same file adds the rest.
 */
const numbersAtOnce = 10_000;

export interface ImportedOptOuts {
  readonly line: string;
  /** Each once. */
  readonly numbers: readonly Msisdn[];
  readonly by: Actor;
  /** Called now and then with how many are in. */
  readonly progress: (done: number) => void;
}

/** Answers how many are new. */
export async function importOptOuts(
  db: Transactional,
  { line, numbers, by, progress }: ImportedOptOuts,
): Promise<number> {
  let added = 0;
  for (let start = 0; start < numbers.length; start += numbersAtOnce) {
    const some = numbers.slice(start, start + numbersAtOnce);
    added += await db.transaction(async (tx) => {
      await expectLine(tx, line);
      const { length: count } = await addOptOuts(tx, { line, numbers: some, how: "import" });
      if (count > 0)
        await insertAuditEntries(tx, by, [
          { action: "create", kind: "optOut", name: line, after: { imported: count } },
        ]);
      return count;
    });
    progress(start + some.length);
  }
  return added;
}
