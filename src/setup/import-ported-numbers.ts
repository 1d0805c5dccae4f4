// The use case behind `hodhod ported-numbers import`: puts the numbers of a file in the place of
// those imported before, or changes these, in one transaction. The file is read and packed before
// the transaction begins, and a block that stays as it is is not written.
import { blockCount, type NumberCollector, type NumberSet } from "../sms/number-blocks.ts";
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { readConfiguration } from "../store/configuration.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { setImmediate } from "node:timers/promises";
import { type BlockToSave, countPortedNumbers, importedNumbers, type PortedCount } from "../store/number-lists.ts";

export interface NamedOperator {
  readonly id: number;
  readonly name: string;
}

export async function listOperators(db: Transactional): Promise<readonly NamedOperator[]> {
  const { operators } = await db.transaction((tx) => readConfiguration(tx, { tables: ["operators"] }));
  return operators.map(({ id, name }) => ({ id, name }));
}

export interface PortedImport {
  /** The codes are those of readPortedNumbers, in the order of `operators`. */
  readonly numbers: NumberCollector;
  readonly operators: readonly NamedOperator[];
  /** Changes what was imported before, instead of replacing it. */
  readonly isChanges: boolean;
  readonly by: Actor;
}

export interface ImportedNumbers {
  /** How many were and are imported. */
  readonly before: number;
  readonly after: number;
  readonly counts: readonly PortedCount[];
  /** The configuration version with the change; absent if there was none. */
  readonly version?: bigint;
}

/** An operator of the file was removed since it was read. */
export class OperatorGone extends Error {
  override readonly name = "OperatorGone";
}

/** Another import or change of the configuration that is under way is waited for. */
export async function importPortedNumbers(db: Transactional, given: PortedImport): Promise<ImportedNumbers> {
  const { numbers, operators, isChanges, by } = given;
  const idOf = (code: number): number => operators[code - 1]?.id ?? 0;
  // Before others have to wait for the lock.
  const packed = isChanges ? undefined : await packAll(numbers, idOf);
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    await expectOperators(tx, operators);
    const before = totalOf(await countPortedNumbers(tx));
    const groups = packed ?? changedGroups(tx, numbers, operators);
    let changed = 0;
    for await (const group of groups) changed += await importedNumbers.saveBlocks(tx, group, null);
    const counts = await countPortedNumbers(tx);
    const after = totalOf(counts);
    if (changed === 0) return { before, after, counts };
    const told = { before: { imported: before }, after: { imported: after } };
    await insertAuditEntries(tx, by, [{ action: "change", kind: "portedNumber", name: "", ...told }]);
    return { before, after, counts, version: await raiseConfigurationVersion(tx) };
  });
}

/** Operators that were added meanwhile do not matter. */
async function expectOperators(tx: Queryable, known: readonly NamedOperator[]): Promise<void> {
  const { operators } = await readConfiguration(tx, { tables: ["operators"] });
  const ids = new Set(operators.map(({ id }) => id));
  const gone = known.find(({ id }) => !ids.has(id));
  if (gone !== undefined)
    throw new OperatorGone(`the operator ${gone.name} was removed meanwhile: nothing was changed`);
}

function totalOf(counts: readonly PortedCount[]): number {
  return counts.reduce((sum, { imported }) => sum + imported, 0);
}

const blocksRead = 64;

/** The blocks that the changes touch, with what is stored in them. */
async function* changedGroups(
  tx: Queryable,
  numbers: NumberCollector,
  operators: readonly NamedOperator[],
): AsyncIterable<readonly BlockToSave[]> {
  const codes = new OperatorCodes(operators);
  const blocks = numbers.givenBlocks();
  for (let start = 0; start < blocks.length; start += blocksRead) {
    const some = blocks.slice(start, start + blocksRead);
    const stored = new Map<number, NumberSet<number>[]>(some.map((block) => [block, []]));
    for (const { block, ownerId, numbers } of await importedNumbers.listIn(tx, some)) {
      stored.get(block)?.push({ value: codes.codeOf(ownerId), numbers });
    }
    const idOf = (code: number): number => codes.idOf(code);
    yield* packedGroups(numbers, { blocks: some, idOf, storedIn: (block) => stored.get(block) ?? [] });
  }
}

/** The codes of the file, and further codes for operators that were added since. */
class OperatorCodes {
  readonly #ids: number[];
  readonly #codes: Map<number, number>;

  constructor(operators: readonly NamedOperator[]) {
    this.#ids = operators.map(({ id }) => id);
    this.#codes = new Map(this.#ids.map((id, index) => [id, index + 1]));
  }

  idOf(code: number): number {
    return this.#ids[code - 1] ?? 0;
  }

  codeOf(id: number): number {
    const known = this.#codes.get(id);
    if (known !== undefined) return known;
    this.#ids.push(id);
    this.#codes.set(id, this.#ids.length);
    return this.#ids.length;
  }
}

/** What one statement takes. */
const blocksOfGroup = 512;
const octetsOfGroup = 1_048_576;
/** Some milliseconds of work: a full block, or many small ones. */
const octetsOfStep = 131_072;

export interface ToPack {
  /** Ascending. A block without numbers loses those that it has. */
  readonly blocks: Iterable<number>;
  readonly idOf: (code: number) => number;
  /** What the numbers of a block are put over. */
  readonly storedIn?: (block: number) => readonly NumberSet<number>[];
}

export async function* packedGroups(
  numbers: NumberCollector,
  { blocks, idOf, storedIn = () => [] }: ToPack,
): AsyncIterable<readonly BlockToSave[]> {
  let group: BlockToSave[] = [];
  let [octets, octetsOfTurn] = [0, 0];
  for (const block of blocks) {
    const sets = numbers.pack(block, storedIn(block)).map(({ value, numbers }) => ({ value: idOf(value), numbers }));
    group.push({ block, sets });
    const length = sets.reduce((sum, set) => sum + set.numbers.length, 0);
    octets += length;
    octetsOfTurn += length;
    if (group.length >= blocksOfGroup || octets >= octetsOfGroup) {
      yield group;
      [group, octets] = [[], 0];
    } else if (octetsOfTurn < octetsOfStep) continue;
    await setImmediate();
    octetsOfTurn = 0;
  }
  if (group.length > 0) yield group;
}

/** The groups of all blocks: one without numbers loses those that it has. */
export async function packAll(
  numbers: NumberCollector,
  idOf: (code: number) => number,
): Promise<readonly (readonly BlockToSave[])[]> {
  const groups: (readonly BlockToSave[])[] = [];
  for await (const group of packedGroups(numbers, { blocks: Array(blockCount).keys(), idOf })) groups.push(group);
  return groups;
}
