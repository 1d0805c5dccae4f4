import { beforeAll, describe, expect, it } from "vitest";
import { describeEndpoints } from "../../../src/http/webhooks/endpoint-schemas.ts";
import { logBeginning, readLogOf, writeEvents } from "../../../src/store/event-log.ts";
import { everyEvent } from "../../../src/sms/event-types.ts";
import { DatabaseUnavailable } from "../../../src/store/database-errors.ts";
import { listEndpointsOf } from "../../../src/store/webhook-endpoints.ts";
import { statement } from "../../support/database.ts";
import { eventually } from "../../support/factories.ts";
import { keys, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

beforeAll(async () => {
  for (const [name, events] of [
    ["all", ["*"]],
    ["messages", ["message.*"]],
    ["off", ["*"]],
  ] as const) {
    const payload = { name, url: "https://shop.example/hook", events, enabled: name !== "off" };
    const { status } = await api.call("POST", "/webhooks/endpoints", { key: keys.demo, payload });
    expect(status).toBe(200);
  }
});

const listed = () => api.call("GET", "/webhooks/endpoints", { key: keys.demo });

/** Sessions that read the log and cannot go on. */
async function held(): Promise<number> {
  const [row] = await api.rows<{ count: number }>(`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%listFirstEventTimes%'`);
  return row?.count ?? 0;
}

/** While nobody can read the log. */
function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  return api.db.transaction(async (tx) => {
    await tx.query(statement("lock table event in access exclusive mode"));
    return work();
  });
}

describe("what waits for endpoints", () => {
  it("is told of each by what it wants, and of none that is disabled", async () => {
    const accountId = api.accountId("demo");
    await writeEvents(api.db, [{ accountId, type: "credit.low", detail: {} }]);
    const ofLog = { accountId, mask: everyEvent, after: logBeginning, limit: 1 };
    await eventually(async () => (await api.db.transaction((tx) => readLogOf(tx, ofLog))).rows.length === 1);
    const { rows } = await api.db.transaction((tx) => readLogOf(tx, ofLog));
    const told = await describeEndpoints(api.db, await listEndpointsOf(api.db, [accountId]));
    expect(told.map(({ name, oldestWaitingAt }) => [name, oldestWaitingAt])).toEqual([
      ["all", rows[0]?.at],
      ["messages", null],
      ["off", null],
    ]);
  });

  it("is read by two sessions, however many ask, and those who wait are answered", async () => {
    const calls = await withoutLog(async () => {
      const begun = Array.from({ length: 6 }, listed);
      await eventually(async () => (await held()) >= 2);
      const balance = await api.call("GET", "/account/balance", { key: keys.demo });
      expect([balance.status, await held()]).toEqual([200, 2]);
      return begun;
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  });

  it("is given up where the log does not answer", async () => {
    const endpoints = await listEndpointsOf(api.db, [api.accountId("demo")]);
    const failure: unknown = await withoutLog(() =>
      describeEndpoints(api.db, endpoints, 50).catch((error: unknown) => error),
    );
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
  });

  it("is left out of the answer to a stored change, which is no failure", async () => {
    const [, endpoint] = await listEndpointsOf(api.db, [api.accountId("demo")]);
    const url = `/webhooks/endpoints/${endpoint?.id ?? ""}`;
    const { status, body } = await withoutLog(() =>
      api.call("PATCH", url, { key: keys.demo, payload: { batchSize: 7 } }),
    );
    expect({ status, body }).toMatchObject({ status: 200, body: { batchSize: 7 } });
  });
});
