// A process that owns an embedded PostgreSQL, to be killed by tests: prints its url and the
// server's pid, then waits. Told "exit", it ends without stopping anything; told "stop", or nothing
// any more, in order.
import { createInterface } from "node:readline";
import { startEmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";

const [dataDir = "", purpose = "serve"] = process.argv.slice(2);
const postgres = await startEmbeddedPostgres({ dataDir, purpose: purpose === "command" ? "command" : "serve" });
process.stdout.write(`${JSON.stringify({ url: postgres.url, pid: postgres.pid })}\n`);
for await (const line of createInterface(process.stdin)) {
  if (line === "exit") process.exit(0);
  if (line === "stop") break;
}
// Also when the test that started it is gone.
await postgres.stop();
// Nothing but its input may keep a process that stopped its database from ending by itself.
process.stdin.destroy();
