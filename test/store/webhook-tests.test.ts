import { expect, it } from "vitest";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { useWorld } from "../support/factories.ts";
import { receiverSecret } from "../support/webhook-receiver.ts";
import { takeTest } from "../../src/store/webhook-attempts.ts";

const world = useWorld();

async function endpoint(): Promise<string> {
  const id = uuidv7();
  await world.rows(
    `insert into webhook_endpoint (id, account_id, name, url, events, secret)
     select $1, min(id), $2, 'https://shop.example/', '{*}', $3 from account`,
    [id, id, receiverSecret],
  );
  return id;
}

it("allows ten tests in a minute, also to nodes that ask at the same moment", async () => {
  const id = await endpoint();
  const turns = await Promise.all(Array.from({ length: 30 }, () => takeTest(world.db, id, 10)));
  const remaining = turns.filter((turn) => turn?.allowed).map((turn) => turn?.remaining);
  expect(remaining.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const refused = await takeTest(world.db, id, 10);
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  expect(refused?.waitSeconds).toBeGreaterThan(50);
  expect(refused?.waitSeconds).toBeLessThanOrEqual(60);
  expect(await takeTest(world.db, await endpoint(), 10)).toMatchObject({ allowed: true, remaining: 9 });
});
