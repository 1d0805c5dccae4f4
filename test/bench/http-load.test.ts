import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpLoad, type LoadOptions } from "../../bench/http-load.ts";

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());
afterEach(() => server?.close());

async function serve(answer: (call: number) => { status: number; afterMs: number }): Promise<number> {
  let calls = 0;
  server = createServer((request, response) => {
    request.resume();
    const { status, afterMs } = answer((calls += 1));
    setTimeout(() => response.writeHead(status, { "content-length": 2 }).end("{}"), afterMs);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const usual: Omit<LoadOptions, "port"> = {
  connections: 1,
  warmUpSeconds: 0.1,
  seconds: 0.5,
  callsPerSecond: 0,
  kind: "single",
  key: "key",
  trace: false,
};

describe("HttpLoad", () => {
  it("counts the calls that a stall delayed from when they were due, and makes all of them", async () => {
    // Call 20 is due about 100 ms into the counted time.
    const port = await serve((call) => ({ status: 200, afterMs: call === 20 ? 300 : 0 }));
    const result = await new HttpLoad({ ...usual, port, callsPerSecond: 100 }).run(() => undefined);
    expect(result.answered).toBeGreaterThanOrEqual(48);
    expect(result.latencyMs.most).toBeGreaterThan(280);
    // The thirty calls that fell due during the stall waited 150 ms on average; without them the
    // 90th percentile would be a few ms.
    expect(result.latencyMs.p90).toBeGreaterThan(100);
  });

  it("tells when the counted time begins and ends, and counts what was answered in between", async () => {
    const port = await serve(() => ({ status: 200, afterMs: 0 }));
    const lines: string[] = [];
    const result = await new HttpLoad({ ...usual, port, connections: 4, warmUpSeconds: 1 }).run((line) =>
      lines.push(line),
    );
    expect(lines).toEqual(["measuring", "measured"]);
    expect(result.answered).toBeGreaterThan(0);
    expect(result.answeredInAll).toBeGreaterThan(result.answered);
    expect(result.seconds).toBeGreaterThanOrEqual(0.49);
  });
});
