// The limits of accounts over several nodes: each node is an intake with connections of its own.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AcceptRequest, type AcceptResult, Intake } from "../../src/intake/accept-batch.ts";
import { messagePriority, messageStatus, reasonCode } from "../../src/sms/message-status.ts";
import { Database } from "../../src/store/database.ts";
import { bookCredit } from "../../src/store/ledger.ts";
import { endUnsent } from "../../src/store/outcomes.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidFloor, uuidv7 } from "../../src/platform/uuid.ts";
import { clear, emptyTables, found, irancell, line, mci, otherPrice, useWorld } from "../support/factories.ts";

const world = useWorld({ accounts: [{ name: "shop" }, { name: "other" }, { name: "endless", unlimited: true }] });
let nodes: readonly { readonly intake: Intake; readonly db: Database }[];

beforeAll(async () => {
  await world.rows(
    `insert into template (account_id, id, content, approved, purpose)
     select id, 'CODE', '%code%', true, 'code' from account where name = 'shop'`,
  );
  nodes = [1, 2].map(() => {
    const telemetry = new Telemetry();
    const db = Database.open({ url: world.url, poolSize: 4, telemetry });
    const announceDue = () => undefined;
    const options = { db, telemetry, queueLimit: 10_000, idempotencyHours: 24, validitySeconds: 3600, announceDue };
    return { db, intake: new Intake(options) };
  });
});

afterAll(async () => {
  await Promise.all(nodes.map(({ db }) => db.close()));
});

beforeEach(async () => {
  await clear(world);
  await emptyTables(world.db, ["recent_text", "account_usage", "event", "wanted_events", "ledger_entry"]);
  await setLimits({});
  await setLimits({}, "endless");
  await setBalance(1_000_000_000n);
});

interface Limits {
  readonly duplicateSeconds?: number;
  readonly dailyMessages?: number;
  readonly monthlyCost?: bigint;
  readonly lowCredit?: bigint;
}

const setLimits = (
  { duplicateSeconds = 0, dailyMessages = 0, monthlyCost = 0n, lowCredit = 0n }: Limits,
  name = "shop",
) =>
  world.reconfigure(
    "update account set duplicate_seconds = $2, daily_messages = $3, monthly_cost = $4, low_credit = $5 where name = $1",
    [name, duplicateSeconds, dailyMessages, monthlyCost, lowCredit],
  );
const setBalance = (rials: bigint) =>
  world.rows("update account_balance set balance = $2 where account_id = $1", [world.account("shop").id, rials]);

type Text = string | Partial<AcceptRequest["drafts"][number]>;
const draftOf = (text: Text): AcceptRequest["drafts"][number] => ({
  senderNumber: line,
  recipientNumber: mci,
  source: "json",
  ...(typeof text === "string" ? { content: text } : text),
});
const codeDraft = (value: string): Text => ({ templateId: "CODE", parameters: [{ name: "code", value }] });

function send(texts: readonly Text[], { node = 0, account = "shop", ...more }: SendPlan = {}): Promise<AcceptResult> {
  const { intake } = found(nodes[node]);
  const drafts = texts.map(draftOf);
  return intake.accept({ account: world.account(account), drafts, priority: messagePriority.single, ...more });
}
type SendPlan = { node?: number; account?: string } & Partial<Omit<AcceptRequest, "account">>;

/** The errorCode of each message; 200 for an accepted one. */
function codesOf(result: AcceptResult): readonly number[] {
  const messages =
    result.kind === "accepted" ? result.batch.messages : result.kind === "refused" ? result.messages : [];
  return messages.map((message) => (message.kind === "prepared" ? 200 : message.faults[0].code));
}
const codes = async (texts: readonly Text[], more: SendPlan = {}) => codesOf(await send(texts, more));

async function usage(): Promise<{ messages: number; cost: number } | undefined> {
  const [row] = await world.rows<{ messages: bigint; cost: bigint }>("select messages, cost from account_usage");
  return row && { messages: Number(row.messages), cost: Number(row.cost) };
}
const stored = () => world.rows<{ id: string; content: string }>("select id, content from message order by id");

async function endAll(reason: number): Promise<void> {
  const messages = (await stored()).map(({ id }) => ({ accountId: world.account("shop").id, messageId: id }));
  await world.db.transaction((tx) =>
    endUnsent(
      tx,
      messages.map((message) => ({ ...message, reason, detail: null })),
    ),
  );
}

const price = Number(otherPrice);

