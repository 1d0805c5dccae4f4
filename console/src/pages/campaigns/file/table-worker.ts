// Reads a file beside the page, so that the page stays quick, and keeps its rows until they are
// sent up.
import { readTable } from "./read-table.ts";
import {
  type Columns,
  type FileFault,
  FileProblem,
  guessColumns,
  maximumFileBytes,
  type Rows,
  takeRows,
} from "./table.ts";

export type WorkerRequest =
  | { readonly kind: "read"; readonly file: File }
  | { readonly kind: "take"; readonly columns: Columns; readonly from: number };

export type WorkerAnswer =
  | {
      readonly kind: "read";
      readonly rows: number;
      readonly sample: Rows;
      readonly guess: Pick<Columns, "hasNames" | "number">;
    }
  | { readonly kind: "taken"; readonly rows: Rows }
  | { readonly kind: "fault"; readonly fault: FileFault };

const sampleRows = 6;
let rows: Rows = [];

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if (request.kind === "take") return { kind: "taken", rows: takeRows(rows, request.columns, request.from) };
  if (request.file.size > maximumFileBytes) throw new FileProblem("tooLarge");
  rows = await readTable(new Uint8Array(await request.file.arrayBuffer()));
  return { kind: "read", rows: rows.length, sample: rows.slice(0, sampleRows), guess: guessColumns(rows) };
}

self.addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => {
  answer(data).then(
    (given) => self.postMessage(given),
    (error: unknown) =>
      self.postMessage({ kind: "fault", fault: error instanceof FileProblem ? error.fault : "notReadable" }),
  );
});
