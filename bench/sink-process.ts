// Starts a receiver of webhooks (event-sink.ts) for a benchmark, lends it, and ends it.
import type { SinkCount } from "./event-sink.ts";
import { runScript } from "./processes.ts";

export interface Sink {
  readonly port: number;
  count(): Promise<SinkCount>;
}

export async function withSink<T>(work: (sink: Sink) => Promise<T>): Promise<T> {
  const sink = runScript("event-sink.ts", ["serve"]);
  try {
    const { 1: port } = await sink.line(/^port (\d+)$/);
    const count = async (): Promise<SinkCount> => {
      sink.send("count");
      const { 1: json = "" } = await sink.line(/^count (.*)$/);
      return JSON.parse(json) as SinkCount;
    };
    return await work({ port: Number(port), count });
  } finally {
    await sink.stop("SIGKILL");
  }
}
