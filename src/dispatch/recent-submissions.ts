// The parts that this process submitted recently, by the id that the SMSC gave them. Most receipts
// come soon and need no lookup in the database. Bounded: when full, the older half is dropped.
import type { PartTaken } from "../store/progress.ts";

/** Parts kept at most, about 300 octets each. */
const capacity = 100_000;

export class RecentSubmissions {
  #younger = new Map<string, PartTaken>();
  #older = new Map<string, PartTaken>();

  remember(part: PartTaken): void {
    if (part.smscMessageId === "") return;
    this.#younger.set(keyOf(part.connectorId, part.smscMessageId), part);
    if (this.#younger.size < capacity / 2) return;
    this.#older = this.#younger;
    this.#younger = new Map();
  }

  find(connectorId: number, smscMessageId: string): PartTaken | undefined {
    const key = keyOf(connectorId, smscMessageId);
    return this.#younger.get(key) ?? this.#older.get(key);
  }

  /** Drops a part after its final receipt. */
  forget(connectorId: number, smscMessageId: string): void {
    const key = keyOf(connectorId, smscMessageId);
    if (!this.#younger.delete(key)) this.#older.delete(key);
  }
}

function keyOf(connectorId: number, smscMessageId: string): string {
  return `${String(connectorId)} ${smscMessageId}`;
}
