// The program of a worker: a node that shares the port and the machine with others. Stops when its
// parent says so. If the parent is gone, node:cluster ends the process at once, as a crash would.
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import type { FromParent, FromWorker, Task } from "./worker-handle.ts";

/** For the parent, which asks its other workers. */
const sumWithinMs = 5_000;

const abort = new AbortController();
const sums = new Map<number, (text: string) => void>();
let lastSum = 0;
let shutdownSeconds = 0;
let running: GatewayProcess | undefined;
let starting: Promise<void> = Promise.resolve();

/** Resolves when it is on its way, or the parent is gone. */
function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

async function begin({ number, config, databaseUrl }: Task): Promise<void> {
  shutdownSeconds = config.shutdownSeconds;
  try {
    running = await startGatewayProcess({
      config,
      progress: (line) => void tell({ kind: "progress", line }),
      abort: abort.signal,
      worker: { number, databaseUrl, metricsText: sumOfAll },
    });
    await tell({ kind: "ready", address: running.gateway.address });
  } catch (error) {
    if (abort.signal.aborted) return;
    await tell({ kind: "failed", reason: messageOf(error) });
    process.exit(1);
  }
}

/** Finishes work in progress, and ends the process. */
async function leave(): Promise<void> {
  if (abort.signal.aborted) return;
  abort.abort();
  setTimeout(() => process.exit(1), shutdownSeconds * 1000);
  await starting;
  try {
    await running?.stop();
    await tellMetrics();
    process.exit(0);
  } catch (error) {
    await tell({ kind: "progress", line: `stopped with an error: ${messageOf(error)}` });
    process.exit(1);
  }
}

async function tellMetrics(): Promise<void> {
  await tell({ kind: "metrics", families: (await running?.metrics.families()) ?? [] });
}

/** The metrics of all workers. */
function sumOfAll(): Promise<string> {
  lastSum += 1;
  const id = lastSum;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      sums.delete(id);
      reject(new Error("the parent of the workers does not answer"));
    }, sumWithinMs);
    sums.set(id, (text) => {
      clearTimeout(timer);
      sums.delete(id);
      resolve(text);
    });
    void tell({ kind: "sumWanted", id });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.on("message", (message: FromParent) => {
  if (message.kind === "begin") starting = begin(message.task);
  if (message.kind === "stop") void leave();
  if (message.kind === "metricsWanted") void tellMetrics();
  if (message.kind === "sum") sums.get(message.id)?.(message.text);
});
process.on("SIGTERM", () => void leave());
// A terminal sends these to all processes; the parent decides what they mean.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
void tell({ kind: "here" });