describe("duplicateSeconds", () => {
  it("refuses the same text to the same number from the same line, on every node and within one call", async () => {
    await setLimits({ duplicateSeconds: 60 });
    expect(await codes(["a", "b", "a"])).toEqual([200, 200, 1207]);
    expect(await codes(["a"], { node: 1 })).toEqual([1207]);
    expect(await codes(["b", "c", { content: "a", recipientNumber: irancell }], { node: 1 })).toEqual([1207, 200, 200]);
    expect((await stored()).length).toBe(4);
    expect(await codes(["a"], { account: "other" })).toEqual([200]);
  });

  it("counts acceptance, not the time of sending, and forgets after the seconds", async () => {
    await setLimits({ duplicateSeconds: 60 });
    const later = new Date(Date.now() + 24 * 3600 * 1000);
    expect(await codes(["a"], { sendAt: later })).toEqual([200]);
    expect(await codes(["a"])).toEqual([1207]);
    await world.rows("update recent_text set accepted_at = accepted_at - interval '61 seconds'");
    expect(await codes(["a"])).toEqual([200]);
    expect(await codes(["a"])).toEqual([1207]);
  });

  it("lets a text be sent again whose message ended unsent", async () => {
    await setLimits({ duplicateSeconds: 60 });
    for (const reason of [reasonCode.canceled, reasonCode.expired, reasonCode.optedOut, reasonCode.notAllowed]) {
      expect(await codes(["a"])).toEqual([200]);
      expect(await codes(["a"], { node: 1 })).toEqual([1207]);
      await endAll(reason);
      const previewed = await found(nodes[1]).intake.preview(world.account("shop"), [draftOf("a")]);
      expect(previewed.map(({ kind }) => kind)).toEqual(["prepared"]);
    }
    expect(await codes(["a"], { node: 1 })).toEqual([200]);
    await world.rows("update message set status = $1", [messageStatus.undelivered]);
    expect(await codes(["a"])).toEqual([1207]);
  });

  it("accepts one of equal calls that come at once to several nodes", async () => {
    await setLimits({ duplicateSeconds: 60 });
    for (let round = 0; round < 10; round += 1) {
      const text = `round ${String(round)}`;
      const results = await Promise.all([0, 1, 0, 1].map((node) => codes([text, `${text} ${node}`], { node })));
      expect(results.flat().filter((code) => code === 1207).length).toBe(5);
    }
    expect((await stored()).length).toBe(30);
  });

  it("remembers nothing of a call that was refused for the sake of another of its texts", async () => {
    await setLimits({ duplicateSeconds: 60 });
    await setBalance(2n * otherPrice);
    await send(["a"]);
    // "b" is stored in a second try, without "a"; the credit does not cover "c".
    expect(await codes(["a", "b", "c"])).toEqual([1207, 200, 1201]);
    await setBalance(otherPrice);
    expect(await codes(["c"], { node: 1 })).toEqual([200]);
  });

  it("does not judge a repetition under an idempotency key", async () => {
    await setLimits({ duplicateSeconds: 60, dailyMessages: 1 });
    const idempotency = { key: "k", fingerprint: Buffer.from("f"), answerOf: () => "{}" };
    expect((await send(["a"], { idempotency })).kind).toBe("accepted");
    expect((await send(["a"], { idempotency, node: 1 })).kind).toBe("replayed");
  });

  it("gives no idempotency key to a call that it refuses in part before the rest is stored", async () => {
    await setLimits({ duplicateSeconds: 60 });
    await send(["a"]);
    const idempotency = { key: "part", fingerprint: Buffer.from("f"), answerOf: () => "{}" };
    expect(await codes(["a", "b"], { idempotency, node: 1 })).toEqual([1207, 200]);
  });
});

it.each([
  ["its text, which may not be sent twice", { duplicateSeconds: 60 }, 1_000_000_000n],
  ["the last message of the day", { dailyMessages: 1 }, 1_000_000_000n],
  ["the last credit", {}, otherPrice],
])(
  "a repetition that comes to another node at once is answered as the first, which took %s",
  async (_, limits, credit) => {
    for (let round = 0; round < 10; round += 1) {
      await emptyTables(world.db, ["recent_text", "account_usage", "message", "message_queue"]);
      await setLimits(limits);
      await setBalance(credit);
      const text = `at once ${String(round)} ${JSON.stringify(limits)}`;
      const idempotency = { key: text, fingerprint: Buffer.from(text), answerOf: () => "kept" };
      const both = await Promise.all([0, 1].map((node) => send([text], { node, idempotency })));
      expect(both.map(({ kind }) => kind).sort()).toEqual(["accepted", "replayed"]);
    }
  },
);

