// A PgBouncer of our own on a unix socket, before the test cluster. PGBOUNCER names the program,
// where it is not the one on the path.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabaseWire } from "./database-wire.ts";

/** Of the socket's file name; nothing listens on a port. */
const port = 6432;
const nobody = 65_534;
const program = process.env["PGBOUNCER"] ?? ["/usr/sbin/pgbouncer"].find((file) => existsSync(file)) ?? "pgbouncer";
/** Since then it knows named prepared statements where transactions share sessions. */
const preparedSince = [1, 21] as const;

/** Why the gateway cannot be tested with it here; undefined: it can. */
export function lackOfPgBouncer(poolMode: PoolMode): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  const [, major = "0", minor = "0"] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  if (status !== 0) return "pgbouncer is not installed";
  const [sinceMajor, sinceMinor] = preparedSince;
  const isOld = Number(major) < sinceMajor || (Number(major) === sinceMajor && Number(minor) < sinceMinor);
  return poolMode === "transaction" && isOld
    ? `pgbouncer ${major}.${minor} has no max_prepared_statements: ${preparedSince.join(".")} or newer is needed`
    : undefined;
}

export type PoolMode = "session" | "transaction";

export interface PgBouncer {
  /** Of the database, through it. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPgBouncer(
  databaseUrl: string,
  { poolMode, poolSize }: { poolMode: PoolMode; poolSize: number },
): Promise<PgBouncer> {
  // The test cluster's socket may lie where its user cannot walk.
  const wire = await openDatabaseWire(databaseUrl);
  const direct = new URL(wire.url);
  const database = direct.pathname.slice(1);
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-pgbouncer-"));
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, nobody, nobody);
  const file = path.join(folder, "pgbouncer.ini");
  const server = `host=${direct.hostname} port=${direct.port} user=${direct.username}`;
  const password = direct.password === "" ? "" : ` password=${direct.password}`;
  const lines = [
    `[databases]\n${database} = ${server}${password}`,
    `[pgbouncer]\nunix_socket_dir = ${folder}\nlisten_port = ${port}\nauth_type = any`,
    `pool_mode = ${poolMode}\ndefault_pool_size = ${poolSize}\nmax_client_conn = 500`,
    ...(poolMode === "transaction" ? ["max_prepared_statements = 200"] : []),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const child = spawn(program, [...(isRoot ? ["-u", "nobody"] : []), file], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (/process up/.test(log)) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`pgbouncer ended: ${log}`)));
  });
  return {
    url: `postgresql://${direct.username}@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`,
    stop: async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await wire.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
