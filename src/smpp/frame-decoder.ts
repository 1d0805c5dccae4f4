/**
 * Cuts a byte stream into PDUs by command_length (SMPP 3.4 §3.2), however it is split into chunks.
 * A frame that lies within one chunk is a view of it. A frame that spans chunks is copied once.
 */

import { maximumPduOctets, minimumPduOctets } from "./constants.ts";

/** The stream cannot be read any further: after a wrong length, the next PDU cannot be found. */
export interface FramingLost {
  readonly commandLength: number;
  /** Of the faulty PDU where it can be read, else 0 (SMPP 3.4 §4.3.1). */
  readonly sequenceNumber: number;
}

const lengthOctets = 4;

export class FrameDecoder {
  /** An incomplete frame: only its length field at first, then all of it. */
  #partial: Buffer | undefined;
  #filled = 0;
  #lost: FramingLost | undefined;

  /** Calls `onFrame` for each whole PDU in order. After framing is lost, all input is ignored. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): FramingLost | undefined {
    let position = 0;
    while (position < chunk.length && this.#lost === undefined) {
      if (this.#partial !== undefined) {
        position = this.#fill(this.#partial, chunk, position, onFrame);
        continue;
      }
      const available = chunk.length - position;
      const length = available < lengthOctets ? undefined : chunk.readUInt32BE(position);
      if (length !== undefined && !isBelievable(length)) {
        this.#lost = { commandLength: length, sequenceNumber: sequenceNumberAt(chunk, position, length) };
      } else if (length !== undefined && length <= available) {
        onFrame(chunk.subarray(position, position + length));
        position += length;
      } else {
        this.#partial = Buffer.allocUnsafe(length ?? lengthOctets);
        this.#filled = 0;
      }
    }
    return this.#lost;
  }

  #fill(partial: Buffer, chunk: Buffer, position: number, onFrame: (frame: Buffer) => void): number {
    const copied = Math.min(partial.length - this.#filled, chunk.length - position);
    chunk.copy(partial, this.#filled, position, position + copied);
    this.#filled += copied;
    if (this.#filled < partial.length) return position + copied;
    if (partial.length > lengthOctets) {
      this.#partial = undefined;
      onFrame(partial);
      return position + copied;
    }
    const length = partial.readUInt32BE(0);
    if (isBelievable(length)) {
      this.#partial = Buffer.allocUnsafe(length);
      partial.copy(this.#partial);
    } else {
      this.#lost = { commandLength: length, sequenceNumber: 0 };
    }
    return position + copied;
  }
}

function isBelievable(commandLength: number): boolean {
  return commandLength >= minimumPduOctets && commandLength <= maximumPduOctets;
}

function sequenceNumberAt(chunk: Buffer, position: number, commandLength: number): number {
  if (commandLength < minimumPduOctets || chunk.length - position < minimumPduOctets) return 0;
  return chunk.readUInt32BE(position + 12);
}
