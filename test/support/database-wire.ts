// A wire between a Database and its server that tests can break: as a whole, or at the moment when
// a certain statement passes.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { eventually, found, lockWaiters } from "./factories.ts";
import { statement } from "./database.ts";
import { type Answer, openTestApi, type TestApi } from "./test-api.ts";
import { Database } from "../../src/store/database.ts";
import type { Telemetry } from "../../src/platform/telemetry.ts";

/**
 * Where a statement's connection is cut: before the server has it, or after the server has carried
 * it out.
 */
export type Cut = "before the server" | "after the server";

export interface DatabaseWire {
  readonly db: Database;
  /** For a further Database over the same wire. */
  readonly url: string;
  /** Breaks every connection, and lets none be made until `mend`. */
  break(): void;
  mend(): void;
  /**
   * New sessions hear no notifications, as behind a pooler: their LISTEN is taken and forgotten.
   */
  deafen(): void;
  /** From now on nothing passes any more in either direction, and nobody is told. */
  silence(): void;
  /** The next connection that carries a statement of that name is cut. */
  cutAt(statementName: string, cut: Cut): void;
  close(): Promise<void>;
}

export async function openDatabaseWire(serverUrl: string, telemetry?: Telemetry): Promise<DatabaseWire> {
  const { hostname, port, searchParams } = new URL(serverUrl);
  const folder = searchParams.get("host");
  const target =
    folder === null ? { host: hostname, port: Number(port || 5432) } : { path: `${folder}/.s.PGSQL.${port || "5432"}` };
  const sockets = new Set<Socket>();
  let broken = false;
  let silent = false;
  let deaf = false;
  let armed: { name: string; cut: Cut } | undefined;
  const server = createServer((client) => {
    if (broken) {
      client.destroy();
      return;
    }
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.end());
    upstream.on("close", () => client.destroy());
    client.on("data", (chunk) => {
      if (silent) return;
      const cut = armed !== undefined && chunk.includes(armed.name) ? armed.cut : undefined;
      if (cut !== undefined) armed = undefined;
      if (cut === "before the server") client.destroy();
      else upstream.write(deaf ? withoutListen(chunk) : chunk);
      if (cut === "after the server") upstream.prependOnceListener("data", () => client.destroy());
    });
    upstream.on("data", (chunk) => {
      if (!client.destroyed && !silent) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(serverUrl);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const db = Database.open({ url: url.href, poolSize: 5, ...(telemetry === undefined ? {} : { telemetry }) });
  return {
    db,
    url: url.href,
    break: () => {
      broken = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => {
      broken = false;
      silent = false;
    },
    deafen: () => {
      deaf = true;
    },
    silence: () => {
      silent = true;
    },
    cutAt: (name, cut) => {
      armed = { name, cut };
    },
    close: async () => {
      await db.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A LISTEN becomes a comment of the same length, which is answered like one. */
function withoutListen(chunk: Buffer): Buffer {
  return Buffer.from(chunk.toString("latin1").replaceAll("listen hodhod_", "--isten hodhod_"), "latin1");
}

/**
 * What a service answers to a call if the database is lost while it commits, after the server has
 * carried the commit out. The call waits for `table`, so that the wire is cut in time.
 */
export async function answerToCutCommit(
  { db }: TestApi,
  table: string,
  ask: (over: TestApi) => Promise<Answer>,
): Promise<Answer> {
  const wire = await openDatabaseWire(db.url);
  const over = await openTestApi({}, { database: { db: wire.db, drop: () => wire.close() } });
  try {
    let answering: Promise<Answer> | undefined;
    await db.transaction(async (tx) => {
      await tx.query(statement(`lock table ${table} in exclusive mode`));
      answering = ask(over);
      await eventually(async () => (await db.query(statement(lockWaiters))).length > 0);
      wire.cutAt("commit", "after the server");
    });
    return found(await answering);
  } finally {
    await over.close();
  }
}
