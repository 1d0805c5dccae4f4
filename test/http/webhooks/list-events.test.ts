import { describe, expect, it } from "vitest";
import { eventTypeNumber, everyEvent, maskOf } from "../../../src/sms/event-types.ts";
import { lockConfiguration } from "../../../src/store/configuration-version.ts";
import { logBeginning, writeEvents, writePosition } from "../../../src/store/event-log.ts";
import { insertInboundMessage } from "../../../src/store/inbound.ts";
import { endUnsent } from "../../../src/store/outcomes.ts";
import { recordProgress } from "../../../src/store/progress.ts";
import { endUnreported } from "../../../src/store/receipts.ts";
import { noteWantedByEndpoints } from "../../../src/store/wanted-events.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { eventually, lockWaiters } from "../../support/factories.ts";
import { keys, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();

interface Told {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

interface Page {
  readonly events: readonly Told[];
  readonly nextCursor: string;
}

async function get(query = "", key: string = keys.demo): Promise<Page> {
  const { status, body } = await api.call("GET", `/webhooks/events${query}`, { key });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as unknown as Page;
}

/** Reads on until so many have come: others' transactions hold back readers for a moment. */
async function readOn(total: number, start: string, query = ""): Promise<Told[]> {
  const told: Told[] = [];
  let after = start;
  await eventually(async () => {
    const page = await get(`?count=2&after=${encodeURIComponent(after)}${query}`);
    after = page.nextCursor;
    told.push(...page.events);
    return told.length >= total;
  });
  return told;
}

async function send(): Promise<string> {
  const { body } = await api.call("POST", "/messages/send", {
    key: keys.demo,
    payload: { senderNumber: "10001234", recipientNumber: "09121234567", content: "Salaam" },
  });
  return (body as unknown as { message: { sentMessageId: string } }).message.sentMessageId;
}

async function status(messageId: string): Promise<unknown> {
  const { body } = await api.call("POST", "/messages/status", {
    key: keys.demo,
    payload: { sentMessageIdes: [messageId] },
  });
  return (body as unknown as { messages: readonly unknown[] }).messages[0];
}

describe("the first call", () => {
  it("and a change of the account's endpoints at the same time wait for each other, and none fails", async () => {
    let first: Promise<Page> | undefined;
    await api.db.transaction(async (tx) => {
      await lockConfiguration(tx);
      first = get("", keys.unlimited);
      first.catch(() => undefined);
      await eventually(async () => (await api.rows(lockWaiters)).length > 0);
      await noteWantedByEndpoints(tx, [{ accountId: api.accountId("open"), mask: maskOf(["credit.low"]) }]);
    });
    expect((await first)?.events).toEqual([]);
    expect(api.directory.current.wantedEventsOf(api.accountId("open"))).toBe(everyEvent);
  });
});

describe("GET webhooks/events", () => {
  it("tells nothing at first, and everything from its first call on, as status and received messages show it", async () => {
    const accountId = api.accountId("demo");
    const before = await send();
    await endUnsent(api.db, [{ accountId, messageId: before, reason: 1303, detail: null }]);
    const { events, nextCursor } = await get();
    expect(events).toEqual([]);
    // This node knows at once.
    expect(api.directory.current.wantedEventsOf(accountId)).toBe(everyEvent);
    const wantedOf = (id: number): number => api.directory.current.wantedEventsOf(id);

    const sent = await send();
    const part = { accountId, messageId: sent, part: 1, connectorId: 1, recipient: "989121234567" };
    await recordProgress(api.db, { taken: [{ ...part, smscIdKey: "1", smscMessageId: "1" }] }, wantedOf);
    const sentState = await status(sent);
    await recordProgress(
      api.db,
      { reports: [{ accountId, messageId: sent, part: 1, verdict: "undelivered", detail: "UNDELIV 027" }] },
      wantedOf,
    );
    const failed = await send();
    await endUnsent(api.db, [{ accountId, messageId: failed, reason: 1302, detail: null }]);
    const failedState = await status(failed);
    // A receipt corrects it.
    await recordProgress(
      api.db,
      { reports: [{ accountId, messageId: failed, part: 1, verdict: "delivered", detail: "" }] },
      wantedOf,
    );
    await insertInboundMessage(api.db, {
      id: uuidv7(),
      accountId,
      sender: "989121234567",
      recipient: "10001234",
      content: "11",
      receivedAt: new Date(),
      complete: true,
      connectorId: 1,
      stray: false,
    });
    await writeEvents(api.db, [
      { accountId, type: "credit.low", detail: { balance: "1", currency: "IRR", lowCredit: "2" } },
    ]);

    const told = await readOn(6, nextCursor);
    const received = await api.call("GET", "/messages/received", { key: keys.demo });
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      ["message.sent", sentState],
      ["message.undelivered", await status(sent)],
      ["message.failed", failedState],
      ["message.delivered", await status(failed)],
      ["message.received", (received.body as unknown as { messages: readonly unknown[] }).messages[0]],
      ["credit.low", { balance: "1", currency: "IRR", lowCredit: "2" }],
    ]);
    for (const event of told) {
      expect(Object.keys(event)).toEqual(["id", "type", "timestamp", "data"]);
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(new Set(told.map(({ id }) => id)).size).toBe(6);
    // The same without a cursor, or with what is given empty, and by types.
    for (const query of ["", "?type=&count=&after="]) expect((await get(query)).events).toEqual(told);
    expect(await readOn(2, nextCursor, "&type=message.failed&type=credit.low")).toEqual([told[2], told[5]]);
    expect((await get("?type=recipient.optedOut")).events).toEqual([]);
  });

  it("tells of a message without a report what was true then, also when the report came at last", async () => {
    const accountId = api.accountId("demo");
    const { nextCursor } = await get();
    const wantedOf = (): number => everyEvent;
    const messageId = await send();
    const part = { accountId, messageId, part: 1, connectorId: 1, recipient: "989121234567" };
    await recordProgress(api.db, { taken: [{ ...part, smscIdKey: "2", smscMessageId: "2" }] }, wantedOf);
    expect(await endUnreported(api.db, { connectorId: 1, deadlineHours: 0 })).toBe(1);
    const unreported = await status(messageId);
    expect(unreported).toMatchObject({ messageStatus: 1, errorCode: 1301 });
    const report = { accountId, messageId, part: 1, verdict: "undelivered", detail: "UNDELIV 027" } as const;
    await recordProgress(api.db, { reports: [{ ...report, failure: { kind: "blacklist" } }] }, wantedOf);
    const told = await readOn(3, nextCursor);
    expect(told.map(({ data }) => (data as { reason?: string }).reason)).toEqual([undefined, undefined, "blacklist"]);
    expect(told.map(({ type }) => type)).toEqual(["message.sent", "message.unreported", "message.undelivered"]);
    expect(told.slice(1).map(({ data }) => data)).toEqual([unreported, await status(messageId)]);
  });

  it("repeats the cursor on an empty page at the end, and makes a new one before it is too old", async () => {
    const { nextCursor } = await get("?count=100");
    let after = nextCursor;
    await eventually(async () => {
      const page = await get(`?after=${after}`);
      const isEnd = page.events.length === 0 && page.nextCursor === after;
      after = page.nextCursor;
      return isEnd;
    });
    expect(await get(`?after=${after}&type=credit.low`)).toEqual({ events: [], nextCursor: after });
    const [position, ms] = [after.slice(0, after.lastIndexOf(".")), Number(after.slice(after.lastIndexOf(".") + 1))];
    const aged = `${position}.${ms - (api.directory.current.eventDays - 1) * 86_400_000}`;
    const page = await get(`?after=${aged}`);
    expect(page.events).toEqual([]);
    expect(Number(page.nextCursor.split(".").at(-1))).toBeGreaterThanOrEqual(ms);
  });

  it("finds what is sought behind many others, and answers a cursor that leads past them", async () => {
    const accountId = api.accountId("demo");
    const { nextCursor } = await get();
    await api.rows(
      `insert into event (at, position, subject_id, account_id, type, detail)
         select now(), pg_current_xact_id()::text::bigint + shift, ('0' || substr(gen_random_uuid()::text, 2, 13) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
                $1, 9, '{}' from event_log, generate_series(1, 12000)`,
      [accountId],
    );
    await writeEvents(api.db, [{ accountId, type: "template.decided", detail: { templateId: "t", approved: true } }]);
    await eventually(async () => (await get(`?count=1&after=${nextCursor}`)).events.length === 1);
    const [told] = await readOn(1, nextCursor, "&type=template.decided");
    expect(told?.data).toEqual({ templateId: "t", approved: true });

    // Where none is sought behind them, they are not read again at each call.
    const none = "&type=recipient.optedOut";
    const passed = await get(`?after=${nextCursor}${none}`);
    expect(passed.events).toEqual([]);
    expect(passed.nextCursor).not.toBe(nextCursor);
    let after = passed.nextCursor;
    await eventually(async () => {
      const page = await get(`?after=${after}${none}`);
      const isRepeated = page.nextCursor === after;
      after = page.nextCursor;
      return isRepeated;
    });
  });

  it("lets a reader go on that began at the oldest event that was kept, for half an hour", async () => {
    const types = "&type=endpoint.disabled";
    const accountId = api.accountId("demo");
    const days = api.directory.current.eventDays;
    await api.rows(
      `insert into event (at, position, subject_id, account_id, type, detail)
         select now() - make_interval(days => $2, mins => n - 20), pg_current_xact_id()::text::bigint + shift,
                ('0' || substr(gen_random_uuid()::text, 2, 13) || '7' || substr(gen_random_uuid()::text, 16))::uuid, $1, $3, jsonb_build_object('n', n)
           from event_log, generate_series(1, 3) n`,
      [accountId, days, eventTypeNumber("endpoint.disabled")],
    );
    let first: Page | undefined;
    // A call looks for half a second at most, and may find nothing on a busy machine.
    await eventually(async () => {
      first = await get(`?count=1${types}`);
      return first.events.length === 1;
    });
    const { nextCursor = "", events = [] } = first ?? {};
    // So much time passes before the next call.
    const pass = async (minutes: number): Promise<string> => {
      await api.rows("update event set at = at - make_interval(mins => $2) where type = $1", [
        eventTypeNumber("endpoint.disabled"),
        minutes,
      ]);
      const [, position, ms] = /^(.+)\.(\d+)$/.exec(nextCursor) ?? [];
      return `${position}.${Number(ms) - minutes * 60_000}`;
    };
    const next = await get(`?after=${await pass(40)}${types}`);
    expect(events.length + next.events.length).toBe(3);
    const late = await api.call("GET", `/webhooks/events?after=${await pass(60)}${types}`, { key: keys.demo });
    expect(refusal(late)).toEqual([400, 1001, "after"]);
  });

  it("keeps to its account, and to the permission", async () => {
    expect((await get("", keys.foreign)).events).toEqual([]);
    const { body } = await api.call("GET", "/webhooks/events", { key: keys.textOnly });
    expect(body.errorCode).toBe(1005);
  });

  it.each(["count=0", "count=101", "after=x", "after=1.2.3", "type=x", "type=message.*", "type=webhook.test"])(
    "%s is 1001 on its field",
    async (query) => {
      const answer = await api.call("GET", `/webhooks/events?${query}`, { key: keys.demo });
      expect(refusal(answer)).toEqual([400, 1001, query.split("=")[0]]);
    },
  );

  it("answers 1001 on after to a cursor from before the oldest event that is kept, and shows none from before", async () => {
    const days = api.directory.current.eventDays;
    const ago = (hours: number): number => Date.now() - days * 86_400_000 - hours * 3_600_000;
    const cursor = (ms: number): string => `${writePosition(logBeginning)}.${ms}`;
    const call = (after: string) => api.call("GET", `/webhooks/events?after=${after}`, { key: keys.demo });
    expect(refusal(await call(cursor(ago(1))))).toEqual([400, 1001, "after"]);
    expect((await call(cursor(ago(-1)))).status).toBe(200);
    const { events } = await get();
    await api.rows("update event set at = $2 where type = $1", [9, new Date(ago(1))]);
    expect((await get()).events).toEqual(events.filter(({ type }) => type !== "credit.low"));
  });
});
