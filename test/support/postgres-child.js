// A process that owns an embedded PostgreSQL, to be killed by tests: prints its url and the
// server's pid, then waits. Told "exit", it ends without stopping anything; told "stop", or nothing
// any more, in order. Plain JavaScript on the built product, as bin/hodhod is: to compile it takes
// several times as long as all else that it does.
import process from "node:process";
import { createInterface } from "node:readline";
import { ensureBuilt } from "../../bin/build.js";

ensureBuilt();
const { startEmbeddedPostgres } = await import("../../dist/postgres/embedded-postgres.js");
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
