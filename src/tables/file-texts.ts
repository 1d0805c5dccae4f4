// The text of a file, piece by piece, whatever wrote it: UTF-8, UTF-16 with or without its mark
// ("Unicode text" of Excel), or Windows-1256, in which Excel saves CSV in Persian. Pure.
import { FileProblem } from "./table.ts";

/** Some 2,500 rows of numbers: a few milliseconds of work. */
const pieceOctets = 32 << 10;

/** The first chunk tells the encoding. Throws FileProblem for octets that no text has. */
export async function* fileTexts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decode: ((octets: Uint8Array, isLast: boolean) => string) | undefined;
  for await (const chunk of chunks) {
    decode ??= decoderFor(chunk);
    for (let at = 0; at < chunk.length; at += pieceOctets) yield decode(chunk.subarray(at, at + pieceOctets), false);
  }
  if (decode !== undefined) yield decode(new Uint8Array(), true);
}

function decoderFor(head: Uint8Array): (octets: Uint8Array, isLast: boolean) => string {
  const utf16 = utf16Of(head);
  if (utf16 === undefined) return utf8OrWindows();
  const decoder = new TextDecoder(utf16, { fatal: true });
  return (octets, isLast) => expectText(() => decoder.decode(octets, { stream: !isLast }));
}

function expectText(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new FileProblem("notText");
  }
}

const sampleOctets = 4096;

/**
 * Without a mark, digits and separators have a zero octet in UTF-16, on the same side of each pair;
 * texts in other encodings have none.
 */
function utf16Of(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const sample = head.subarray(0, sampleOctets);
  let [even, odd] = [0, 0];
  sample.forEach((octet, index) => {
    if (octet !== 0) return;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  });
  if (Math.max(even, odd) < sample.length / 8) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

/** The first piece that is not ASCII decides. A file that continues otherwise is damaged. */
function utf8OrWindows(): (octets: Uint8Array, isLast: boolean) => string {
  let decoder = new TextDecoder("utf-8", { fatal: true });
  let isDecided = false;
  let rest = new Uint8Array();
  return (octets, isLast) => {
    const all = new Uint8Array(rest.length + octets.length);
    all.set(rest);
    all.set(octets, rest.length);
    // A character must not be divided.
    let end = all.length;
    while (!isLast && end > 0 && (all[end - 1] ?? 0) >= 0x80) end -= 1;
    if (end === 0) end = all.length;
    rest = all.slice(end);
    const piece = all.subarray(0, end);
    try {
      const text = decoder.decode(piece);
      // In ASCII each octet is a character.
      isDecided ||= text.length < piece.length;
      return text;
    } catch {
      if (isDecided || isDamagedUtf8(piece)) throw new FileProblem("notText");
      isDecided = true;
      decoder = new TextDecoder("windows-1256");
      return decoder.decode(piece);
    }
  };
}

/**
 * Whether most characters are UTF-8. Some of Windows-1256 are by chance: the octets of `گ` or `ک`
 * after another letter.
 */
function isDamagedUtf8(piece: Uint8Array): boolean {
  const text = new TextDecoder().decode(piece);
  const wrong = text.match(/\ufffd/g)?.length ?? 0;
  const right = text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0;
  return right > wrong;
}