describe("dailyMessages and monthlyCost", () => {
  it("refuses what is over them, in list order, where a later and cheaper one fits", async () => {
    await setLimits({ dailyMessages: 3 });
    expect(await codes(["a", "b"])).toEqual([200, 200]);
    expect(await codes(["c", "d"], { node: 1 })).toEqual([200, 1208]);
    await setLimits({ monthlyCost: 4n * otherPrice });
    const long = "x".repeat(161);
    expect(await codes([long, "e"])).toEqual([1208, 200]);
    expect(await codes(["f"])).toEqual([1208]);
  });

  it("counts what was accepted before there was a limit, codes and replies too", async () => {
    await send(["a", "b", codeDraft("1"), { content: "r", isReply: true }]);
    await setLimits({ dailyMessages: 5 });
    expect(await codes(["c", "d"])).toEqual([200, 1208]);
    await setLimits({ dailyMessages: 5, monthlyCost: 6n * otherPrice });
    expect(await usage()).toEqual({ messages: 5, cost: 5 * price });
    await setLimits({ monthlyCost: 6n * otherPrice });
    expect(await codes([codeDraft("1"), codeDraft("2")])).toEqual([200, 1208]);
  });

  it("counts the day whatever became of it, and takes refunds out of the month", async () => {
    await setLimits({ dailyMessages: 3, monthlyCost: 2n * otherPrice });
    expect(await codes(["a", "b", "c"])).toEqual([200, 200, 1208]);
    await endAll(reasonCode.canceled);
    expect(await usage()).toEqual({ messages: 2, cost: 0 });
    expect(await codes(["c", "d"])).toEqual([200, 1208]);
  });

  it("takes no refund of an earlier month's message out of this one", async () => {
    await setLimits({ monthlyCost: 5n * otherPrice });
    await send(["a"]);
    await world.rows("update ledger_entry set created_at = created_at - interval '40 days'");
    await endAll(reasonCode.expired);
    expect(await usage()).toEqual({ messages: 1, cost: price });
  });

  it("takes none of them out either when counting begins", async () => {
    await send(["a"]);
    await endAll(reasonCode.expired);
    const earlier = uuidFloor(Date.now() - 40 * 86_400_000);
    await world.rows("update ledger_entry set message_id = $1 where kind = 'refund'", [earlier]);
    await setLimits({ monthlyCost: 5n * otherPrice });
    await send(["b"]);
    expect(await usage()).toEqual({ messages: 2, cost: 2 * price });
  });

  it("is never exceeded by calls that come to several nodes at once, and none is left over", async () => {
    await setLimits({ dailyMessages: 37, monthlyCost: 50n * otherPrice });
    const calls = Array.from({ length: 60 }, (_, index) => codes([`${index} a`, `${index} b`], { node: index % 2 }));
    const judged = (await Promise.all(calls)).flat();
    expect(judged.filter((code) => code === 200).length).toBe(37);
    expect(judged.filter((code) => code === 1208).length).toBe(83);
    expect((await stored()).length).toBe(37);
    expect(await usage()).toEqual({ messages: 37, cost: 37 * price });
    await setLimits({ monthlyCost: 50n * otherPrice });
    const more = Array.from({ length: 40 }, (_, index) => codes([`${index} c`], { node: index % 2 }));
    expect((await Promise.all(more)).flat().filter((code) => code === 200).length).toBe(13);
  });

  it("begins anew with the next day and the next month", async () => {
    await setLimits({ dailyMessages: 1, monthlyCost: 2n * otherPrice });
    expect(await codes(["a"])).toEqual([200]);
    expect(await codes(["b"])).toEqual([1208]);
    await world.rows("update account_usage set day_until = day_from, day_from = day_from - interval '1 day'");
    expect(await codes(["b"])).toEqual([200]);
    await world.rows("update account_usage set day_until = day_from, day_from = day_from - interval '1 day'");
    expect(await codes(["c"])).toEqual([1208]);
    await world.rows("update account_usage set month_until = month_from, month_from = month_from - interval '30 days'");
    expect(await codes(["c"])).toEqual([200]);
  });

  it("counts no earlier day where the month leaves room for a part of a call", async () => {
    await setLimits({ dailyMessages: 2, monthlyCost: 3n * otherPrice });
    expect(await codes(["a", "b"])).toEqual([200, 200]);
    await world.rows("update account_usage set day_until = day_from, day_from = day_from - interval '1 day'");
    expect(await codes(["c", "d"])).toEqual([200, 1208]);
  });

  it("counts anew in another calendar or time zone", async () => {
    await setLimits({ dailyMessages: 2 });
    await send(["a"]);
    await world.rows("update account_usage set messages = 2, day_from = day_from + interval '1 hour'");
    expect(await codes(["b", "c"])).toEqual([200, 1208]);
  });

  it("shows in a preview, which counts nothing", async () => {
    await setLimits({ dailyMessages: 2, duplicateSeconds: 60 });
    await send(["a"]);
    const { intake } = found(nodes[1]);
    for (let time = 0; time < 2; time += 1) {
      const verdicts = await intake.preview(world.account("shop"), ["a", "b", "c"].map(draftOf));
      expect(verdicts.map((verdict) => (verdict.kind === "prepared" ? 200 : verdict.faults[0].code))).toEqual([
        1207, 200, 1208,
      ]);
    }
    expect(await usage()).toEqual({ messages: 1, cost: price });
    expect(await codes(["b"])).toEqual([200]);
  });
});

