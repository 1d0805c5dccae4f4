// A PostgreSQL of two servers: a primary, and a standby that every commit waits for. Reached
// through one address that follows the primary: a link to the folder of its socket.
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { administrator } from "../src/postgres/cluster.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { holdsWithin } from "../bench/look.ts";
import { type DatabaseServer, execute, removeFolder, startedFolder, temporaryFolder } from "./servers.ts";

/** Standby and primary alike: after the promotion it is the other way round. */
const settings = {
  max_connections: "100",
  wal_level: "replica",
  max_wal_senders: "10",
  wal_receiver_status_interval: "1s",
};
const startMs = 30_000;

const socketFolderOf = ({ adminUrl }: EmbeddedPostgres): string => new URL(adminUrl).searchParams.get("host") ?? "";

export class ReplicatedServer implements DatabaseServer {
  readonly #folder = temporaryFolder();
  readonly #address = path.join(this.#folder, "primary");
  readonly #dataDirs: string[] = [];
  #primary: EmbeddedPostgres | undefined;
  #standby: EmbeddedPostgres | undefined;

  get url(): string {
    return `postgresql://${administrator}@localhost/postgres?host=${encodeURIComponent(this.#address)}`;
  }

  /** Over when the standby follows, and commits wait for it. */
  async start(): Promise<void> {
    const primary = await this.#startOne(settings);
    this.#primary = primary;
    await execute(
      primary.adminUrl,
      `copy (values ('local all all peer map=hodhod'), ('local replication all trust')) to '/proc/self/cwd/pg_hba.conf'`,
    );
    await execute(primary.adminUrl, "alter system set synchronous_standby_names = 'standby'");
    await execute(primary.adminUrl, "select pg_reload_conf()");
    const source = `host=${socketFolderOf(primary)} user=${administrator} application_name=standby`;
    this.#standby = await this.#startOne({ ...settings, primary_conninfo: source }, "standby.signal");
    const isFollowed = async (): Promise<boolean> =>
      (await execute(primary.adminUrl, "select from pg_stat_replication where sync_state = 'sync'")).rowCount === 1;
    if (!(await holdsWithin(startMs, isFollowed))) throw new Error("the standby does not follow");
    symlinkSync(socketFolderOf(primary), this.#address);
  }

  async #startOne(given: Readonly<Record<string, string>>, signal?: string): Promise<EmbeddedPostgres> {
    const dataDir = await startedFolder();
    this.#dataDirs.push(dataDir);
    // The standby reaches the primary's socket below it. A folder that root makes for itself would
    // be closed to the database's user.
    chmodSync(dataDir, 0o711);
    if (signal !== undefined) writeFileSync(path.join(dataDir, "postgres", signal), "");
    return startEmbeddedPostgres({ dataDir, settings: given });
  }

  /**
   * The primary dies in the middle of its work; the standby is promoted after a moment, and the
   * address leads to it.
   */
  async failOver(noticedAfterMs: number): Promise<void> {
    const [primary, standby] = [this.#primary, this.#standby];
    if (!primary || !standby) throw new Error("it is not started");
    // It starts again, but nobody reaches it any more.
    rmSync(this.#address);
    process.kill(-primary.pid, "SIGKILL");
    await delay(noticedAfterMs);
    await execute(standby.adminUrl, "select pg_promote()");
    symlinkSync(socketFolderOf(standby), this.#address);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#primary?.stop(), this.#standby?.stop()]);
    for (const folder of [...this.#dataDirs, this.#folder]) await removeFolder(folder);
  }
}
