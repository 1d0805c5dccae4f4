// The database of a gateway that was started once and never used.
import { readConfig } from "../src/platform/config.ts";
import { startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { prepareDatabase } from "../src/app/prepare-database.ts";
import { Database } from "../src/store/database.ts";

/** Leaves a stopped database in the data folder. */
export async function makeStartedFolder(dataDir: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off" } });
  try {
    await prepareAsAtStart(postgres.url);
  } finally {
    await postgres.stop();
  }
}

/** What the first start of a gateway does to an empty database. */
export async function prepareAsAtStart(url: string): Promise<void> {
  const db = Database.open({ url, poolSize: 2 });
  try {
    await prepareDatabase({ config: readConfig({}), db });
  } finally {
    await db.close();
  }
}
