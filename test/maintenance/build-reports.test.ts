// Reports agree with the ledger and with the messages, whatever becomes of them and whenever it
// becomes known.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ReportBuilder } from "../../src/maintenance/build-reports.ts";
import { foldFigures } from "../../src/maintenance/keep-tables.ts";
import { timeLimits } from "../../src/sms/delivery-quality.ts";
import { endUnsent, holdParts } from "../../src/store/outcomes.ts";
import { recordProgress } from "../../src/store/progress.ts";
import { readReportProgress, reportAsOf, tryLockReports } from "../../src/store/reports.ts";
import { uuidv7, uuidv7Time } from "../../src/platform/uuid.ts";
import {
  irancell,
  longText,
  mci,
  openWorld,
  partTaken,
  storeCall,
  storeMessage,
  type World,
} from "../support/factories.ts";

let world: World;
beforeEach(async () => {
  world = await openWorld({ accounts: [{ name: "demo" }, { name: "other" }] });
});
afterEach(() => world.close());

function builder(timeZone = "Asia/Tehran") {
  const { db, telemetry, directory } = world;
  return new ReportBuilder({ db, telemetry, directory, timeZone: () => timeZone, settleSeconds: 0 });
}

/** Rounds until everything until now is counted and nothing is left to correct. */
async function build(service = builder()): Promise<void> {
  // Ids of this very millisecond are counted by the round that comes after it.
  const until = Date.now() + 1;
  for (let round = 0; round < 200; round += 1) {
    await service.run(new AbortController().signal);
    const { countedUntil } = await readReportProgress(world.db);
    const [left] = await world.rows<{ notes: number }>("select count(*)::int as notes from report_change");
    if (uuidv7Time(countedUntil) >= until && left?.notes === 0) return;
  }
  throw new Error("the reports do not come to their end");
}

const reportRows = (): Promise<object[]> =>
  world.rows(`select account_id, day::text, line, operator, status, messages, withdrawn, parts, charged from report_day
               where messages <> 0 or parts <> 0 or charged <> 0 order by 1, 2, 3, 4, 5`);

