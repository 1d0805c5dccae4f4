import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureTokenKey, replaceTokenKey, tokenKeyRotation } from "../../src/credentials/access-token.ts";
import { rotateTokenKey } from "../../src/store/credentials.ts";
import { loadConfiguration, type TokenKeyRow } from "../../src/store/configuration.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const options = () => ({ database: database.db, tokenLifetimeSeconds: 3600 });
const keys = async (): Promise<readonly TokenKeyRow[]> => (await database.db.transaction(loadConfiguration)).tokenKeys;

it("makes one key, however many nodes start at once, and none where there is one", async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => ensureTokenKey(options())));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await keys()).toMatchObject([{ secret: expect.objectContaining({ length: 32 }) as unknown }]);
  expect(await ensureTokenKey(options())).toBe(false);
});

it("retires the old key only when the last token that it signed has expired", async () => {
  await ensureTokenKey(options());
  const { version } = await database.db.transaction(loadConfiguration);
  await replaceTokenKey(options());
  const [old, fresh] = await keys();
  expect(fresh).not.toHaveProperty("retiredAt");
  const lasts = (old?.retiredAt?.getTime() ?? 0) - (fresh?.createdAt.getTime() ?? 0);
  expect(lasts).toBeGreaterThanOrEqual(3_600_000);
  expect((await database.db.transaction(loadConfiguration)).version).toBe(version + 1n);
});

it("changes a key that is 90 days old by itself, and drops what nobody needs any more", async () => {
  await ensureTokenKey(options());
  const age = (text: string) => database.db.query({ name: text.slice(0, 60), text, values: [] });
  await age("update token_key set created_at = now() - interval '91 days'");
  const rotation = tokenKeyRotation({ ...options(), telemetry: new Telemetry() });
  expect(await rotation.runNow()).toEqual({ rotated: 1 });
  expect(await rotation.runNow()).toEqual({ rotated: 0 });
  expect(await keys()).toHaveLength(2);
  await age("update token_key set retired_at = now() - interval '1 second' where retired_at is not null");
  await replaceTokenKey(options());
  expect(await keys()).toHaveLength(2);
});

it("makes a key although another was made after its transaction began", async () => {
  await ensureTokenKey(options());
  const { db } = database;
  await db.transaction(async (tx) => {
    await tx.query(statement("select now()"));
    await replaceTokenKey(options());
    const key = { secret: Buffer.alloc(32), unlessYoungerThanSeconds: 0, retireAfterSeconds: null };
    expect(await rotateTokenKey(tx, key)).toBeDefined();
  });
  expect(await keys()).toHaveLength(1);
});
