// The rows of a file that a person chose, whatever it is called: an Excel workbook begins as a ZIP
// archive, all else is read as CSV.
import { decodeText, readCsv } from "./read-csv.ts";
import { readXlsx } from "./read-xlsx.ts";
import { FileProblem, maximumFileBytes, type Rows } from "./table.ts";

/** Throws FileProblem. */
export async function readTable(bytes: Uint8Array): Promise<Rows> {
  if (bytes.length > maximumFileBytes) throw new FileProblem("tooLarge");
  if (beginsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw new FileProblem("oldExcel");
  const rows = beginsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) ? await readXlsx(bytes) : readCsv(decodeText(bytes));
  if (rows.length === 0) throw new FileProblem("empty");
  return rows;
}

function beginsWith(bytes: Uint8Array, octets: readonly number[]): boolean {
  return octets.every((octet, index) => bytes[index] === octet);
}