/** What the report should be, counted from the messages themselves. */
const messageRows = (timeZone = "Asia/Tehran"): Promise<object[]> =>
  world.rows(
    `select account_id, (to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone $1)::date::text as day,
            sender as line, operator, status, count(*) as messages, count(*) filter (where status = 4 and reason = 1305) as withdrawn, sum(parts)::bigint as parts, sum(cost)::bigint as charged
       from message group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
    [timeZone],
  );

const moneyOfReports = (): Promise<object[]> =>
  world.rows(
    "select account_id, sum(charged)::bigint as charged, sum(refunded)::bigint as refunded from report_day group by 1 order by 1",
  );

const moneyOfLedger = (): Promise<object[]> =>
  world.rows(`select account_id, -coalesce(sum(amount) filter (where kind = 'charge'), 0)::bigint as charged,
                     coalesce(sum(amount) filter (where kind = 'refund'), 0)::bigint as refunded
                from ledger_entry where kind in ('charge', 'refund') group by 1 order by 1`);

it("tells how far it is behind", async () => {
  const behind: number[] = [];
  world.telemetry.on("reports.behind", ({ seconds }) => behind.push(seconds));
  await build();
  expect(behind.length).toBeGreaterThan(0);
  expect(behind.at(-1)).toBeLessThan(60);
  await world.rows("update report_progress set corrected_at = now() - interval '1 hour'");
  // As a node sees it that does not work: another one does.
  await world.db.transaction(async (tx) => {
    await tryLockReports(tx);
    await builder().run(new AbortController().signal);
  });
  expect(behind.at(-1)).toBeGreaterThan(3_500);
});

it("tells no time before it has counted something", async () => {
  const { db, telemetry, directory } = world;
  const service = new ReportBuilder({ db, telemetry, directory, timeZone: () => "Asia/Tehran" });
  await service.run(new AbortController().signal);
  expect(reportAsOf(await readReportProgress(db))).toBeUndefined();
  await build();
  expect(reportAsOf(await readReportProgress(db))?.getTime()).toBeGreaterThan(Date.now() - 60_000);
});

const deliveredCount = timeLimits.map((limit) => `within_${limit}`).join(" + ");

const deliveryRows = (): Promise<object[]> =>
  world.rows(`select account_id, at, line, operator, connector_id, failure, unreported, ${deliveredCount} as delivered, undelivered, unsent
                from report_delivery where account_id > 0 and unreported + ${deliveredCount} + undelivered + unsent <> 0 order by 1, 2, 3, 4, 5, 6`);

/** The sums over all accounts, as they are kept and as those of the accounts add up. */
const deliveryOfAll = (accountIds: string): Promise<object[]> =>
  world.rows(`select at, line, operator, connector_id, failure, sum(unreported) as unreported, sum(${deliveredCount}) as delivered,
                     sum(undelivered) as undelivered, sum(unsent) as unsent
                from report_delivery where account_id ${accountIds} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`);

/** What the counts of deliveries should be. */
const endedRows = (): Promise<object[]> =>
  world.rows(
    `select account_id, to_timestamp(900 * (('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 900000)) as at,
            sender as line, operator, coalesce(connector_id, 0) as connector_id,
            case status when 3 then reason_detail when 4 then reason::text else '' end as failure,
            ${["unreported", "delivered", "undelivered", "unsent"].map((name, place) => `(count(*) filter (where status = ${place + 1}))::int as ${name}`).join(", ")}
       from message where status > 0 and reason is distinct from 1305
      group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
  );

async function expectExact(): Promise<void> {
  expect(await reportRows()).toEqual(await messageRows());
  expect(await deliveryRows()).toEqual(await endedRows());
  expect(await deliveryOfAll("= 0")).toEqual(await deliveryOfAll("> 0"));
  expect(await moneyOfReports()).toEqual(await moneyOfLedger());
}

/** As if it had been accepted so many days ago. */
async function makeOlder(id: string, days: number): Promise<string> {
  const older = uuidv7(Date.now() - days * 86_400_000);
  await world.rows("update message set id = $2 where id = $1", [id, older]);
  await world.rows("update report_open set message_id = $2 where message_id = $1", [id, older]);
  return older;
}

type Fate = "taken" | "delivered" | "undelivered" | "unsent" | "canceled" | "unknown" | "held";

const reasonOf: Partial<Record<Fate, number>> = { unsent: 1303, canceled: 1305, unknown: 1302 };

async function meet(messageId: string, fate: Fate): Promise<void> {
  const { id: accountId } = world.account();
  const [row] = await world.rows<{ parts: number }>("select parts from message where id = $1", [messageId]);
  const parts = Array.from({ length: row?.parts ?? 1 }, (_, index) => index + 1);
  const reason = reasonOf[fate];
  if (reason !== undefined) {
    await endUnsent(world.db, [{ accountId, messageId, reason, detail: null }]);
  } else if (fate === "held") {
    const part = { accountId, messageId, part: 1, connectorId: world.connector().id, recipient: mci };
    await holdParts(world.db, [part]);
  } else if (fate === "taken") {
    await recordProgress(world.db, { taken: parts.map((part) => partTaken(world, messageId, part)) });
  } else {
    const verdict = fate === "delivered" ? fate : "undelivered";
    await recordProgress(world.db, {
      reports: parts.map((part) => ({ accountId, messageId, part, verdict, detail: fate })),
    });
  }
}

const fates = fc.constantFrom<Fate>("taken", "delivered", "undelivered", "unsent", "canceled", "unknown", "held");
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("send" as const), parts: fc.integer({ min: 1, max: 3 }), mci: fc.boolean() }),
    fc.record({ do: fc.constant("meet" as const), message: fc.nat(20), fate: fates }),
    fc.record({ do: fc.constant("build" as const) }),
  ),
  { minLength: 5, maxLength: 25 },
);

