// Generates db/schema.sql from db/migrations (`npm run docs`), using a temporary database.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../platform/config.ts";
import { describeSchema } from "../store/describe-schema.ts";
import { openDatabase } from "./open-database.ts";

async function dumpSchema(): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "hodhod-schema-"));
  try {
    const { db, close } = await openDatabase({ ...readConfig({}), dataDir }, { create: true });
    const text = await describeSchema(db);
    await close();
    await writeFile(new URL("../../db/schema.sql", import.meta.url), text);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await dumpSchema();
