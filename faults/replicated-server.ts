// A PostgreSQL of two servers: a primary, and a standby that every commit waits for. Reached
// through a TCP address of its own, as through a virtual address or a proxy that follows the
// primary.
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findBinaries, type PostgresBinaries } from "../src/postgres/binaries.ts";
import { administrator, createCluster, giveTo } from "../src/postgres/cluster.ts";
import { chooseLauncher, writeDatabaseFile } from "../src/postgres/launcher.ts";
import {
  type RunningServer,
  startServer,
  stopServer,
  makeSocketFolder,
  removeSocketFolder,
  type SocketFolder,
} from "../src/postgres/server.ts";
import { type DatabaseServer, execute, removeFolder, temporaryFolder } from "./servers.ts";

/** Standby and primary alike: after the promotion it is the other way round. */
const settings = {
  max_connections: "100",
  wal_level: "replica",
  max_wal_senders: "10",
  hot_standby: "on",
  wal_receiver_status_interval: "1s",
};

const socketFile = ".s.PGSQL.5432";

/** One of the two servers, in a folder of its own. */
class OneServer implements DatabaseServer {
  readonly dataDir = temporaryFolder();
  readonly folder = path.join(this.dataDir, "postgres");
  #socket: SocketFolder | undefined;
  #running: RunningServer | undefined;

  get socketFolder(): string {
    return this.#socket?.path ?? "";
  }

  get url(): string {
    return `postgresql://${administrator}@localhost/postgres?host=${encodeURIComponent(this.socketFolder)}`;
  }

  async start(binaries: PostgresBinaries): Promise<void> {
    const { owner } = binaries.launcher;
    if (owner) giveTo(owner, this.folder);
    this.#socket = makeSocketFolder(binaries.launcher, this.folder);
    const place = { folder: this.folder, socket: this.#socket, logFile: `${this.dataDir}/postgres.log` };
    this.#running = await startServer(binaries, place, settings, () => undefined);
  }

  async stop(): Promise<void> {
    if (this.#running) await stopServer(this.#running.pid);
    this.#running = undefined;
  }

  /** The server and all its sessions at once. */
  kill(): void {
    if (this.#running) process.kill(-this.#running.pid, "SIGKILL");
    this.#running = undefined;
  }

  async remove(): Promise<void> {
    this.kill();
    if (this.#socket) removeSocketFolder(this.#socket);
    await removeFolder(this.dataDir);
  }
}

export class ReplicatedServer implements DatabaseServer {
  readonly #primary = new OneServer();
  readonly #standby = new OneServer();
  readonly #sockets = new Set<Socket>();
  readonly #address: Server;
  /** Whom the address leads to; undefined: nobody. */
  #target: OneServer | undefined;

  constructor() {
    this.#address = createServer((client) => this.#lead(client));
  }

  get url(): string {
    const { port } = this.#address.address() as AddressInfo;
    return `postgresql://${administrator}@127.0.0.1:${port}/postgres`;
  }

  /** Over when the standby follows, and commits wait for it. */
  async start(): Promise<void> {
    const [primary, standby] = [this.#primary, this.#standby];
    mkdirSync(primary.dataDir, { recursive: true });
    // The standby reaches the primary's socket below it. A folder that root makes for itself would
    // be closed to the database's user.
    chmodSync(primary.dataDir, 0o711);
    // One user for both: the standby reads the primary's socket.
    const binaries = findBinaries(chooseLauncher(primary.dataDir, primary.folder), primary.dataDir, () => undefined);
    await createCluster(binaries, primary.folder, { isDurable: true });
    // Only this test has a server that others ask by TCP; it stands before it.
    const rules = "local all all trust\nlocal replication all trust\n";
    writeDatabaseFile(binaries.launcher, primary.folder, "pg_hba.conf", rules);
    await cp(primary.folder, standby.folder, { recursive: true });
    writeFileSync(path.join(standby.folder, "standby.signal"), "");
    await primary.start(binaries);
    const source = `host=${primary.socketFolder} user=${administrator} application_name=standby`;
    appendFileSync(path.join(standby.folder, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
    await standby.start(binaries);
    await execute(primary, "alter system set synchronous_standby_names = 'standby'");
    await execute(primary, "select pg_reload_conf()");
    await untilTrue(primary, "select exists (select from pg_stat_replication where sync_state = 'sync')");
    await new Promise<void>((resolve) => this.#address.listen(0, "127.0.0.1", resolve));
    this.#target = primary;
  }

  /**
   * The primary dies in the middle of its work; the standby is promoted after a moment, and the
   * address leads to it.
   */
  async failOver(noticedAfterMs: number): Promise<void> {
    this.#target = undefined;
    this.#primary.kill();
    for (const socket of this.#sockets) socket.destroy();
    await delay(noticedAfterMs);
    await execute(this.#standby, "select pg_promote()");
    this.#target = this.#standby;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#address.close();
    await this.#primary.remove();
    await this.#standby.remove();
  }

  #lead(client: Socket): void {
    if (!this.#target) {
      client.destroy();
      return;
    }
    const server = connect(path.join(this.#target.socketFolder, socketFile));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}

async function untilTrue({ url }: DatabaseServer, question: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<Record<string, boolean>>(question);
      if (Object.values(rows[0] ?? {})[0] === true) return;
      await delay(50);
    }
  } finally {
    await client.end();
  }
}
