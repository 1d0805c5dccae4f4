// Which of the forms that an asset is kept in the browser takes (RFC 9110 §12.5.3).
import { readWeightedList } from "../language.ts";

export type ContentEncoding = "br" | "gzip" | "identity";

/** Browsers write a tenth of it. A longer list is taken for none. */
const maximumHeaderCharacters = 500;

/** The smallest form that is accepted; as it is, where none is. */
export function acceptedEncoding(header: string | undefined, kept: readonly ContentEncoding[]): ContentEncoding {
  if (header === undefined || header.length > maximumHeaderCharacters) return "identity";
  const accepted = new Set<string>();
  for (const { name, weight } of readWeightedList(header)) if (weight !== 0) accepted.add(name);
  const preferred: readonly ContentEncoding[] = ["br", "gzip"];
  return preferred.find((encoding) => kept.includes(encoding) && accepted.has(encoding)) ?? "identity";
}
