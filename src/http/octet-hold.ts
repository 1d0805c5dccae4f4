// Collects octets that arrive in pieces into one buffer. A piece costs its own length, however many
// there are. Pure.

const firstCapacity = 256;
const nothing = Buffer.alloc(0);

export class OctetHold {
  #room = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until the next change. */
  get octets(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#room.length, firstCapacity));
      room.set(this.octets);
      this.#room = room;
    }
    this.#room.set(piece, this.#length);
    this.#length = length;
  }

  dropFirst(count: number): void {
    this.#room.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  clear(): void {
    if (this.#length === 0) return;
    this.#room = nothing;
    this.#length = 0;
  }
}
