/**
 * Reads one PDU with bounds checks, and writes many into a growing buffer with few allocations.
 * Reading never throws: it records the first fault and returns empty values from then on. Writing
 * throws a RangeError for values that cannot be encoded, because those are errors of the program
 * and not of the peer.
 */

const initialWriterOctets = 4096;

/** Up to this length a loop in JavaScript is faster than the call into native code. */
const shortTextLength = 24;

export class OctetReader {
  readonly octets: Buffer;
  position: number;
  readonly end: number;

  constructor(octets: Buffer, position: number, end: number) {
    this.octets = octets;
    this.position = position;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  /** -1 when no octet is left. */
  integer1(): number {
    if (this.position >= this.end) return -1;
    const value = this.octets[this.position] ?? 0;
    this.position += 1;
    return value;
  }

  /** -1 when fewer than two octets are left. */
  integer2(): number {
    if (this.remaining < 2) return -1;
    const value = this.octets.readUInt16BE(this.position);
    this.position += 2;
    return value;
  }

  /** Text up to its NUL; undefined without one within `maximumOctets` (NUL included). */
  cOctetString(maximumOctets: number): string | undefined {
    const { octets, position } = this;
    const limit = Math.min(this.end, position + maximumOctets);
    let nul = position;
    while (nul < limit && octets[nul] !== 0) nul += 1;
    if (nul === limit) return undefined;
    this.position = nul + 1;
    return nul === position ? "" : octets.toString("latin1", position, nul);
  }

  /** A view, not a copy; undefined if fewer octets are left. */
  take(length: number): Buffer | undefined {
    if (length > this.remaining) return undefined;
    const value = this.octets.subarray(this.position, this.position + length);
    this.position += length;
    return value;
  }
}

export class OctetWriter {
  #octets: Buffer;
  #length = 0;

  constructor(capacity = initialWriterOctets) {
    this.#octets = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Returns what was written and starts a new buffer. The returned octets are never overwritten.
   */
  take(): Buffer {
    const written = this.#octets.subarray(0, this.#length);
    const left = this.#octets.subarray(this.#length);
    this.#octets = left.length < initialWriterOctets ? Buffer.allocUnsafeSlow(16 * initialWriterOctets) : left;
    this.#length = 0;
    return written;
  }

  /** Returns a copy of what was written. The writer becomes empty and keeps its buffer. */
  takeCopy(): Buffer {
    const copy = Buffer.allocUnsafe(this.#length);
    this.#octets.copy(copy, 0, 0, this.#length);
    this.#length = 0;
    return copy;
  }

  /** Drops what was written from `length` on. */
  truncate(length: number): void {
    this.#length = length;
  }

  integer1(value: number, name: string): void {
    if (!Number.isInteger(value) || value < 0 || value > 0xff)
      throw new RangeError(`${name}: ${value} does not fit into one octet`);
    this.#reserve(1);
    this.#octets[this.#length] = value;
    this.#length += 1;
  }

  integer2(value: number, name: string): void {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff)
      throw new RangeError(`${name}: ${value} does not fit into two octets`);
    this.#reserve(2);
    this.#octets.writeUInt16BE(value, this.#length);
    this.#length += 2;
  }

  integer4(value: number): void {
    this.#reserve(4);
    this.#octets.writeUInt32BE(value, this.#length);
    this.#length += 4;
  }

  integer4At(position: number, value: number): void {
    this.#octets.writeUInt32BE(value, position);
  }

  cOctetString(text: string, maximumOctets: number, name: string): void {
    const { length } = text;
    if (length >= maximumOctets) throw new RangeError(`${name}: ${length} characters, at most ${maximumOctets - 1}`);
    this.#reserve(length + 1);
    let position = this.#length;
    for (let index = 0; index < length; index += 1, position += 1) {
      const code = text.charCodeAt(index);
      // A NUL would end the string early, and a C-Octet string has no characters above 0xff.
      if (code === 0 || code > 0xff) throw new RangeError(`${name}: character U+${code.toString(16)} cannot be sent`);
      this.#octets[position] = code;
    }
    this.#octets[position] = 0;
    this.#length = position + 1;
  }

  octets(value: Uint8Array): void {
    const { length } = value;
    this.#reserve(length);
    if (length <= shortTextLength) {
      for (let index = 0; index < length; index += 1) this.#octets[this.#length + index] = value[index] ?? 0;
    } else {
      this.#octets.set(value, this.#length);
    }
    this.#length += length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#octets.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#octets.length * 2));
    this.#octets.copy(larger, 0, 0, this.#length);
    this.#octets = larger;
  }
}
