// The files of a ZIP archive, as far as Excel writes them: stored or deflated, without encryption.
// Unpacks with the browser's own inflater and counts what comes out, because a few octets can claim
// to be gigabytes. Pure but for that.
import { FileProblem } from "./table.ts";

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packed: Uint8Array;
}

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endLength = 22;
const longestComment = 0xffff;
const stored = 0;
const deflated = 8;

/** Throws FileProblem for what is no such archive. */
export function listZip(bytes: Uint8Array): ReadonlyMap<string, ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = findEnd(view);
    const entries = new Map<string, ZipEntry>();
    let place = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
      if (view.getUint32(place, true) !== directorySignature) throw new FileProblem("notReadable");
      const nameLength = view.getUint16(place + 28, true);
      const name = new TextDecoder().decode(slice(bytes, place + 46, nameLength));
      const packed = contentOf(bytes, view, view.getUint32(place + 42, true), view.getUint32(place + 20, true));
      entries.set(name, { name, method: view.getUint16(place + 10, true), packed });
      place += 46 + nameLength + view.getUint16(place + 30, true) + view.getUint16(place + 32, true);
    }
    return entries;
  } catch (error) {
    if (error instanceof RangeError) throw new FileProblem("notReadable");
    throw error;
  }
}

function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - endLength - longestComment);
  for (let place = view.byteLength - endLength; place >= lowest; place -= 1)
    if (view.getUint32(place, true) === endSignature) return place;
  throw new FileProblem("notReadable");
}

function contentOf(bytes: Uint8Array, view: DataView, local: number, length: number): Uint8Array {
  if (view.getUint32(local, true) !== localSignature) throw new FileProblem("notReadable");
  return slice(bytes, local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true), length);
}

function slice(bytes: Uint8Array, start: number, length: number): Uint8Array {
  if (start + length > bytes.length) throw new FileProblem("notReadable");
  return bytes.subarray(start, start + length);
}

/** What all entries of an archive may unpack to together. */
export class UnpackBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new FileProblem("unpackedTooLarge");
  }
}

/** Gives the text of an entry piece by piece. */
export async function readEntry(
  { method, packed }: ZipEntry,
  budget: UnpackBudget,
  onText: (text: string) => void,
): Promise<void> {
  if (method !== stored && method !== deflated) throw new FileProblem("notReadable");
  const decoder = new TextDecoder();
  const source = new Response(new Uint8Array(packed)).body;
  if (source === null) return;
  const unpacked = method === stored ? source : source.pipeThrough(new DecompressionStream("deflate-raw"));
  const reader: ReadableStreamDefaultReader<Uint8Array> = unpacked.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      budget.take(value.length);
      onText(decoder.decode(value, { stream: true }));
    }
    onText(decoder.decode());
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    if (error instanceof FileProblem) throw error;
    throw new FileProblem("notReadable");
  }
}
