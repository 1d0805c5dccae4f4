import { afterAll, beforeAll, expect, it } from "vitest";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { settleCallsInDoubt } from "../../src/store/calls-in-doubt.ts";
import { callOf, count, openWorld, readMoney, type World } from "../support/factories.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld({ accounts: [{ name: "rich" }] });
});

afterAll(async () => {
  await world.close();
});

it("case 54: the stored ones are found by their ids; the others can never be stored afterwards", async () => {
  const [stored, lost] = [
    callOf(world, { account: world.account("rich") }),
    callOf(world, { account: world.account("rich") }),
  ];
  await storeCalls(world.db, [stored]);
  expect(await settleCallsInDoubt(world.db, [stored, lost])).toEqual(new Set([stored.batchId]));
  await expect(storeCalls(world.db, [lost])).rejects.toThrow(/ledger_entry/);
  await expect(storeCalls(world.db, [lost])).rejects.toThrow(/ledger_entry/);
  expect(await settleCallsInDoubt(world.db, [stored, lost])).toEqual(new Set([stored.batchId]));
  const { balance, ledger } = await readMoney(world, world.account("rich"));
  expect(balance).toBe(ledger);
  expect(await count(world, "message")).toBe(1);
});
