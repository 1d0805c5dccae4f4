import { beforeEach, describe, expect, it } from "vitest";
import { everyEvent } from "../../../src/sms/event-types.ts";
import { logBeginning, readLogOf, writeEvents } from "../../../src/store/event-log.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { answerToCutCommit } from "../../support/database-wire.ts";
import { emptyTables, eventually, lockWaiters } from "../../support/factories.ts";
import { type Answer, keys, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();
let endpointId: string;
beforeEach(async () => {
  await emptyTables(api.db, ["webhook_endpoint", "wanted_events", "event"]);
  endpointId = await create("*");
});

const query = (text: string, ...values: unknown[]) => api.rows(text, values);

async function create(...events: string[]): Promise<string> {
  const payload = { name: events.join(), url: "https://shop.example/", events };
  const { body } = await api.call("POST", "/webhooks/endpoints", { key: keys.demo, payload });
  return (body as unknown as { endpointId: string }).endpointId;
}

function replay(payload: unknown, id = endpointId): Promise<Answer> {
  return api.call("POST", `/webhooks/endpoints/${id}/replay`, { key: keys.demo, payload });
}

/** Of these types, which happened in this order, a second each. Answers their ids. */
async function happen(...types: ("credit.low" | "template.decided")[]): Promise<readonly string[]> {
  const accountId = api.accountId("demo");
  for (const type of types) await writeEvents(api.db, [{ accountId, type, detail: {} }]);
  let ids: readonly string[] = [];
  await eventually(async () => {
    const asked = { accountId, mask: everyEvent, after: logBeginning, limit: 100 };
    const { rows } = await api.db.transaction((tx) => readLogOf(tx, asked));
    ids = rows.map(({ id }) => id);
    return ids.length === types.length;
  });
  return ids;
}

const stored = () => query("select event_ids as ids, from_at as from, to_at as to from webhook_replay");
const now = () => Math.floor(Date.now() / 1000);

describe("POST webhooks/endpoints/{endpointId}/replay", () => {
  it("sends events again that the log holds and the endpoint wants", async () => {
    const picky = await create("credit.low");
    const ids = await happen("credit.low", "template.decided");
    const asked = { eventIds: [...ids.map((id) => id.toUpperCase()), ids[0], uuidv7()] };
    expect((await replay(asked, picky)).text).toBe('{"replayedCount":1}');
    expect(await stored()).toEqual([{ ids: [ids[0]], from: null, to: null }]);
    const [row] = await query("select position, until_position > 0 as until from webhook_replay");
    expect(row).toEqual({ position: 0n, until: true });
    expect((await replay(asked)).text).toBe('{"replayedCount":2}');
  });

  it("counts those of a time, from its first second until the second that ends it", async () => {
    await happen("credit.low", "template.decided", "credit.low");
    const second = now() - 100;
    await query("update event set at = to_timestamp($1 + 0.5)", second);
    expect((await replay({ from: second - 9, to: second })).text).toBe('{"replayedCount":0}');
    expect((await replay({ from: second + 1, to: second + 9 })).text).toBe('{"replayedCount":0}');
    // Nothing is under way.
    expect(await stored()).toEqual([]);
    expect((await replay({ from: second, to: String(second + 1) })).text).toBe('{"replayedCount":3}');
    expect(await stored()).toEqual([{ ids: null, from: new Date(second * 1000), to: new Date((second + 1) * 1000) }]);
  });

  it("sends nothing of another account, whose ids are as those of no event", async () => {
    const eventIds = await happen("credit.low");
    await query("update event set account_id = $1", api.accountId("foreign"));
    expect((await replay({ eventIds })).text).toBe('{"replayedCount":0}');
    expect((await replay({ from: 0, to: now() + 1 })).text).toBe('{"replayedCount":0}');
  });

  it("leaves out what is older than the log is kept", async () => {
    const ids = await happen("credit.low");
    const days = api.directory.current.eventDays;
    await query("update event set at = now() - make_interval(days => $1, hours => 1)", days);
    expect((await replay({ eventIds: ids })).text).toBe('{"replayedCount":0}');
    expect((await replay({ from: 0, to: now() })).text).toBe('{"replayedCount":0}');
  });

  it("is 409 with 1209 while one is under way, also for two at once", async () => {
    const eventIds = await happen("credit.low");
    const answers = await Promise.all([replay({ eventIds }), replay({ eventIds })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await replay({ from: 0, to: now() + 1 })).body.errorCode).toBe(1209);
    await query("delete from webhook_replay");
    expect((await replay({ eventIds })).status).toBe(200);
  });

  it("is 1001 on enabled for a disabled endpoint, and the log goes on meanwhile", async () => {
    const url = `/webhooks/endpoints/${endpointId}`;
    await api.call("PATCH", url, { key: keys.demo, payload: { enabled: false } });
    const eventIds = await happen("credit.low");
    expect(refusal(await replay({ eventIds }))).toEqual([400, 1001, "enabled"]);
    await api.call("PATCH", url, { key: keys.demo, payload: { enabled: true } });
    expect((await replay({ eventIds })).text).toBe('{"replayedCount":1}');
  });

  it.each([
    ["eventIds", {}],
    ["eventIds", { eventIds: [] }],
    ["eventIds", { eventIds: ["x"] }],
    ["eventIds", { eventIds: "01a1fa75-6310-77a7-aff0-f75f8b020554" }],
    ["eventIds", { eventIds: Array.from({ length: 101 }, () => uuidv7()) }],
    ["eventIds", { eventIds: [uuidv7()], from: 1, to: 2 }],
    ["from", { to: 5 }],
    ["to", { from: 5 }],
    ["to", { from: 5, to: 5 }],
    ["from", { from: -1, to: 5 }],
    ["to", { from: 1, to: 1.5 }],
  ])("is 1001 on %s: %#", async (field, payload) => {
    expect(refusal(await replay(payload))).toEqual([400, 1001, field]);
  });
});

describe("what takes its time", () => {
  it("leaves the sessions of the database to others: replays are counted one after the other", async () => {
    let counting: Promise<readonly Answer[]> = Promise.resolve([]);
    await api.db.dedicatedSession(async (client) => {
      await client.query("begin");
      await client.query("lock table event in access exclusive mode");
      counting = Promise.all(Array.from({ length: 30 }, () => replay({ from: 0, to: now() })));
      await eventually(async () => (await query(lockWaiters)).length > 0);
      for (let call = 0; call < 5; call += 1) {
        const { status } = await api.call("GET", "/account/balance", { key: keys.demo });
        expect(status).toBe(200);
      }
      await client.query("commit");
    });
    expect(new Set((await counting).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

it("a replay whose commit was cut off is not answered as one that was not stored", async () => {
  const payload = { eventIds: await happen("credit.low") };
  const url = `/webhooks/endpoints/${endpointId}/replay`;
  const { status, body } = await answerToCutCommit(api, "webhook_replay", (over) =>
    over.call("POST", url, { key: keys.demo, payload }),
  );
  expect([status, body.errorCode > 1_000_000]).toEqual([500, true]);
  await eventually(async () => (await stored()).length === 1);
});
