// PostgreSQL stopped under a running gateway and started again: callers get 503 or 200 and nothing
// in between, operators keep what cannot be stored, and everything goes on by itself when the
// database is back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { commandStatus } from "../../src/smpp/constants.ts";
import { eventually } from "../support/factories.ts";
import { keys, recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { openingCredit, price } from "../support/gateway-setup.ts";

let dataDir: string;
let postgres: EmbeddedPostgres;
let gateway: TestGateway;

const startPostgres = (): Promise<EmbeddedPostgres> => startEmbeddedPostgres({ dataDir, settings: { fsync: "off" } });

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-away-"));
  postgres = await startPostgres();
  const smsc = { receiptDelayMs: 2500, retryDelayMs: 100 };
  gateway = await startTestGateway({ smsc, databaseUrl: postgres.url });
});
afterAll(async () => {
  await gateway.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const body = (recipientNumber: string): object => ({ senderNumber: "10001234", recipientNumber, content: "سلام" });

describe("case 5: the database is stopped and started again", () => {
  it("503 with Retry-After while it is away, and all goes on when it is back: sending, receipts, messages from subscribers", async () => {
    const before = await gateway.send(recipientOf("5001"));
    const scheduled = await gateway.send(recipientOf("5002"), { sendTimestamp: Math.ceil(Date.now() / 1000) + 4 });
    await gateway.untilStatus(before.id, 1);
    const lost = gateway.telemetry.next("database.lost");
    await postgres.stop();

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => gateway.call("POST", "messages/send", { body: body(recipientOf("5003")) })),
    );
    expect(answers.map(({ status, body: { errorCode } }) => [status, errorCode])).toEqual(
      answers.map(() => [503, 503]),
    );
    expect(Number(answers[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await gateway.call("GET", "account/balance")).status).toBe(503);
    expect((await gateway.call("GET", "health/ready")).status).toBe(503);
    expect((await gateway.call("GET", "health/live")).status).toBe(200);
    await lost;

    // Case 27: what cannot be stored is not acknowledged; the operator keeps it and sends it again.
    const refusedReceipt = gateway.smsc.next("receiptAnswered", undefined, 20_000);
    const mo = { from: "989127771234", to: "10001234", text: "while you were away" };
    const refused = await gateway.smsc.sendMo(mo).catch(() => commandStatus.ESME_RX_T_APPN);
    expect(refused).toBe(commandStatus.ESME_RX_T_APPN);
    await eventually(() => gateway.smsc.counters.receiptsWaiting > 0);

    postgres = await startPostgres();
    await gateway.until("ready again", async () =>
      (await gateway.call("GET", "health/ready")).status === 200 ? true : undefined,
    );
    await gateway.untilStatus(before.id, 2);
    expect((await refusedReceipt).commandStatus).toBe(0);
    await gateway.untilStatus(scheduled.id, 2);
    await gateway.until("a bind", () => gateway.smsc.sessions.length > 0 || undefined);
    expect(await gateway.smsc.sendMo(mo)).toBe(0);
    const received = await gateway.call("GET", "messages/received");
    expect(received.body.messages?.map(({ content }) => content)).toEqual(["while you were away"]);
    const after = await gateway.send(recipientOf("5003"));
    await gateway.untilStatus(after.id, 2);
    expect(gateway.submissions(recipientOf("5003"))).toHaveLength(1);
    expect(gateway.submissions(recipientOf("5002"))).toHaveLength(1);
    expect(await gateway.balance()).toBe(openingCredit - 3n * price.persian);
  });

  it("sessions ended in the middle of many calls: each is 200 and stored, or 503 and not, and the money says the same", async () => {
    const numbers = Array.from({ length: 120 }, (_, index) => recipientOf("5004", index));
    const charged = openingCredit - (await gateway.balance());
    const messagesBefore = await gateway.count("message");
    const taken = gateway.telemetry.next("batch.accepted");
    const calls = numbers.map((number) => gateway.call("POST", "messages/send", { body: body(number) }));
    await taken;
    await gateway.db
      .query({
        name: "endAllSessions",
        text: "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        values: [],
      })
      .catch(() => undefined);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    const kept = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await gateway.count("message")).toBe(messagesBefore + kept);
    expect(await gateway.balance()).toBe(openingCredit - charged - BigInt(kept) * price.persian);
    expect((await gateway.ledger()).sum).toBe(await gateway.balance());
    await gateway.until("all delivered", async () =>
      (await gateway.count("message", "status = 2")) === messagesBefore + kept ? true : undefined,
    );
  });

  it("a gateway that is started while it is away waits for it", async () => {
    await gateway.stopGateway();
    await postgres.stop();
    const started = gateway.start();
    await Promise.race([gateway.telemetry.next("database.lost"), started]);
    postgres = await startPostgres();
    await started;
    const { id } = await gateway.send(recipientOf("5006"));
    await gateway.untilStatus(id, 2);
  });

  it("case 4: after all that, another account's message goes through as on the first day", async () => {
    const { id } = await gateway.send(recipientOf("5005"), {}, { key: keys.other });
    await gateway.untilStatus(id, 2, { key: keys.other });
  });
});