/** A receipt comes after the refund, which stays. */
const lateReceipt = [
  { do: "send", parts: 1, mci: true },
  { do: "meet", message: 0, fate: "unknown" },
  { do: "build" },
  { do: "meet", message: 0, fate: "delivered" },
] as const;

describe("reports", () => {
  it("agree with the messages and the ledger, in whatever order things happen", async () => {
    const service = builder();
    const ids: string[] = [];
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        for (const step of given) {
          if (step.do === "build") await build(service);
          else if (step.do === "send") {
            const message = { content: longText(step.parts), recipient: step.mci ? mci : irancell };
            ids.push(...(await storeCall(world, { messages: [message, {}] })));
          } else {
            const id = ids[ids.length - 1 - step.message];
            if (id !== undefined) await meet(id, step.fate);
          }
        }
        await build(service);
        await expectExact();
      }),
      { numRuns: 15, examples: [[[...lateReceipt]]] },
    );
  });

  it("count a change that happens while they count", async () => {
    const service = builder();
    await build(service);
    const id = await storeMessage(world);
    // Announced, not counted yet.
    await world.db.transaction(async (tx) => {
      await tx.query({
        name: "holdReports",
        text: "select pg_advisory_xact_lock(hashtextextended('reports', 0))",
        values: [],
      });
      expect(await service.run(new AbortController().signal)).toEqual({ counted: 0, moved: 0 });
    });
    await meet(id, "taken");
    await build(service);
    await meet(id, "delivered");
    await build(service);
    await expectExact();
  });

  it("are built once by several nodes at work", async () => {
    for (let call = 0; call < 20; call += 1) await storeCall(world, { messages: [{}, { recipient: irancell }] });
    const services = [builder(), builder(), builder()];
    for (let round = 0; round < 5; round += 1)
      await Promise.all(services.map((service) => service.run(new AbortController().signal)));
    await build(services[0]);
    await expectExact();
  });

  it("have the days of their time zone, and begin anew with another", async () => {
    await storeCall(world);
    await build(builder("Pacific/Kiritimati"));
    expect(await reportRows()).toEqual(await messageRows("Pacific/Kiritimati"));
    await build(builder("Pacific/Pago_Pago"));
    expect(await reportRows()).toEqual(await messageRows("Pacific/Pago_Pago"));
    expect(await moneyOfReports()).toEqual(await moneyOfLedger());
  });

  it("are corrected by a receipt for a message that was scheduled, ten days after its acceptance", async () => {
    const { id: accountId } = world.account();
    const [id = "", lost = ""] = await storeCall(world, { messages: [{}, {}] });
    await build();
    await meet(id, "taken");
    await meet(lost, "taken");
    await build();
    // Accepted long ago, and submitted just now: receipts come within ten days of the submission.
    const old = await makeOlder(id, 10);
    const oldLost = await makeOlder(lost, 20);
    await world.rows("update report_open set since = now() - interval '12 days' where message_id = $1", [oldLost]);
    await build(builder());
    await meet(old, "delivered");
    await build(builder());
    expect(await world.rows("select message_id from report_open where account_id = $1", [accountId])).toEqual([]);
    const counts = await world.rows<{ messages: number }>(
      "select status, sum(messages)::int as messages from report_day group by 1 order by 1",
    );
    expect(counts.filter(({ messages }) => messages !== 0)).toEqual([
      { status: 1, messages: 1 },
      { status: 2, messages: 1 },
    ]);
  });

  it("hold nothing open that no receipt can reach any more", async () => {
    const id = await storeMessage(world);
    await meet(id, "taken");
    await world.rows("update message set sent_at = now() - interval '12 days' where id = $1", [id]);
    await build();
    expect(await world.rows("select message_id from report_open")).toEqual([]);
    await expectExact();
  });

  it("keep open for as long as receipts come what was submitted ten days ago and more", async () => {
    const [counted = "", opened = ""] = await storeCall(world, { messages: [{}, {}] });
    for (const id of [counted, opened]) await meet(id, "taken");
    // Of one the count sees it, of the other what was opened before.
    await world.rows("update message set sent_at = now() - interval '10 days 12 hours' where id = $1", [counted]);
    await build();
    await world.rows("update report_open set since = now() - interval '10 days 12 hours' where message_id = $1", [
      opened,
    ]);
    await build(builder());
    for (const id of [counted, opened]) await meet(id, "delivered");
    await build(builder());
    await expectExact();
    expect(await world.rows("select message_id from report_open")).toEqual([]);
  });

  it("count how long deliveries took, and against whom a refusal is", async () => {
    const [slow = "", refused = "", unknown = ""] = await storeCall(world, { messages: [{}, {}, {}] });
    await meet(slow, "taken");
    await build();
    await world.rows("update message set sent_at = now() - interval '70 seconds' where id = $1", [slow]);
    await meet(slow, "delivered");
    const { id: connector } = world.connector();
    const runs = [{ p: 0, c: connector, b: 1, n: 1, s: "ESME_RINVDSTADR", k: 1, f: 0, l: 0, ms: 5 }];
    await world.rows("update message set not_taken = $2 where id = $1", [refused, JSON.stringify({ runs })]);
    const { id: accountId } = world.account();
    await endUnsent(world.db, [{ accountId, messageId: refused, reason: 1303, detail: "ESME_RINVDSTADR" }]);
    const failure = { kind: "unknownNumber" } as const;
    await recordProgress(world.db, {
      reports: [{ accountId, messageId: unknown, part: 1, verdict: "undelivered", detail: "UNDELIV 012", failure }],
    });
    await build();
    expect(
      await world.rows(
        "select connector_id, failure, unsent, within_120 from report_delivery where account_id > 0 order by 2",
      ),
    ).toEqual([
      { connector_id: connector, failure: "", unsent: 0, within_120: 1 },
      { connector_id: connector, failure: "ESME_RINVDSTADR", unsent: 1, within_120: 0 },
      { connector_id: 0, failure: "unknownNumber", unsent: 0, within_120: 0 },
    ]);
  });

  it("make hours of quarters of an hour, and days of hours, and take corrections still", async () => {
    const [late = "", ...others] = await storeCall(world, { messages: [{}, {}, {}] });
    for (const id of [late, ...others]) await meet(id, "taken");
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const [hoursAgo, daysAgo] = [hour - 5 * 3_600_000, hour - 96 * 3_600_000];
    const makeAcceptedAt = async (id: string, ms: number) => {
      const older = uuidv7(ms);
      await world.rows("update message set id = $2 where id = $1", [id, older]);
      return older;
    };
    const correctedLater = await makeAcceptedAt(late, hoursAgo + 1_800_000);
    for (const id of others) await makeAcceptedAt(id, daysAgo + 1_800_000);
    const count = async () => {
      await build();
      await foldFigures({ db: world.db });
      return world.rows(
        "select at, unreported, within_2 from report_delivery where account_id > 0 and unreported + within_2 <> 0 order by at",
      );
    };
    const day = { at: new Date(Math.floor(daysAgo / 86_400_000) * 86_400_000), unreported: 2, within_2: 0 };
    expect(await count()).toEqual([day, { at: new Date(hoursAgo), unreported: 1, within_2: 0 }]);
    await meet(correctedLater, "delivered");
    expect(await count()).toEqual([day, { at: new Date(hoursAgo), unreported: 0, within_2: 1 }]);
  });

  it("wait for a transaction that began before the announcement", async () => {
    const service = builder();
    await build(service);
    const id = await storeMessage(world);
    const statement = {
      name: "touchTariff",
      text: "update configured_object set name = name where section = 'tariffs'",
      values: [],
    };
    await world.db.transaction(async (tx) => {
      await tx.query(statement);
      for (let round = 0; round < 3; round += 1) await service.run(new AbortController().signal);
      expect(await reportRows()).toEqual([]);
    });
    await meet(id, "delivered");
    await build(service);
    await expectExact();
  });
});