it("each set of limits that leaves room lets calls through, for accounts with and without limited credit", async () => {
  const settings = ["duplicateSeconds", "dailyMessages", "monthlyCost", "lowCredit"] as const;
  const room = { duplicateSeconds: 60, dailyMessages: 1000, monthlyCost: 1_000_000_000n, lowCredit: 5_000_000_000n };
  // None, each alone, and all.
  for (const chosen of [0, 1, 2, 4, 8, 15]) {
    const limits = Object.fromEntries(
      settings.flatMap((name, place) => (chosen & (2 ** place) ? [[name, room[name]]] : [])),
    );
    for (const account of ["shop", "endless"]) {
      await world.rows("truncate recent_text, account_usage");
      await setLimits(limits, account);
      const text = `${account} ${String(chosen)}`;
      const sent = [await codes([text, `${text}!`], { account }), await codes([`${text}?`], { account, node: 1 })];
      expect(sent, JSON.stringify([account, Object.keys(limits)])).toEqual([[200, 200], [200]]);
    }
  }
});

describe("credit.low", () => {
  beforeEach(async () => {
    await world.rows("insert into wanted_events (account_id, by_endpoints) select id, $1 from account", [1 << 9]);
  });
  const told = async () =>
    (await world.rows<{ detail: object }>("select detail from event where type = 9 order by position")).map(
      ({ detail }) => detail,
    );
  const book = (amount: bigint) =>
    world.db.transaction((tx) =>
      bookCredit(tx, { accountId: world.account("shop").id, amount, reference: uuidv7(), entryId: uuidv7() }),
    );

  it("is told once, by the charge that takes the balance below, until credit was booked", async () => {
    await setLimits({ lowCredit: 1_000_000n });
    await setBalance(1_000_000n + otherPrice);
    await send(["a"]);
    expect(await told()).toEqual([]);
    await send(["b"], { node: 1 });
    await send(["c"]);
    const first = { balance: "997,200", currency: "IRR", lowCredit: "1,000,000" };
    expect(await told()).toEqual([first]);
    await book(1n);
    await send(["d"]);
    expect((await told()).length).toBe(1);
    await book(100_000n);
    await send(["e"]);
    expect((await told()).length).toBe(1);
    await setBalance(1_000_000n);
    await send(["f"]);
    expect(await told()).toEqual([first, first]);
  });

  it("is not told again after a refund alone, but after credit and a refund", async () => {
    await setLimits({ lowCredit: 1_000_000n });
    await setBalance(1_000_000n);
    await send(["a"]);
    await endAll(reasonCode.canceled);
    await send(["b"]);
    expect((await told()).length).toBe(1);
    await book(1n);
    await endAll(reasonCode.canceled);
    await send(["c"]);
    expect((await told()).length).toBe(2);
  });

  it("is told of a balance of nothing", async () => {
    await setLimits({ lowCredit: 1n });
    await setBalance(otherPrice);
    await send(["a"]);
    expect(await told()).toEqual([{ balance: "0", currency: "IRR", lowCredit: "1" }]);
  });

  it("is never told to an unlimited account, nor to one that does not want events", async () => {
    await setLimits({ lowCredit: 2_000_000_000n, dailyMessages: 100 }, "endless");
    await send(["a"], { account: "endless" });
    await world.rows("delete from wanted_events");
    await setLimits({ lowCredit: 2_000_000_000n });
    await send(["a"]);
    expect(await told()).toEqual([]);
  });

  it("is told by one of the calls that come to several nodes at once", async () => {
    await setLimits({ lowCredit: 1_000_000n });
    await setBalance(1_000_000n + 5n * otherPrice);
    await Promise.all(Array.from({ length: 40 }, (_, index) => send([String(index)], { node: index % 2 })));
    expect((await told()).length).toBe(1);
  });
});
