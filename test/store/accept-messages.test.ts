import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  acceptCalls,
  advanceConcatenationReferences,
  findIdempotentAnswer,
  findSpendableCredit,
  settleCallsInDoubt,
} from "../../src/store/accept-messages.ts";
import { callOf, clear, count, longText, openWorld, otherPrice, readMoney, type World } from "../support/factories.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld({ accounts: [{ name: "two" }, { name: "rich" }, { name: "none", credit: 0n }] });
});

beforeEach(async () => {
  await world.rows("update account_balance set balance = $2 where account_id = $1", [
    world.account("two").id,
    2n * otherPrice,
  ]);
  await clear(world);
});

afterAll(async () => {
  await world.close();
});

const fingerprint = Buffer.from("fingerprint");

describe("acceptCalls", () => {
  it("case 53: of one account's calls in a group stores those that fit, in order, and no other account minds", async () => {
    const calls = [
      callOf(world, { messages: [{ content: longText(3) }] }),
      callOf(world),
      callOf(world, { account: world.account("none") }),
      callOf(world, { account: world.account("rich") }),
      callOf(world),
      callOf(world),
    ];
    expect(await acceptCalls(world.db, calls, 24)).toEqual([
      "unaffordable",
      "stored",
      "unaffordable",
      "stored",
      "stored",
      "unaffordable",
    ]);
    expect(await readMoney(world, world.account("two"))).toEqual({ balance: 0n, ledger: 0n });
    expect(await count(world, "message")).toBe(3);
    expect(await count(world, "message_queue")).toBe(3);
  });

  it("case 53: groups that meet at the same balance wait for each other and see what is left", async () => {
    const groups = await Promise.all(
      Array.from({ length: 6 }, () => acceptCalls(world.db, [callOf(world), callOf(world)], 24)),
    );
    expect(groups.flat().filter((fate) => fate === "stored")).toHaveLength(2);
    expect(await readMoney(world, world.account("two"))).toEqual({ balance: 0n, ledger: 0n });
  });

  it("case 2: a key that is there already keeps its answer, and its call is not stored", async () => {
    const account = world.account("rich");
    const first = callOf(world, { account, idempotency: { key: "k", fingerprint } });
    const second = callOf(world, { account, idempotency: { key: "k", fingerprint } });
    const fates = await Promise.all([acceptCalls(world.db, [first], 24), acceptCalls(world.db, [second], 24)]);
    expect(fates.flat().sort()).toEqual(["keyTaken", "stored"]);
    const kept = await findIdempotentAnswer(world.db, { accountId: account.id, key: "k", idempotencyHours: 24 });
    expect(kept?.answer).toBe((fates[0][0] === "stored" ? first : second).answer);
    expect(await count(world, "message")).toBe(1);
    expect(await count(world, "ledger_entry where kind = 'charge'")).toBe(1);
  });

  it("a call that nothing covers leaves its key free", async () => {
    const call = callOf(world, { account: world.account("none"), idempotency: { key: "free", fingerprint } });
    expect(await acceptCalls(world.db, [call], 24)).toEqual(["unaffordable"]);
    expect(await count(world, "idempotency_key")).toBe(0);
  });

  it("an account without a balance has none", async () => {
    expect(await findSpendableCredit(world.db, 9999)).toBe(0n);
  });
});

describe("calls in doubt", () => {
  it("case 54: the stored ones are found by their ids; the others can never be stored afterwards", async () => {
    const [stored, lost] = [
      callOf(world, { account: world.account("rich") }),
      callOf(world, { account: world.account("rich") }),
    ];
    await acceptCalls(world.db, [stored], 24);
    expect(await settleCallsInDoubt(world.db, [stored, lost])).toEqual(new Set([stored.batchId]));
    await expect(acceptCalls(world.db, [lost], 24)).rejects.toThrow(/ledger_entry/);
    expect(await settleCallsInDoubt(world.db, [stored, lost])).toEqual(new Set([stored.batchId]));
    const { balance, ledger } = await readMoney(world, world.account("rich"));
    expect(balance).toBe(ledger);
    expect(await count(world, "message")).toBe(1);
  });
});

describe("concatenation references", () => {
  it("case 25: are given one after another to each phone, and go round after 65535", async () => {
    const give = async (recipients: string[], counts: number[]): Promise<number[]> => {
      const last = await advanceConcatenationReferences(world.db, recipients, counts);
      return recipients.map((recipient) => last.get(recipient) ?? -1);
    };
    expect(await give(["989120000001", "989120000002"], [1, 3])).toEqual([1, 3]);
    expect(await give(["989120000002", "989120000001"], [2, 1])).toEqual([5, 2]);
    await world.rows("update concatenation_reference set last = 65534");
    expect(await give(["989120000001"], [3])).toEqual([1]);
  });
});
