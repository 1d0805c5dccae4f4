import { expect, it } from "vitest";
import { KeyUses, saveKeyUses } from "../../src/credentials/key-uses.ts";
import type { Database, Statement } from "../../src/store/database.ts";
import { Telemetry } from "../../src/telemetry.ts";

it("saves a use once, also if the database did not take it at first", async () => {
  const saved: unknown[] = [];
  let isAway = true;
  const query = async ({ values }: Statement): Promise<[]> => {
    if (isAway) throw new Error("away");
    saved.push(...values);
    return [];
  };
  const uses = new KeyUses();
  const database = { query } as unknown as Database;
  const service = saveKeyUses({ database, uses, telemetry: new Telemetry() });
  uses.note("aa");
  await expect(service.runNow()).rejects.toThrow("away");
  uses.note("bb");
  isAway = false;
  await service.runNow();
  await service.runNow();
  expect(saved).toEqual([["aa", "bb"]]);
});
