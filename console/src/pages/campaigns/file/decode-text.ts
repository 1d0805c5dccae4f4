// The text of a CSV file, whatever wrote it: UTF-8, UTF-16 with or without its mark, or
// Windows-1256, in which older programs save Persian. Pure.

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | "windows-1256" {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return unmarkedUtf16(bytes) ?? (isUtf8(bytes) ? "utf-8" : "windows-1256");
}

const sampleBytes = 4096;

/**
 * Digits and separators have a zero octet in UTF-16, on the same side of each pair; texts in other
 * encodings have none.
 */
function unmarkedUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  let even = 0;
  let odd = 0;
  sample.forEach((octet, index) => {
    if (octet !== 0) return;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  });
  if (Math.max(even, odd) < sample.length / 8) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
