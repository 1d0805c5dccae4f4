// The use cases behind `hodhod block-list`, `hodhod opt-outs` and the console: each change of such a list
// in one transaction with its audit entry.
import { wrongUsage } from "../platform/command-failed.ts";
import { faultMessage, ValueFault } from "./fault.ts";
import { packAll } from "./import-numbers.ts";
import { nameText } from "./read-value.ts";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { blockOf, lowOf, type NumberCollector, placeOf, withNumber } from "../sms/number-blocks.ts";
import { type Actor, type AuditedChange, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { storedValues } from "../fields/field.ts";
import { blockListFields } from "../fields/service-fields.ts";
import { listObjectRows } from "../store/configured-objects.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import {
  findBlockList,
  type KnownBlockList,
  listedNumbers,
  removeBlockList,
  touchBlockList,
} from "../store/number-lists.ts";
import {
  addOptOuts,
  isLineKnown,
  type OptOut,
  putOwnOptOut,
  removeOptOut,
  removeOwnOptOut,
} from "../store/opt-outs.ts";

export interface ImportedList {
  /** How many numbers were and are on it; undefined: the list is new. */
  readonly before: number | undefined;
  readonly after: number;
  /** The configuration version with the change; absent if there was none. */
  readonly version?: bigint;
}

export interface ListImport {
  readonly name: string;
  /** As readNumberFile gives them. */
  readonly numbers: NumberCollector;
  readonly by: Actor;
}

/** Throws CommandFailed, as all of these. */
export function expectListName(name: string): void {
  const read = nameText(name);
  if (read instanceof ValueFault) throw wrongUsage(`the name of a list ${faultMessage(read, "en")}`);
}

/** Makes the list if it is not there. Another change that is under way is waited for. */
export async function importBlockList(db: Transactional, { name, numbers, by }: ListImport): Promise<ImportedList> {
  expectListName(name);
  // Before others have to wait for the lock. The list has an id later.
  const packed = await packAll(numbers, () => 0);
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const known = await findBlockList(tx, name);
    const id = known?.id ?? (await touchBlockList(tx, name));
    let changed = 0;
    for (const group of packed) {
      const own = group.map(({ block, sets }) => ({ block, sets: sets.map((set) => ({ ...set, value: id })) }));
      changed += await listedNumbers.saveBlocks(tx, own, id);
    }
    const after = (await findBlockList(tx, name))?.numbers ?? 0;
    const before = known?.numbers;
    if (known !== undefined && changed === 0) return { before, after };
    const action = known === undefined ? "create" : "change";
    const audited = { ...(known && { before: { numbers: known.numbers } }), after: { numbers: after } };
    return { before, after, version: await finish(tx, by, { action, ...audited, name }) };
  });
}

async function finish(tx: Queryable, by: Actor, change: Omit<AuditedChange, "kind">): Promise<bigint> {
  if (change.action !== "remove") await touchBlockList(tx, change.name);
  await insertAuditEntries(tx, by, [{ kind: "blockList", ...change }]);
  return raiseConfigurationVersion(tx);
}

export async function expectBlockList(db: Queryable, name: string): Promise<KnownBlockList> {
  const found = await findBlockList(db, name);
  if (found !== undefined) return found;
  throw wrongUsage(`there is no block list ${name}`, `create it with hodhod block-list import ${name} FILE`);
}

export interface ListedChange {
  readonly name: string;
  readonly number: Msisdn;
  readonly by: Actor;
}

/** Answers the version with the change; undefined where the number was on the list already. */
export function addToBlockList(db: Transactional, change: ListedChange): Promise<bigint | undefined> {
  return changeNumber(db, change, true);
}

/** Answers the version with the change; undefined where the number was not on the list. */
export function removeFromBlockList(db: Transactional, change: ListedChange): Promise<bigint | undefined> {
  return changeNumber(db, change, false);
}

async function changeNumber(
  db: Transactional,
  { name, number, by }: ListedChange,
  isAdded: boolean,
): Promise<bigint | undefined> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const { id } = await expectBlockList(tx, name);
    const place = placeOf(number);
    const block = blockOf(place);
    const stored = (await listedNumbers.listIn(tx, [block])).find(({ ownerId }) => ownerId === id);
    const before = stored?.numbers ?? new Uint8Array();
    const numbers = withNumber(before, lowOf(place), isAdded);
    if (numbers === before) return undefined;
    await listedNumbers.saveBlocks(tx, [{ block, sets: numbers.length === 0 ? [] : [{ value: id, numbers }] }], id);
    const audited = isAdded ? { after: { added: number } } : { before: { removed: number } };
    return finish(tx, by, { action: "change", name, ...audited });
  });
}

/** Throws where a rule names the list: it would block nobody any more. */
export async function deleteBlockList(
  db: Transactional,
  { name, by }: { readonly name: string; readonly by: Actor },
): Promise<{ readonly numbers: number; readonly version: bigint }> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const { id, numbers } = await expectBlockList(tx, name);
    if ((await readBlockListUses(tx)).has(name))
      throw wrongUsage(`blockLists of the setup names ${name}`, "take it out of the setup first");
    await removeBlockList(tx, id);
    return { numbers, version: await finish(tx, by, { action: "remove", name, before: { numbers } }) };
  });
}

export interface BlockListUse {
  /** Numbers, kinds, or `*`. */
  readonly lines: readonly string[];
  /** Names, or `*`. */
  readonly accounts: readonly string[];
}

/** By the names of lists; one that no rule names is not there. */
export async function readBlockListUses(tx: Queryable): Promise<ReadonlyMap<string, BlockListUse>> {
  const { blockLists } = await listObjectRows(tx, ["blockLists"]);
  return new Map(
    blockLists.map(({ body }) => {
      const { name, lines, accounts } = storedValues(blockListFields, body);
      return [name, { lines, accounts }];
    }),
  );
}

interface EnteredOptOut {
  readonly line: string;
  readonly number: Msisdn;
  readonly by: Actor;
}

/** Throws ApiError. */
export async function expectLine(db: Queryable, line: string): Promise<void> {
  if (!(await isLineKnown(db, line)))
    throw new ApiError("notFound", { text: findingCatalogue["console.unknownLine"], values: { line } });
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
