import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type AcceptRequest, type AcceptResult, Intake } from "../../src/intake/accept-batch.ts";
import { type AcceptedBatch } from "../../src/intake/assemble-call.ts";
import { CallCommitter } from "../../src/intake/commit-calls.ts";
import { compileRules, rulesOfAccount } from "../../src/sms/account-rules.ts";
import { messagePriority } from "../../src/sms/message-status.ts";
import { weekdays } from "../../src/sms/sending-hours.ts";
import { Database, statementOf } from "../../src/store/database.ts";
import { DatabaseUnavailable } from "../../src/store/database-errors.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { statement } from "../support/database.ts";
import { type DatabaseWire, openDatabaseWire } from "../support/database-wire.ts";
import {
  callToAccept,
  count,
  eventually,
  found,
  line,
  longText,
  mci,
  otherPrice,
  readMoney,
  useWorld,
} from "../support/factories.ts";
import { isIdOfNow, setClockWrong } from "../support/wrong-clock.ts";

const world = useWorld({
  accounts: [
    { name: "rich" },
    { name: "poor", credit: 10n * otherPrice },
    { name: "empty", credit: 0n },
    { name: "short", credit: otherPrice - 1n },
    { name: "free", credit: 0n, unlimited: true },
    { name: "racer", credit: 7n * otherPrice },
    { name: "racer-2", credit: 5n * otherPrice + 1n },
    { name: "doubt", credit: 100n * otherPrice },
    { name: "one", credit: otherPrice },
  ],
});

afterEach(() => {
  vi.useRealTimers();
});

const usual = { idempotencyHours: 24, validitySeconds: 3600, announceDue: () => undefined };

function openIntake({ db = world.db, ...more }: { db?: Database; queueLimit?: number; timeoutMs?: number } = {}) {
  const telemetry = new Telemetry();
  return { intake: new Intake({ db, telemetry, queueLimit: 10_000, ...usual, ...more }), telemetry };
}

const openCommitter = (db: Database, more: { settleWaitMs?: number; timeoutMs?: number }) =>
  new CallCommitter({ db, telemetry: new Telemetry(), ...usual, ...more });

/** Of the test only. */
async function openWire(): Promise<DatabaseWire> {
  const wire = await openDatabaseWire(world.url);
  onTestFinished(() => wire.close());
  await wire.db.ping();
  return wire;
}

function request(account: string, contents: readonly string[], more: Partial<AcceptRequest> = {}): AcceptRequest {
  return {
    account: world.account(account),
    drafts: contents.map((content) => ({ senderNumber: line, recipientNumber: mci, content, source: "json" as const })),
    priority: messagePriority.single,
    ...more,
  };
}

const describeBatch = ({ batchId, messages }: AcceptedBatch) => ({
  batchId,
  ids: messages.flatMap((message) => (message.kind === "prepared" ? [message.id] : [])),
  faults: messages.flatMap((message) => (message.kind === "rejected" ? [message.faults[0].code] : [])),
});

const key = (text: string, body = "same"): AcceptRequest["idempotency"] => ({
  key: text,
  fingerprint: createHash("sha256").update(body).digest(),
  answerOf: (batch) => JSON.stringify(describeBatch(batch)),
});

/** What the caller of a call with a key is answered. */
const answerTo = (result: AcceptResult): string => {
  if (result.kind === "replayed") return result.answer;
  return result.kind === "accepted" ? JSON.stringify(describeBatch(result.batch)) : result.kind;
};

async function messagesOf(account: string): Promise<number> {
  const [row] = await world.rows<{ n: number }>("select count(*)::int as n from message where account_id = $1", [
    world.account(account).id,
  ]);
  return found(row).n;
}

/** Calls of the account wait in the middle of their statement, until it is released. */
async function holdBalance(account: string): Promise<{ untilReached(): Promise<void>; release(): Promise<void> }> {
  let release = (): void => undefined;
  let noteHeld = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = new Promise<void>((resolve) => (noteHeld = resolve));
  const holding = world.db.transaction(async (tx) => {
    const lock = "select from account_balance where account_id = $1 for update";
    await tx.query(statement(lock, [world.account(account).id]));
    noteHeld();
    await released;
  });
  await held;
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return {
    untilReached: () => eventually(async () => (await world.rows(waiting)).length > 0),
    release: () => {
      release();
      return holding;
    },
  };
}

async function expectBooksRight(account: string): Promise<bigint> {
  const { balance, ledger } = await readMoney(world, world.account(account));
  expect(balance).toBe(ledger);
  expect(balance >= 0n || world.account(account).unlimited).toBe(true);
  return balance;
}

