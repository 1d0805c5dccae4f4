// The parts that this process submitted recently, by the id that the SMSC gave them. Most receipts
// come soon and need no lookup in the database. Some SMSCs give all parts of a message one id.
// Bounded: when full, the older half is dropped.
import type { PartTaken } from "../store/progress.ts";

/** Ids kept at most, about 300 octets for each part. */
const capacity = 100_000;

export class RecentSubmissions {
  #younger = new Map<string, readonly PartTaken[]>();
  #older = new Map<string, readonly PartTaken[]>();

  remember(part: PartTaken): void {
    if (part.smscMessageId === "") return;
    const { connectorId, smscMessageId, messageId } = part;
    const others = this.find(connectorId, smscMessageId).filter(
      (known) => known.messageId === messageId && known.part !== part.part,
    );
    this.#younger.set(keyOf(connectorId, smscMessageId), [...others, part]);
    if (this.#younger.size < capacity / 2) return;
    this.#older = this.#younger;
    this.#younger = new Map();
  }

  /** All of one message: the latest that was given this id. */
  find(connectorId: number, smscMessageId: string): readonly PartTaken[] {
    const key = keyOf(connectorId, smscMessageId);
    return this.#younger.get(key) ?? this.#older.get(key) ?? none;
  }

  /** Drops the parts of an id after their final receipt. */
  forget(connectorId: number, smscMessageId: string): void {
    const key = keyOf(connectorId, smscMessageId);
    if (!this.#younger.delete(key)) this.#older.delete(key);
  }
}

const none: readonly PartTaken[] = [];

function keyOf(connectorId: number, smscMessageId: string): string {
  return `${String(connectorId)} ${smscMessageId}`;
}
