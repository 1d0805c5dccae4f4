import { describe, expect, it } from "vitest";
import { demoOwner, signInAs, signInStaff, consoleCalls, foreignOwner } from "../../support/console.ts";
import { found } from "../../support/factories.ts";
import { statement } from "../../support/database.ts";
import { useTestApi } from "../../support/test-api.ts";
import { changesOfAccount, changesOfOneself, changesOfStaff } from "../../../src/http/console/console-context.ts";
import { LimitedDatabase } from "../../../src/store/limited-database.ts";

const api = useTestApi();
const { get, post, remove } = consoleCalls(api);

const times = (count: number) => Array.from({ length: count });

describe("somebody whose reads take long", () => {
  it("waits for themselves alone: everybody else reads on, and what is too much is 429", async () => {
    const slow = await signInStaff(api, "viewer");
    const other = await signInStaff(api, "sales");
    const customer = await signInAs(api, demoOwner);
    const { flood, refused } = await api.db.transaction(async (tx) => {
      await tx.query(statement("lock table campaign in access exclusive mode"));
      const ended: number[] = [];
      const flood = times(40).map(async () => {
        const { status, headers } = await get("/campaigns", slow);
        ended.push(status);
        return [status, headers["retry-after"]];
      });
      for (const [path, cookie] of [
        ["/accounts", other],
        ["/messages", customer],
        ["/accounts", other],
      ] as const)
        expect((await get(path, cookie)).status).toBe(200);
      return { flood, refused: [...ended] };
    });
    // One reads, 32 wait.
    expect(refused).toEqual(times(7).map(() => 429));
    const answers = await Promise.all(flood);
    expect(answers.filter(([status]) => status === 429)).toEqual(times(7).map(() => [429, "2"]));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(33);
    expect((await get("/campaigns", slow)).status).toBe(200);
  });

  it("shares the turns of an account with its other users", async () => {
    const cookies = [await signInAs(api, demoOwner), await signInAs(api, demoOwner)];
    const foreign = await signInAs(api, foreignOwner);
    const waiting = await api.db.transaction(async (tx) => {
      await tx.query(statement("lock table message in access exclusive mode"));
      const waiting = cookies.map((cookie) => get("/messages", cookie));
      expect((await get("/received", foreign)).status).toBe(200);
      return waiting;
    });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("waits for the files that they fetch, too", async () => {
    const slow = await signInStaff(api, "administrator");
    const other = await signInStaff(api, "sales", "sales-2");
    const waiting = await api.db.transaction(async (tx) => {
      await tx.query(statement("lock table message in access exclusive mode"));
      const answers = ["/messages.csv", "/messages", "/messages"].map((path) =>
        api.app.inject({ url: `/console/api${path}`, headers: { cookie: slow } }),
      );
      for (let round = 0; round < 3; round += 1) expect((await get("/accounts", other)).status).toBe(200);
      return answers;
    });
    expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  });

  it("gives the turn up where nothing ends: that is 503, and says to narrow the search", async () => {
    const cookie = await signInStaff(api, "operator");
    const { status } = await api.db.transaction(async (tx) => {
      await tx.query(statement("lock table campaign in access exclusive mode"));
      const answers = await Promise.all(times(3).map(() => get("/campaigns", cookie)));
      expect(answers.map(({ status }) => status).sort()).toEqual([429, 503, 503]);
      const { headers, body } = found(answers.find(({ status }) => status === 503));
      expect([headers["retry-after"], body["errorMessage"]]).toEqual(["2", expect.stringContaining("Narrow it")]);
      return get("/accounts", cookie);
    });
    expect(status).toBe(200);
  });

  it("waits for themselves with what they store, and signing in goes on", async () => {
    const customer = await signInAs(api, demoOwner);
    const created = await post("/campaigns", customer, { name: "One", senderNumber: "10001234", content: "Hello" });
    const id = String(created.body["id"]);
    const flood = await api.db.transaction(async (tx) => {
      await tx.query(statement("select from campaign for update"));
      const payload = { first: 1, rows: [["09121234567"]] };
      const flood = times(20).map(() => post(`/campaigns/${id}/rows`, customer, payload));
      const staff = await signInStaff(api, "sales", "sales-3");
      const booking = { amount: 10, reference: "turns" };
      expect((await post("/accounts/foreign/credit", staff, booking)).status).toBe(200);
      return flood;
    });
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("a network with many wrong cookies", () => {
  it("waits for itself alone", async () => {
    const waiting: number[] = [];
    const turns = new LimitedDatabase(api.db, {
      total: 2,
      perKey: 1,
      waitMs: 60_000,
      onWaiting: (count) => waiting.push(count),
    });
    const slow = statement("select pg_sleep(0.02)");
    let done = 0;
    const flood = times(100).map(async () => {
      await turns.of("a").query(slow);
      done += 1;
    });
    await turns.of("b").query(slow);
    expect(done).toBeLessThan(50);
    await Promise.all(flood);
    expect(Math.max(...waiting)).toBe(99);
    expect(waiting.at(-1)).toBe(0);
  });
});

describe("a person who changes much", () => {
  /** How many calls are admitted until one is 429. */
  async function admitted(call: () => Promise<{ status: number }>, most: number): Promise<number> {
    let taken = 0;
    while (taken < most && (await call()).status !== 429) taken += 1;
    return taken;
  }

  it("of the staff is 429 beyond 600 changes; others of the staff go on", async () => {
    const none = "/campaigns/019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10/pause";
    const [busy, other] = [await signInStaff(api, "operator", "busy"), await signInStaff(api, "operator", "other")];
    const change = (cookie: string) => post(none, cookie);
    const taken = await admitted(() => change(busy), 5 * changesOfStaff.burst);
    expect(taken).toBeGreaterThanOrEqual(changesOfStaff.burst);
    expect(taken).toBeLessThan(5 * changesOfStaff.burst);
    expect((await change(other)).status).toBe(404);
  });

  it("is 429 beyond 60 changes of their own, such as passwords that are wrong", async () => {
    const cookie = await signInStaff(api, "operator", "own");
    const end = () => remove("/sessions/019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10", cookie);
    const taken = await admitted(end, 5 * changesOfOneself.burst);
    expect(taken).toBeGreaterThanOrEqual(changesOfOneself.burst);
    expect(taken).toBeLessThan(5 * changesOfOneself.burst);
    expect((await get("/profile", cookie)).status).toBe(200);
    expect((await remove("/session", cookie)).status).toBe(200);
  });
});

describe("an account that changes much", () => {
  it("is 429 beyond 120 changes; reading, sending and others go on", async () => {
    const customer = await signInAs(api, demoOwner);
    const none = "/campaigns/019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10";
    const change = () => post(`${none}/pause`, customer);
    // What the machine is slow with comes back meanwhile.
    let taken = 0;
    let refused = await change();
    for (; refused.status === 404 && taken < 5 * changesOfAccount.burst; refused = await change()) taken += 1;
    expect(refused.status).toBe(429);
    expect(taken).toBeGreaterThanOrEqual(changesOfAccount.burst);
    expect((await api.call("GET", "/metrics")).text).toMatch(
      /^hodhod_console_calls_refused_total\{kind="changeRate"\} \d+$/m,
    );
    expect(refused.headers["retry-after"]).toMatch(/^[12]$/);
    expect((await get("/accounts/demo/addresses", customer)).status).toBe(200);
    const payload = { senderNumber: "10001234", recipientNumbers: ["09121234567"], content: "Hello" };
    for (const path of ["/preview", "/send"]) expect((await post(path, customer, payload)).status).toBe(200);
    const operator = await signInStaff(api, "operator", "operator-2");
    for (const cookie of [await signInAs(api, foreignOwner), operator])
      expect((await post(`${none}/pause`, cookie)).status).toBe(404);
  });
});
