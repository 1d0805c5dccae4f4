import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { reasonCode } from "../../src/sms/message-status.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { Database } from "../../src/store/database.ts";
import { lockBalances } from "../../src/store/ledger.ts";
import { endUnsent, holdParts } from "../../src/store/outcomes.ts";
import { type Ended, type PartReport, recordProgress } from "../../src/store/progress.ts";
import {
  callOf,
  eventually,
  longText,
  mci,
  openWorld,
  partTaken,
  readMessage,
  readMoney,
  storeCall,
  storeMessage,
  useWorld,
} from "../support/factories.ts";
import { statement } from "../support/database.ts";
import { foldParts } from "../support/fold-parts.ts";
import { isIdOfNow, setClockWrong } from "../support/wrong-clock.ts";
import { dropOldRows } from "../../src/store/old-rows.ts";

const world = useWorld();

const take = (messageId: string, part = 1): Promise<Ended> =>
  recordProgress(world.db, { taken: [partTaken(world, messageId, part)] });

const partReport = (messageId: string, part: number, verdict: "delivered" | "undelivered"): PartReport => ({
  accountId: world.account().id,
  messageId,
  part,
  verdict,
  detail: "UNDELIV 027",
});

const report = (...of: Parameters<typeof partReport>): Promise<Ended> =>
  recordProgress(world.db, { reports: [partReport(...of)] });

const end = (messageId: string, reason: number): Promise<readonly number[]> =>
  endUnsent(world.db, [{ accountId: world.account().id, messageId, reason, detail: null }]);

const hold = (messageId: string, part = 1): Promise<void> =>
  holdParts(world.db, [
    { accountId: world.account().id, messageId, connectorId: world.connector().id, recipient: mci, part },
  ]);

describe("the parts of a long message", () => {
  it("cases 34 to 36: answers and receipts in any order fold as the rule book folds them", async () => {
    const step = fc.record({
      part: fc.integer({ min: 1, max: 3 }),
      event: fc.constantFrom("taken" as const, "delivered" as const, "undelivered" as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
        const id = await storeMessage(world, { content: longText(3) });
        const masks = { parts: 3, taken: 0, delivered: 0, undelivered: 0 };
        for (const { part, event } of steps) {
          const isFinal = foldParts(masks) >= 2;
          const bit = 1 << (part - 1);
          if (event === "taken") await take(id, part);
          else await report(id, part, event);
          // The first report on a part counts, and a final message takes no more.
          const isReported = ((masks.delivered | masks.undelivered) & bit) !== 0;
          if (!isFinal && !(event !== "taken" && isReported)) masks[event] |= bit;
          const row = await readMessage(world, id);
          expect(row.status).toBe(foldParts(masks));
          expect(row.reason).toBe(row.status === 3 ? 1306 : null);
          expect([row.sentAt !== null, row.finalAt !== null]).toEqual([row.status > 0, row.status > 1]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("ending unsent", () => {
  it("case 55: refunds once when the same end is told twice in one statement, twice in a row and twice at once", async () => {
    const before = await readMoney(world);
    const id = await storeMessage(world);
    const ending = { accountId: world.account().id, messageId: id, reason: 1303, detail: null };
    const twice = (): Promise<readonly number[]> => endUnsent(world.db, [{ ...ending }, { ...ending }]);
    const ended = await Promise.all([twice(), twice(), twice()]);
    expect(ended.flat()).toHaveLength(1);
    expect(await twice()).toEqual([]);
    expect(await readMoney(world)).toEqual(before);
  });

  it("refunds in the present week also by a node whose clock is a year behind", async () => {
    onTestFinished(() => void vi.useRealTimers());
    const id = await storeMessage(world);
    const db = world.db.openApart();
    onTestFinished(() => db.close());
    await setClockWrong(db, { days: -400 });
    await end(id, 1303);
    const refunds = await world.rows<{ id: string }>("select id from ledger_entry where message_id = $1", [id]);
    expect(await Promise.all(refunds.map((refund) => isIdOfNow(world.db, refund.id)))).toEqual([true]);
  });

  // In one statement with the refunds, such a wait let the process of PostgreSQL 18 crash, within
  // 160 rounds.
  it("waits for others who change the balance at the same time, again and again", async () => {
    for (let call = 0; call < 200; call += 1)
      await storeCalls(world.db, [callOf(world, { messages: Array.from({ length: 50 }, () => ({})) })]);
    await world.rows("analyze");
    const accountId = world.account().id;
    const other = Database.open({ url: world.url, poolSize: 1 });
    try {
      for (let round = 0; round < 300; round += 1) {
        const call = callOf(world, { messages: [{}, {}] });
        await storeCalls(world.db, [call]);
        const endings = call.messages.map(({ id }) => ({ accountId, messageId: id, reason: 1303, detail: null }));
        let ending: Promise<readonly number[]> | undefined;
        await other.transaction(async (tx) => {
          await tx.query(statement("update account_balance set balance = balance"));
          ending = world.db.transaction((own) => endUnsent(own, endings));
          // Sometimes it waits for the commit, sometimes it comes later.
          await delay(round % 6);
        });
        expect(await ending).toEqual([1303, 1303]);
      }
    } finally {
      await other.close();
    }
    const { balance, ledger } = await readMoney(world);
    expect(balance).toBe(ledger);
  });

  it("locks the balances of several accounts in the one order, so that nobody waits in a circle", async () => {
    const two = await openWorld({ accounts: [{ name: "first" }, { name: "second" }] });
    const other = Database.open({ url: two.url, poolSize: 1 });
    try {
      const ids = ["second", "first"].map((name) => two.account(name).id);
      const endings: Parameters<typeof endUnsent>[1][number][] = [];
      for (const name of ["second", "first"]) {
        const account = two.account(name);
        const messageId = await storeMessage(two, {}, { account });
        endings.push({ accountId: account.id, messageId, reason: reasonCode.refused, detail: null });
      }
      let ending: Promise<readonly number[]> | undefined;
      await other.transaction(async (tx) => {
        await lockBalances(tx, [Math.min(...ids)]);
        ending = two.db.transaction((own) => endUnsent(own, endings));
        const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '/* lockBalances%'";
        await eventually(async () => (await two.rows(`${waiting} and datname = current_database()`)).length > 0);
        await lockBalances(tx, [Math.max(...ids)]);
      });
      expect(await ending).toEqual([1303, 1303]);
    } finally {
      await other.close();
      await two.close();
    }
  });
});

describe("held parts", () => {
  it("are dropped when the message is answered, or ended long enough ago", async () => {
    const [answered = "", ended = "", recent = ""] = await storeCall(world, { messages: [{}, {}, {}] });
    for (const id of [answered, ended, recent]) await hold(id);
    await take(answered);
    await end(ended, reasonCode.outcomeUnknown);
    await end(recent, reasonCode.outcomeUnknown);
    await world.rows("update message set final_at = now() - interval '80 hours' where id = $1", [ended]);
    await dropOldRows(world.db, "heldParts", 72 * 3600);
    expect(
      await world.rows("select message_id from held_message where message_id = any ($1::uuid[])", [
        [answered, ended, recent],
      ]),
    ).toEqual([{ message_id: recent }]);
  });
});
