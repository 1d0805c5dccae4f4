import { expect, it } from "vitest";
import { saveKeyUses } from "../../src/credentials/api-keys.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { useWorld } from "../support/factories.ts";

const world = useWorld();

async function usedKeys(): Promise<readonly string[]> {
  const keys = await world.rows<{ name: string }>("select name from api_key where last_used_at is not null order by 1");
  return keys.map(({ name }) => name);
}

it("saves a use also if the database did not take it at first", async () => {
  await world.rows(
    `insert into api_key (account_id, name, key_sha256) select $1, name, decode(hash, 'hex')
       from (values ('first', 'aa'), ('later', 'bb'), ('unused', 'cc')) as key (name, hash)`,
    [world.account().id],
  );
  const uses = new Set<string>();
  const service = saveKeyUses({ database: world.db, uses, telemetry: new Telemetry() });
  uses.add("aa");
  await world.rows("alter table api_key rename to key_away");
  await expect(service.runNow()).rejects.toThrow();
  await world.rows("alter table key_away rename to api_key");
  expect(await usedKeys()).toEqual([]);
  uses.add("bb");
  await service.runNow();
  expect(await usedKeys()).toEqual(["first", "later"]);
});
