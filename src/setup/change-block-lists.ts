// The use cases behind `hodhod block-list`: puts the numbers of a file in the place of those that a
// list had, changes single ones, removes a list. Each in one transaction, with its audit entry.
import {
  blockOf,
  holdsNumber,
  lowOf,
  lowsIn,
  type NumberCollector,
  type PackedNumbers,
  packNumbers,
  placeOf,
} from "../sms/number-blocks.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { type Actor, type AuditedChange, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { readConfiguration } from "../store/configuration.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { didYouMean, faultMessage, ValueFault } from "./fault.ts";
import { nameText } from "./read-value.ts";
import { packAll } from "./import-ported-numbers.ts";
import {
  findBlockList,
  type KnownBlockList,
  listBlockLists,
  listedNumbers,
  removeBlockList,
  touchBlockList,
} from "../store/number-lists.ts";

/** There is no such list, its name is none, or a rule needs it. Nothing was changed. */
export class BlockListFault extends Error {
  override readonly name = "BlockListFault";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

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

/** Throws BlockListFault. */
export function expectListName(name: string): void {
  const read = nameText(name);
  if (read instanceof ValueFault) throw new BlockListFault(`the name of a list ${faultMessage(read, "en")}`);
}

/** Browsers and proxies remove these segments from a URL, however they are encoded. */
export function canBeAddressed(name: string): boolean {
  return name !== "." && name !== "..";
}

/** The console could not address such a list. An existing list stays as it is. */
function expectNewName(name: string): void {
  if (!canBeAddressed(name)) throw new BlockListFault("the name of a list must not be . or ..");
}

/** Makes the list if it is not there. Another change that is under way is waited for. */
export async function importBlockList(db: Transactional, { name, numbers, by }: ListImport): Promise<ImportedList> {
  expectListName(name);
  // Before others have to wait for the lock. The list has an id later.
  const packed = await packAll(numbers, () => 0);
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const known = await findBlockList(tx, name);
    if (known === undefined) expectNewName(name);
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
    const told = { ...(known && { before: { numbers: known.numbers } }), after: { numbers: after } };
    return { before, after, version: await finish(tx, by, { action, ...told, name }) };
  });
}

async function finish(tx: Queryable, by: Actor, change: Omit<AuditedChange, "kind">): Promise<bigint> {
  if (change.action !== "remove") await touchBlockList(tx, change.name);
  await insertAuditEntries(tx, by, [{ kind: "blockList", ...change }]);
  return raiseConfigurationVersion(tx);
}

/** Throws BlockListFault. */
export async function expectBlockList(db: Queryable, name: string): Promise<KnownBlockList> {
  const found = await findBlockList(db, name);
  if (found !== undefined) return found;
  const names = (await listBlockLists(db)).map((list) => list.name);
  throw new BlockListFault(
    `there is no block list ${name}`,
    didYouMean(name, names) ?? `create it with hodhod block-list import ${name} FILE`,
  );
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
    if (holdsNumber(before, lowOf(place)) === isAdded) return undefined;
    const numbers = changed(before, lowOf(place), isAdded);
    await listedNumbers.saveBlocks(tx, [{ block, sets: numbers.length === 0 ? [] : [{ value: id, numbers }] }], id);
    const told = isAdded ? { after: { added: number } } : { before: { removed: number } };
    return finish(tx, by, { action: "change", name, ...told });
  });
}

function changed(before: PackedNumbers, low: number, isAdded: boolean): PackedNumbers {
  const others = [...lowsIn(before)].filter((each) => each !== low);
  return packNumbers(Uint16Array.from(isAdded ? [...others, low] : others).sort());
}

/** Throws BlockListFault, also where a rule names the list: it would block nobody any more. */
export async function deleteBlockList(
  db: Transactional,
  { name, by }: { readonly name: string; readonly by: Actor },
): Promise<{ readonly numbers: number; readonly version: bigint }> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const { id, numbers } = await expectBlockList(tx, name);
    if ((await readBlockListUses(tx)).has(name))
      throw new BlockListFault(`blockLists of the setup names ${name}`, "take it out of the setup first");
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
  const { rules } = await readConfiguration(tx, { tables: ["rules"] });
  return new Map(
    rules.flatMap(({ section, body }) => {
      if (section !== "blockLists") return [];
      // Validated when it was stored.
      const { name, lines, accounts } = body as BlockListUse & { readonly name: string };
      return [[name, { lines, accounts }] as const];
    }),
  );
}
