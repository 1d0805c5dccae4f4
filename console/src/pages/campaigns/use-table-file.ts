// A file in the hands of the worker that reads it.
import { useEffect, useRef, useState } from "react";
import type { Columns } from "./file/columns.ts";
import type { FileFault, Rows } from "./file/table.ts";
import type { WorkerAnswer, WorkerRequest } from "./file/table-worker.ts";

export type TableFile =
  | { readonly kind: "none" | "reading" }
  | { readonly kind: "fault"; readonly fault: FileFault }
  | Extract<WorkerAnswer, { kind: "read" }>;

export function useTableFile() {
  const worker = useRef<Worker>(undefined);
  const [file, setFile] = useState<TableFile>({ kind: "none" });
  useEffect(() => () => worker.current?.terminate(), []);
  const ask = (request: WorkerRequest): Promise<WorkerAnswer> => {
    const to = worker.current;
    if (to === undefined) return Promise.resolve({ kind: "fault", fault: "notReadable" });
    return new Promise((resolve) => {
      to.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => resolve(data), { once: true });
      to.addEventListener("error", () => resolve({ kind: "fault", fault: "notReadable" }), { once: true });
      to.postMessage(request);
    });
  };
  return {
    file,
    /** A worker for each file: the one before is given up with all that it read. */
    read: async (chosen: File): Promise<TableFile> => {
      worker.current?.terminate();
      worker.current = new Worker(new URL("./file/table-worker.ts", import.meta.url), { type: "module" });
      setFile({ kind: "reading" });
      const answer = await ask({ kind: "read", file: chosen });
      const next: TableFile = answer.kind === "taken" ? { kind: "fault", fault: "notReadable" } : answer;
      setFile(next);
      return next;
    },
    /** The rows of the next call. Undefined: the file is not in our hands any more, as it says. */
    take: async (columns: Columns, from: number): Promise<Rows | undefined> => {
      const answer = await ask({ kind: "take", columns, from });
      if (answer.kind === "taken") return answer.rows;
      setFile({ kind: "fault", fault: answer.kind === "fault" ? answer.fault : "notReadable" });
      return undefined;
    },
  };
}
