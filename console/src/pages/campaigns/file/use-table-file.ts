// A file in the hands of the worker that reads it.
import { useEffect, useRef, useState } from "react";
import type { TableColumns } from "../../../../../src/tables/table.ts";
import type { CampaignCells, CheckedRows, Columns } from "./campaign-rows.ts";
import type { WorkerAnswer, WorkerRequest } from "./table-worker.ts";

type TableFile =
  | { readonly kind: "none" | "reading" }
  | Extract<WorkerAnswer, { kind: "fault" }>
  | Extract<WorkerAnswer, { kind: "read" }>;

const notReadable = { kind: "fault", fault: "notReadable" } as const;

export function useTableFile() {
  const worker = useRef<Worker>(undefined);
  const requests = useRef(0);
  const [file, setFile] = useState<TableFile>({ kind: "none" });
  useEffect(() => () => worker.current?.terminate(), []);
  const ask = (request: WorkerRequest): Promise<WorkerAnswer> => {
    const to = worker.current;
    if (to === undefined) return Promise.resolve(notReadable);
    requests.current += 1;
    const id = requests.current;
    return new Promise((resolve) => {
      const listen = ({ data }: MessageEvent<WorkerAnswer & { readonly id: number }>): void => {
        if (data.id !== id) return;
        to.removeEventListener("message", listen);
        resolve(data);
      };
      to.addEventListener("message", listen);
      to.addEventListener("error", () => resolve(notReadable), { once: true });
      to.postMessage({ ...request, id });
    });
  };
  return {
    file,
    /** A worker for each file: the one before is given up with all that it read. */
    read: async (chosen: File): Promise<TableFile> => {
      worker.current?.terminate();
      worker.current = new Worker(new URL("./table-worker.ts", import.meta.url), { type: "module" });
      setFile({ kind: "reading" });
      const answer = await ask({ kind: "read", file: chosen });
      const next: TableFile = answer.kind === "read" || answer.kind === "fault" ? answer : notReadable;
      setFile(next);
      return next;
    },
    check: async (columns: TableColumns): Promise<CheckedRows | undefined> => {
      const answer = await ask({ kind: "check", columns });
      return answer.kind === "checked" ? answer.checked : undefined;
    },
    /** The rows of the next call. Undefined: the file is not in our hands any more, as it says. */
    take: async (columns: Columns, from: number): Promise<readonly CampaignCells[] | undefined> => {
      const answer = await ask({ kind: "take", columns, from });
      if (answer.kind === "taken") return answer.rows;
      setFile(answer.kind === "fault" ? answer : notReadable);
      return undefined;
    },
  };
}

/** Which rows have a number in the column. Undefined while that is looked up. */
export function useChecked(
  file: TableFile,
  check: ReturnType<typeof useTableFile>["check"],
  number: number,
  hasNames: boolean,
): CheckedRows | undefined {
  const [checked, setChecked] = useState<CheckedRows>();
  const ask = useRef(check);
  useEffect(() => {
    setChecked(undefined);
    if (file.kind !== "read") return undefined;
    let isCurrent = true;
    void ask.current({ number, hasNames }).then((found) => isCurrent && setChecked(found));
    return () => {
      isCurrent = false;
    };
  }, [file, number, hasNames]);
  return checked;
}