describe("credit", () => {
  it.each([
    ["empty", 0n],
    ["short", otherPrice - 1n],
  ])("refuses with 1201 what an account that is %s does not cover, and stores nothing of it", async (name, balance) => {
    const { intake, telemetry } = openIntake();
    const refused = telemetry.next("batch.refused");
    const result = await intake.accept(request(name, ["a", "b"]));
    expect(result).toMatchObject({
      kind: "refused",
      messages: [{ faults: [{ code: 1201 }] }, { faults: [{ code: 1201 }] }],
    });
    expect((await refused).errorCode).toBe(1201);
    expect((await intake.accept(request(name, ["a"]))).kind).toBe("refused");
    expect(await messagesOf(name)).toBe(0);
    expect(await expectBooksRight(name)).toBe(balance);
  });

  it("lets an unlimited account go below zero", async () => {
    const { intake } = openIntake();
    expect((await intake.accept(request("free", ["a"]))).kind).toBe("accepted");
    expect(await expectBooksRight("free")).toBe(-otherPrice);
  });

  it("case 53: of many calls at once, on two nodes, exactly those go that the credit covers, and every other is told 1201", async () => {
    const intakes = [openIntake().intake, openIntake().intake];
    const send = async (account: string, index: number) =>
      (await found(intakes[index % 2]).accept(request(account, ["race"]))).kind;
    const results = await Promise.all(
      ["racer", "racer-2"].map((account) =>
        Promise.all(Array.from({ length: 60 }, (_, index) => send(account, index))),
      ),
    );
    for (const [index, wanted] of [7, 5].entries()) {
      const kinds = found(results[index]);
      expect(kinds.filter((kind) => kind === "accepted")).toHaveLength(wanted);
      expect(kinds.filter((kind) => kind === "refused")).toHaveLength(60 - wanted);
    }
    expect(await expectBooksRight("racer")).toBe(0n);
    expect(await expectBooksRight("racer-2")).toBe(1n);
    expect(await messagesOf("racer")).toBe(7);
  });

  it("case 53: one account's lack of credit harms no other account's calls in the same group", async () => {
    const { intake } = openIntake();
    const results = await Promise.all(
      ["empty", "rich", "empty", "rich"].map((account) => intake.accept(request(account, ["x"]))),
    );
    expect(results.map(({ kind }) => kind)).toEqual(["refused", "accepted", "refused", "accepted"]);
  });

  it("case 54: the books are right whatever is sent, at once and by whom", async () => {
    const { intake } = openIntake();
    const call = fc.record({
      account: fc.constantFrom("poor", "rich"),
      texts: fc.array(fc.constantFrom("a", longText(2), longText(3)), { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        await Promise.all(calls.map(({ account, texts }) => intake.accept(request(account, texts))));
        for (const account of ["poor", "rich"]) await expectBooksRight(account);
      }),
      { numRuns: 15 },
    );
    const [row] = await world.rows<{ charged: bigint; sent: bigint }>(
      `select -(select sum(amount)::bigint from ledger_entry where kind = 'charge') as charged, (select sum(cost)::bigint from message) as sent`,
    );
    expect(found(row).charged).toBe(found(row).sent);
  });

  it("is judged by the hours of the database's clock, whatever the clock of this node shows", async () => {
    const hourMs = 3_600_000;
    const rich = world.account("rich");
    const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
    const windows = [{ days: [...weekdays], from: clock(Date.now() - hourMs), to: clock(Date.now() + hourMs) }];
    const sendingHours = [{ name: "day", lines: ["*"], accounts: ["*"], timeZone: "UTC", windows, except: [] }];
    const rules = rulesOfAccount(compileRules({ contentRules: [], sendingHours }), "rich");
    const account = { ...rich, terms: { ...rich.terms, rules } };
    const db = Database.open({ url: world.url });
    try {
      const { intake } = openIntake({ db });
      const sendAt = async (): Promise<unknown> => {
        const [verdict] = await intake.preview(account, request("rich", ["a"]).drafts);
        return verdict?.kind === "prepared" ? verdict.sendAt : verdict;
      };
      expect(await sendAt()).toBeUndefined();
      db.clock.heard(new Date(Date.now() + 12 * hourMs), performance.now());
      expect(await sendAt()).toBeInstanceOf(Date);
      const result = await intake.accept({ ...request("rich", ["a"]), account });
      expect(result).toMatchObject({ kind: "accepted", batch: { messages: [{ sendAt: expect.any(Date) as Date }] } });
    } finally {
      await db.close();
    }
  });
});

describe("an idempotency key", () => {
  it("case 2: ten identical calls at once on two nodes: one is stored, all get its answer", async () => {
    const intakes = [openIntake().intake, openIntake().intake];
    const before = await messagesOf("rich");
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        found(intakes[index % 2]).accept(request("rich", ["same"], { idempotency: key("case-2") })),
      ),
    );
    expect(new Set(results.map(answerTo)).size).toBe(1);
    expect(results.map(({ kind }) => kind).sort()).toEqual(["accepted", ...Array<string>(9).fill("replayed")]);
    expect(await messagesOf("rich")).toBe(before + 1);
  });

  it("waits 5 s for the call before it, and then says that the key is busy", async () => {
    const { intake } = openIntake();
    const rich = (): AcceptRequest => request("rich", ["slow"], { idempotency: key("slow") });
    const { first, second, waitedMs } = await world.db.transaction(async (tx) => {
      await tx.query(statement("lock table idempotency_key in access exclusive mode"));
      const under = intake.accept(rich());
      const startedAt = performance.now();
      const late = await intake.accept(rich());
      return { first: { under }, second: late, waitedMs: performance.now() - startedAt };
    });
    expect(second).toEqual({ kind: "keyBusy" });
    // Timers are never early; how late they are is the machine's.
    expect(waitedMs).toBeGreaterThan(4900);
    expect(waitedMs).toBeLessThan(25_000);
    expect(await first.under).toMatchObject({ kind: "accepted" });
    expect(await intake.accept(rich())).toMatchObject({ kind: "replayed" });
  });

  it("is forgotten after its time, and then belongs to whoever comes next", async () => {
    const { intake } = openIntake();
    await intake.accept(request("rich", ["a"], { idempotency: key("old", "a") }));
    await world.rows("update idempotency_key set created_at = created_at - interval '25 hours' where key = 'old'");
    const again = await intake.accept(request("rich", ["b"], { idempotency: key("old", "b") }));
    expect(again).toMatchObject({ kind: "accepted" });
    expect(await intake.accept(request("rich", ["b"], { idempotency: key("old", "b") }))).toMatchObject({
      kind: "replayed",
    });
  });
});

