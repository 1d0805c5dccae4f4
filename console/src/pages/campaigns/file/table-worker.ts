// Reads a file beside the page, so that the page stays quick, and keeps its rows until they are
// sent up.
import type { FileFault } from "../../../../../src/tables/file-faults.ts";
import { readTable } from "../../../../../src/tables/read-table.ts";
import {
  type CellPlace,
  expectPlainTexts,
  FileProblem,
  findColumns,
  maximumFileBytes,
  type TableColumns,
  type TableRow,
} from "../../../../../src/tables/table.ts";
import { type CampaignCells, type CheckedRows, checkRows, type Columns, takeRows } from "./campaign-rows.ts";

export type WorkerRequest =
  | { readonly kind: "read"; readonly file: File }
  | { readonly kind: "check"; readonly columns: TableColumns }
  | { readonly kind: "take"; readonly columns: Columns; readonly from: number };

export type WorkerAnswer =
  | {
      readonly kind: "read";
      readonly rows: number;
      readonly sample: readonly (readonly string[])[];
      readonly columns: TableColumns;
    }
  | { readonly kind: "checked"; readonly checked: CheckedRows }
  | { readonly kind: "taken"; readonly rows: readonly CampaignCells[] }
  | { readonly kind: "fault"; readonly fault: FileFault; readonly place?: CellPlace | undefined };

/** The rows of a campaign, and a line of names. */
const maximumRows = 100_001;
const shownRows = 6;
const chunkBytes = 1 << 20;
let rows: TableRow[] = [];

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if (request.kind === "take") return { kind: "taken", rows: takeRows(rows, request.columns, request.from) };
  if (request.kind === "check") return { kind: "checked", checked: checkRows(rows, request.columns) };
  const columns = await readRows(request.file);
  return { kind: "read", rows: rows.length, sample: rows.slice(0, shownRows).map(({ cells }) => cells), columns };
}

/** Throws FileProblem. */
async function readRows(file: File): Promise<TableColumns> {
  if (file.size > maximumFileBytes) throw new FileProblem("tooLarge");
  rows = [];
  let columns: TableColumns | undefined;
  for await (const some of readTable({ name: file.name, chunks: chunksOf(file) })) {
    columns ??= findColumns(some);
    for (const row of some) expectPlainTexts(row, columns.number);
    rows = rows.concat(some);
    if (rows.length > maximumRows) throw new FileProblem("tooManyRows");
  }
  if (columns === undefined) throw new FileProblem("empty");
  return columns;
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += chunkBytes)
    yield new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer());
}

self.addEventListener(
  "message",
  ({ data: { id, ...request } }: MessageEvent<WorkerRequest & { readonly id: number }>) => {
    answer(request).then(
      (given) => self.postMessage({ ...given, id }),
      (error: unknown) => {
        const { fault, place } = error instanceof FileProblem ? error : { fault: "notReadable", place: undefined };
        self.postMessage({ kind: "fault", fault, place, id });
      },
    );
  },
);