describe("a database that goes away in the middle of a commit", () => {
  it.each([
    { statement: "storeCalls", idempotency: undefined },
    { statement: "commit", idempotency: key("doubt") },
  ])(
    "case 54: an answer that was lost is asked for by the batch's id: what was stored is answered as stored ($statement)",
    async ({ statement: name, idempotency }) => {
      const wire = await openWire();
      const { intake } = openIntake({ db: wire.db });
      const before = await messagesOf("doubt");
      wire.cutAt(name, "after the server");
      const result = await intake.accept(request("doubt", ["in doubt"], { idempotency }));
      expect(result).toMatchObject({ kind: "accepted" });
      expect(await messagesOf("doubt")).toBe(before + 1);
      expect(await expectBooksRight("doubt")).toBe((100n - BigInt(before + 1)) * otherPrice);
    },
  );

  it("case 54: what never reached the server is answered as not stored, and can never be stored later", async () => {
    const wire = await openWire();
    const { intake } = openIntake({ db: wire.db });
    const before = await messagesOf("doubt");
    wire.cutAt("storeCalls", "before the server");
    const error: unknown = await intake.accept(request("doubt", ["lost"])).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).inDoubt).toBe(false);
    expect(await messagesOf("doubt")).toBe(before);
    expect(await count(world, "ledger_entry where kind = 'void'")).toBe(1);
    await expectBooksRight("doubt");
  });

  it("case 54: while nobody can say whether a group was stored, none of its calls is answered as not stored", async () => {
    const wire = await openWire();
    const committer = openCommitter(wire.db, { settleWaitMs: 500 });
    const before = await messagesOf("doubt");
    const balance = await holdBalance("doubt");
    const calls = [0, 1].map(() => callToAccept(world, { account: world.account("doubt") }));
    const answers = Promise.allSettled(calls.map((call) => committer.add(call)));
    await balance.untilReached();
    wire.break();
    await balance.release();
    const reasons = (await answers).map((answer) =>
      answer.status === "rejected" ? (answer.reason as Error).name : "no",
    );
    expect(reasons).toEqual(["StillInDoubt", "StillInDoubt"]);
    await eventually(async () => (await messagesOf("doubt")) === before + 2);
    wire.mend();
  });

  it("lets no call wait behind one in doubt while the database stays away", async () => {
    const wire = await openWire();
    const committer = openCommitter(wire.db, { timeoutMs: 0 });
    const balance = await holdBalance("doubt");
    const [inDoubt, behind] = ["doubt", "one"].map((account) =>
      callToAccept(world, { account: world.account(account) }),
    );
    if (inDoubt === undefined || behind === undefined) throw new Error("there are two calls");
    const answer = committer.add(inDoubt);
    await balance.untilReached();
    const refused = expect(committer.add(behind)).rejects.toMatchObject({
      name: "DatabaseUnavailable",
      inDoubt: false,
    });
    wire.break();
    await refused;
    await balance.release();
    wire.mend();
    expect((await answer).kind).toBe("accepted");
  });

  it("case 54: a wall clock that is stepped by an hour does not end the search for what was stored", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const wire = await openWire();
    const { intake } = openIntake({ db: wire.db });
    const before = await messagesOf("doubt");
    const balance = await holdBalance("doubt");
    const answer = intake.accept(request("doubt", ["clock"]));
    await balance.untilReached();
    wire.break();
    await balance.release();
    vi.setSystemTime(Date.now() + 3_600_000);
    await eventually(async () => (await messagesOf("doubt")) === before + 1);
    // The search has failed at least once.
    await new Promise((resolve) => setTimeout(resolve, 300));
    wire.mend();
    expect((await answer).kind).toBe("accepted");
  });

  it("lets calls wait for the time-out of one statement, and not of one after another", async () => {
    const db = Database.open({ url: world.url, statementTimeoutMs: 1000 });
    onTestFinished(() => db.close());
    const { intake } = openIntake({ db, timeoutMs: 500 });
    const statements = vi.spyOn(db, "query");
    const balance = await holdBalance("rich");
    const texts = Array.from({ length: 100 }, (_, index) => `locked ${index}`);
    // Three groups of a thousand.
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => intake.accept(request("rich", texts))));
    await balance.release();
    const reasons = calls.map((end) => end.status === "rejected" && (end.reason as DatabaseUnavailable).inDoubt);
    expect(reasons).toEqual(Array<boolean>(30).fill(false));
    expect(calls.every(({ status }) => status === "rejected")).toBe(true);
    expect(statements.mock.calls.map((asked) => statementOf(asked).name)).toEqual(["storeCalls"]);
    expect((await intake.accept(request("rich", ["after"]))).kind).toBe("accepted");
  });

  it.each([400, -400])("has ids with the time of the database on a node whose clock is %d days off", async (days) => {
    const db = world.db.openApart();
    onTestFinished(() => db.close());
    await setClockWrong(db, { days });
    const result = await openIntake({ db }).intake.accept(request("rich", ["x"]));
    if (result.kind !== "accepted") throw new Error(result.kind);
    const { batchId, ids } = describeBatch(result.batch);
    for (const id of [batchId, ...ids]) expect(await isIdOfNow(world.db, id)).toBe(true);
  });

  it("case 2: nor does such a step end the wait for a call with the same key", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { intake } = openIntake();
    const balance = await holdBalance("doubt");
    const same = () => intake.accept(request("doubt", ["x"], { idempotency: key("stepped") }));
    const answers = Promise.all([same(), same(), same()]);
    await balance.untilReached();
    vi.setSystemTime(Date.now() + 3_600_000);
    await balance.release();
    expect((await answers).map(({ kind }) => kind)).toEqual(["accepted", "replayed", "replayed"]);
  });

  it("case 54: a void call is judged again under new ids: it is accepted if the credit covers it", async () => {
    const wire = await openWire();
    const { intake } = openIntake({ db: wire.db });
    const stored = await messagesOf("doubt");
    wire.cutAt("storeCalls", "after the server");
    const send = async (account: string) => (await intake.accept(request(account, ["again"]))).kind;
    const [doubt, empty, ...one] = await Promise.all(["doubt", "empty", "one", "one"].map(send));
    expect([doubt, empty, one.sort()]).toEqual(["accepted", "refused", ["accepted", "refused"]]);
    expect([await messagesOf("doubt"), await messagesOf("one")]).toEqual([stored + 1, 1]);
    expect([await expectBooksRight("one"), await expectBooksRight("empty")]).toEqual([0n, 0n]);
  });
});

describe("an overloaded node", () => {
  it("case 6: says so at once, stores nothing of what it turns away, and everything else", async () => {
    const { intake } = openIntake({ queueLimit: 3 });
    const before = await messagesOf("rich");
    const taken: Promise<{ kind: string }>[] = [];
    const balance = await holdBalance("rich");
    await eventually(async () => {
      const call = intake.accept(request("rich", ["x"]));
      const answer = await Promise.race([
        call,
        new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
      ]);
      if (answer?.kind === "overloaded") return true;
      taken.push(call);
      return false;
    });
    await balance.release();
    expect(new Set((await Promise.all(taken)).map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    expect(await messagesOf("rich")).toBe(before + taken.length);
    await intake.stop();
  });
});
