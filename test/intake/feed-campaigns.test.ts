// Campaigns from the draft to their end: by the console's API, and fed by the duty as a node runs
// it.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { feedCampaigns } from "../../src/intake/feed-campaigns.ts";
import { keepTables } from "../../src/maintenance/keep-tables.ts";
import { findSpendableCredit } from "../../src/store/ledger.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../support/console.ts";
import { useTestApi } from "../support/test-api.ts";

const api = useTestApi();
let owner: string;
let operator: string;

beforeAll(async () => {
  owner = await signInAs(api, demoOwner);
  operator = await signInStaff(api, "operator");
});
beforeEach(async () => {
  await api.rows("delete from campaign");
  await setCredit(1_000_000_000);
});

const setCredit = (rials: number) =>
  api.rows("update account_balance set balance = $2, unlimited = false where account_id = $1", [
    api.accountId("demo"),
    rials,
  ]);
const credit = async () => Number(await findSpendableCredit(api.db, api.accountId("demo")));

interface Campaign {
  readonly id: string;
  readonly state: string;
  readonly [figure: string]: unknown;
}

const call = (path: string, payload: object = {}, { cookie = owner } = {}) =>
  callConsole(api, "POST", path, { cookie, payload });
async function well(path: string, payload: object = {}): Promise<Campaign> {
  const { status, body, text } = await call(path, payload);
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return body as unknown as Campaign;
}
const get = async (path: string, cookie = owner) => (await callConsole(api, "GET", path, { cookie })).body;
const number = (n: number) => `0912${String(n).padStart(7, "0")}`;
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => [number(from + index)]);

const plan = { name: "Autumn", senderNumber: "10001234", content: "Hello" };

async function draft(rows: readonly unknown[][], given: object = plan): Promise<Campaign> {
  const { id } = await well("/campaigns", given);
  for (let first = 1; first <= rows.length; first += 1000)
    await well(`/campaigns/${id}/rows`, { first, rows: rows.slice(first - 1, first + 999) });
  return (await get(`/campaigns/${id}`)) as unknown as Campaign;
}

/** One round of the duty, as each node runs it. */
function feed({ isBusy = (): boolean => false } = {}): Promise<Record<string, number>> {
  const { db, telemetry, directory } = api;
  return feedCampaigns({
    db,
    telemetry,
    directory,
    validitySeconds: 3600,
    announceDue: () => undefined,
    isBusy,
  }).runNow();
}

async function block(recipients: readonly string[]): Promise<void> {
  await api.rows("update account set blocked_recipients = $1 where name = 'demo'", [recipients]);
  await api.directory.stop();
  await api.rows("update configuration set version = version + 1");
  await api.directory.start();
}

async function setLimits(dailyMessages: number, duplicateSeconds: number): Promise<void> {
  await api.rows("delete from account_usage");
  await api.rows("update account set daily_messages = $1, duplicate_seconds = $2 where name = 'demo'", [
    dailyMessages,
    duplicateSeconds,
  ]);
  await api.directory.stop();
  await api.rows("update configuration set version = version + 1");
  await api.directory.start();
}

/** A hundred campaigns of another account that have one row, as they are in the table. */
const insertHundred = (values: { fed: number; sendAt: string | null }) =>
  api.rows(
    `with made as (
         insert into campaign (id, account_id, name, state, created_by, sender, content, columns, skip_duplicates, rows, fed, send_at, fed_at)
         select gen_random_uuid(), $1, 'x', 'sending', 'x', '10001234', 'x', '{}', true, 1, $2, $3::timestamptz, '2020-01-01'
           from generate_series(1, 100) returning id)
       insert into campaign_row (campaign_id, number, recipient, given) select id, 1, '989120000001', '[]' from made`,
    [api.accountId("fenced"), values.fed, values.sendAt],
  );

const messagesOf = (id: string) =>
  api.rows<{ number: number; recipient: string; content: string; priority: number; status: number }>(
    `select r.number, m.recipient, m.content, m.priority, m.status from campaign_row r
         join message m on m.account_id = $2 and m.id = r.message_id where r.campaign_id = $1 order by r.number`,
    [id, api.accountId("demo")],
  );
const messagesInAll = async () => Number((await api.rows<{ n: bigint }>("select count(*) as n from message"))[0]?.n);

describe("a draft", () => {
  it("tells faults, duplicates, blocked ones and the price before anything is sent", async () => {
    const before = [await messagesInAll(), await credit()];
    await block(["989129999999"]);
    const found = await draft([
      [number(1)],
      ["12"],
      [number(2)],
      [9_120_000_001],
      [number(9_999_999)],
      ["۰۹۱۲-۰۰۰ ۰۰۰۳"],
    ]);
    expect(found).toMatchObject({ state: "draft", rows: 6, faulty: 2, blocked: 1, duplicates: 1, expectedParts: 3 });
    expect(found["expectedCost"]).toBe(3 * 2800);
    const faulty = (await get(`/campaigns/${found.id}/rows?only=faulty`))["items"];
    expect(faulty).toMatchObject([
      { number: 2, recipientNumber: "12", errorCode: 1001 },
      { number: 5, recipientNumber: "989129999999", errorCode: 1202 },
    ]);
    expect((await get(`/campaigns/${found.id}/rows?only=duplicate`))["items"]).toMatchObject([
      { number: 4, duplicateOf: 1 },
    ]);
    await feed();
    expect([await messagesInAll(), await credit()]).toEqual(before);
  });

  it("names the characters of all its rows that make texts dearer", async () => {
    const given = { ...plan, content: "Dear {name}", columns: ["name"] };
    const names = Array.from({ length: 1_001 }, (_, index) => [number(index), index < 900 ? "Sara" : "O’Neil"]);
    const { id } = await draft(names, given);
    expect((await get(`/campaigns/${id}/samples`))["costly"]).toEqual([
      { character: "’", codePoint: "U+2019", position: 7, reason: "ucs2", row: 901, rows: 101 },
    ]);
  });

  it("counts rows without a value, and says of the same rows that they are not sent", async () => {
    const rows = ["Sara", "", " \u00a0", "Ali"].map((name, index) => [number(index), name]);
    const found = await draft(rows, { ...plan, content: "Dear {name}", columns: ["name"] });
    expect(found).toMatchObject({ rows: 4, faulty: 2, expectedParts: 2 });
    expect((await get(`/campaigns/${found.id}/samples`))["blank"]).toEqual([{ name: "name", rows: 2 }]);
    const faulty = { errorCode: 1001, errorMessage: "There is no value for name." };
    expect((await get(`/campaigns/${found.id}/rows?only=faulty`))["items"]).toMatchObject([
      { number: 2, ...faulty },
      { number: 3, ...faulty },
    ]);
  });

  it("takes rows in order, and the same rows again without a change", async () => {
    const { id } = await well("/campaigns", plan);
    await well(`/campaigns/${id}/rows`, { first: 1, rows: numbers(3) });
    expect(await well(`/campaigns/${id}/rows`, { first: 1, rows: numbers(3) })).toMatchObject({
      rows: 3,
      duplicates: 0,
    });
    for (const body of [
      { first: 5, rows: numbers(1) },
      { first: 3, rows: numbers(2) },
      { first: 0, rows: numbers(1) },
      { first: 4, rows: [] },
      { first: 4, rows: numbers(1001) },
      { first: 4, rows: [[number(1), "one too many"]] },
      { first: 4, rows: [[{}]] },
      { first: 4, rows: "x" },
      { first: 4, rows: [["0912\0"]] },
      { first: 4, rows: [["\ud800"]] },
      { rows: numbers(1) },
    ]) {
      const { status, body: answer } = await call(`/campaigns/${id}/rows`, body);
      expect([JSON.stringify(body).slice(0, 60), status, answer["errorCode"]]).toEqual([
        JSON.stringify(body).slice(0, 60),
        400,
        1001,
      ]);
    }
    expect(await get(`/campaigns/${id}`)).toMatchObject({ rows: 3 });
  });

  it.each([
    [{ ...plan, name: "" }, "name"],
    [{ ...plan, name: "x".repeat(101) }, "name"],
    [{ ...plan, content: ["x"] }, "content"],
    [{ ...plan, content: "a\0" }, "content"],
    [{ ...plan, templateId: "TydSt1skQE" }, "content"],
    [{ ...plan, content: "Dear {name}", columns: ["family"] }, "content"],
    [{ ...plan, columns: ["a", "a"] }, "columns"],
    [{ ...plan, columns: ["a b"] }, "columns"],
    [{ name: "x" }, "columns"],
  ])("is refused when it is wrong: %j", async (given, field) => {
    const { status, body } = await call("/campaigns", given);
    expect([status, (body["validationErrors"] as { field: string }[])[0]?.field]).toEqual([400, field]);
  });

  it("is one of at most ten, and can be thrown away", async () => {
    const made = [];
    for (let count = 0; count < 10; count += 1) made.push(await well("/campaigns", plan));
    const { status, body } = await call("/campaigns", plan);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    await well(`/campaigns/${made[0]?.id ?? ""}/discard`);
    expect((await callConsole(api, "GET", `/campaigns/${made[0]?.id ?? ""}`, { cookie: owner })).status).toBe(404);
    await well("/campaigns", plan);
  });

  it("of an account counts by its rows until they are sent, however many were sent before", async () => {
    const { id } = await draft(numbers(1));
    const set = (state: string, accepted: number, canceled: number) =>
      api.rows("update campaign set rows = 20000000, state = $2, accepted = $3, canceled = $4 where id = $1", [
        id,
        state,
        accepted,
        canceled,
      ]);
    const statusAfter = async (...given: Parameters<typeof set>) => {
      await set(...given);
      return (await call("/campaigns", plan)).status;
    };
    expect(await statusAfter("done", 20_000_000, 0)).toBe(200);
    expect(await statusAfter("stopped", 20_000_000, 19_000_000)).toBe(200);
    for (const state of ["draft", "sending", "paused"]) expect(await statusAfter(state, 19_000_000, 0)).toBe(400);
    // What was never sent cost nothing, so nothing else would bound it.
    expect(await statusAfter("stopped", 20_000_000, 20_000_000)).toBe(400);
    expect(await statusAfter("done", 0, 0)).toBe(400);
  });

  it("is dropped when nobody has touched it for a month; a campaign with the retention", async () => {
    const [untouched, touched, old] = [await draft(numbers(1)), await draft(numbers(1)), await draft(numbers(1))];
    await well(`/campaigns/${old.id}/start`);
    await feed();
    await api.rows("update campaign set changed_at = now() - interval '31 days' where id = $1", [untouched.id]);
    await api.rows("update campaign set changed_at = now() - interval '401 days' where id = $1", [old.id]);
    const { db, directory } = api;
    await keepTables({ db, directory, idempotencyHours: 24 }, new Date());
    const { items } = (await get("/campaigns")) as { items: Campaign[] };
    expect(items.map(({ id }) => id)).toEqual([touched.id]);
  });
});

describe("a campaign", () => {
  it("sends each row once, with the text of its columns, behind the calls of programs, and is done", async () => {
    const given = { ...plan, content: "{name}: {code}", columns: ["name", "code"] };
    const rows = [
      [number(1), "Sara", "12"],
      [number(2), "علی", 34],
      [number(3), "Reza", null],
      [number(1), "x", "y"],
    ];
    const { id } = await draft(rows, given);
    const before = await credit();
    await well(`/campaigns/${id}/start`);
    expect(await feed()).toEqual({ accepted: 2, canceled: 0 });
    await feed();
    const done = await get(`/campaigns/${id}`);
    expect(done).toMatchObject({ state: "done", fed: 4, accepted: 2, refused: 1, skipped: 1, parts: 2 });
    expect(await messagesOf(id)).toEqual([
      { number: 1, recipient: "989120000001", content: "Sara: 12", priority: 3, status: 0 },
      { number: 2, recipient: "989120000002", content: "علی: 34", priority: 3, status: 0 },
    ]);
    expect(await credit()).toBe(before - (done["cost"] as number));
    expect(await get(`/campaigns/${id}/outcomes`)).toMatchObject({ waiting: 2, delivered: 0, refunded: 0 });
    const { items } = (await get(`/campaigns/${id}/rows`)) as { items: Record<string, unknown>[] };
    expect(items.map(({ messageStatus, errorCode, duplicateOf }) => [messageStatus, errorCode, duplicateOf])).toEqual([
      [0, undefined, undefined],
      [0, undefined, undefined],
      [undefined, 1001, undefined],
      [undefined, undefined, 1],
    ]);
  });

  it("sends a template, each row's own text, and duplicates where that is wanted", async () => {
    const template = { name: "t", templateId: "TydSt1skQE", columns: ["code"], skipDuplicates: false };
    const one = await draft(
      [
        [number(1), "111"],
        [number(1), "222"],
      ],
      template,
    );
    const own = await draft(
      [
        [number(2), "My text"],
        [number(3), ""],
      ],
      { ...plan, content: undefined, columns: ["text"] },
    );
    for (const { id } of [one, own]) await well(`/campaigns/${id}/start`);
    await feed();
    expect((await messagesOf(one.id)).map(({ content }) => content)).toEqual(["کد ورود شما: 111", "کد ورود شما: 222"]);
    expect((await messagesOf(own.id)).map(({ content }) => content)).toEqual(["My text"]);
    expect(await get(`/campaigns/${own.id}`)).toMatchObject({ refused: 1 });
  });

  it("sends no row that had a fault before the start, so that its price and its one message for each number hold", async () => {
    await block(["989120000001"]);
    const found = await draft([[number(1)], [number(2)], [number(1)], [number(2)]]);
    expect(found).toMatchObject({ faulty: 2, blocked: 2, duplicates: 1, expectedParts: 1, expectedCost: 2800 });
    await block([]);
    await well(`/campaigns/${found.id}/start`);
    expect(await feed()).toEqual({ accepted: 1, canceled: 0 });
    await feed();
    const done = await get(`/campaigns/${found.id}`);
    expect(done).toMatchObject({ state: "done", fed: 4, accepted: 1, refused: 2, skipped: 1, parts: 1, cost: 2800 });
    expect((await messagesOf(found.id)).map(({ recipient }) => recipient)).toEqual(["989120000002"]);
    expect((await get(`/campaigns/${found.id}/rows?only=faulty`))["items"]).toMatchObject([
      { number: 1, errorCode: 1202 },
      { number: 3, errorCode: 1202 },
    ]);
  });

  it("gets its turn beside a hundred that wait for their time, and a hundred that do not get on", async () => {
    const [one, other] = [await draft(numbers(1)), await draft(numbers(1))];
    await insertHundred({ fed: 1, sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    await well(`/campaigns/${one.id}/start`);
    await api.rows("update campaign set fed_at = now() where id = $1", [one.id]);
    expect(await feed()).toEqual({ accepted: 1, canceled: 0 });

    await insertHundred({ fed: 0, sendAt: null });
    await well(`/campaigns/${other.id}/start`);
    await api.rows("update campaign set fed_at = now() where id = $1", [other.id]);
    const { db, telemetry, directory } = api;
    // This node has not read that account yet.
    const others = [...directory.current.accounts.values()].filter(({ id }) => id !== api.accountId("fenced"));
    const accounts = new Map(others.map((account) => [account.id, account]));
    const current = { accounts, routes: directory.current.routes };
    const options = { db, telemetry, validitySeconds: 60, announceDue: () => undefined, isBusy: () => false };
    const duty = feedCampaigns({ ...options, directory: { current } });
    const rounds = [await duty.runNow(), await duty.runNow()];
    expect(rounds.map((round) => round["accepted"])).toEqual([0, 1]);
  });

  it("sends each row once, however many nodes feed it at the same time", async () => {
    const { id } = await draft(numbers(950));
    await well(`/campaigns/${id}/start`);
    const before = await messagesInAll();
    await Promise.all([feed(), feed(), feed(), feed()]);
    await feed();
    expect(await messagesInAll()).toBe(before + 950);
    expect((await messagesOf(id)).map((row) => row.number)).toEqual(Array.from({ length: 950 }, (_, at) => at + 1));
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "done", accepted: 950 });
  });

  it("lets no more wait than Pause and Stop can answer for, and yields to the calls of clients", async () => {
    const { id } = await draft(numbers(1500));
    await well(`/campaigns/${id}/start`);
    expect(await feed({ isBusy: () => true })).toEqual({ accepted: 0, canceled: 0 });
    await api.rows("delete from message_queue");
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "sending", fed: 1000 });
    await api.rows("delete from message_queue");
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "done", fed: 1500 });
  });

  it("pauses itself where the credit ends, and goes on from there", async () => {
    const { id } = await draft(numbers(5));
    await setCredit(2 * 2800 + 100);
    await well(`/campaigns/${id}/start`);
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({
      state: "paused",
      pauseReason: "credit",
      fed: 2,
      accepted: 2,
    });
    expect(await credit()).toBe(100);
    await setCredit(100_000);
    expect(await well(`/campaigns/${id}/resume`)).toMatchObject({ state: "sending" });
    await feed();
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "done", accepted: 5, refused: 0 });
    expect(await messagesOf(id)).toHaveLength(5);
  });

  it("pauses itself where the day's ceiling is reached, and refuses repeated texts", async () => {
    const baseline = await messagesInAll();
    await setLimits(baseline + 2, 60);
    const { id } = await draft(numbers(4, 70));
    await well(`/campaigns/${id}/start`);
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({
      state: "paused",
      pauseReason: "ceiling",
      accepted: 2,
      fed: 2,
    });
    await setLimits(baseline + 4, 60);
    const repeated = await draft([...numbers(1, 70), ...numbers(1, 99)]);
    await well(`/campaigns/${repeated.id}/start`);
    await feed();
    expect(await get(`/campaigns/${repeated.id}`)).toMatchObject({ accepted: 1, refused: 1 });
    await setLimits(0, 0);
  });

  it("pauses itself when the account may no longer send so", async () => {
    const { id } = await draft(numbers(1));
    await well(`/campaigns/${id}/start`);
    const { db, telemetry, directory } = api;
    const accountId = api.accountId("demo");
    const account = directory.current.accounts.get(accountId);
    if (account === undefined) throw new Error("no account");
    const accounts = new Map([[accountId, { ...account, permissions: new Set(["send", "send-template"]) }]]);
    const current = { accounts, routes: directory.current.routes };
    const options = { db, telemetry, validitySeconds: 60, announceDue: () => undefined, isBusy: () => false };
    await feedCampaigns({ ...options, directory: { current } }).runNow();
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "paused", pauseReason: "permission", fed: 0 });
  });

  it("starts once however often the call is repeated, and only as a draft", async () => {
    const { id } = await draft(numbers(2));
    const answers = await Promise.all([1, 2, 3].map(() => call(`/campaigns/${id}/start`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    expect((await call(`/campaigns/${id}/start`, { sendAt })).body["errorCode"]).toBe(1001);
    const empty = await well("/campaigns", plan);
    expect((await call(`/campaigns/${empty.id}/start`)).status).toBe(400);
  });

  it("stops: no further row, and what is scheduled is canceled and refunded, also in several rounds", async () => {
    const before = await credit();
    const { id } = await draft(numbers(1000));
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    await well(`/campaigns/${id}/start`, { sendAt });
    await feed();
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "sending", fed: 1000, sendAt });
    expect(await well(`/campaigns/${id}/stop`)).toMatchObject({ state: "stopped", canceling: true });
    expect(await well(`/campaigns/${id}/stop`)).toMatchObject({ state: "stopped" });
    expect(await feed()).toEqual({ accepted: 0, canceled: 1000 });
    const stopped = await get(`/campaigns/${id}`);
    expect(stopped).toMatchObject({ state: "stopped", canceled: 1000 });
    expect(stopped["canceling"]).toBeUndefined();
    expect(await credit()).toBe(before);
    expect(await get(`/campaigns/${id}/outcomes`)).toMatchObject({ waiting: 0, unsent: 1000, refunded: 1000 * 2800 });
    for (const step of ["pause", "resume", "start", "discard"])
      expect((await call(`/campaigns/${id}/${step}`)).status).toBe(400);
  });

  it("stops for good: what comes back from a bind's window after Stop is canceled, too", async () => {
    const before = await credit();
    const { id } = await draft(numbers(3));
    await well(`/campaigns/${id}/start`, { sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    await feed();
    const taken = await api.rows<{ row: string }>(
      `delete from message_queue q using campaign_row r where r.campaign_id = $1 and r.number < 3 and q.message_id = r.message_id
         returning to_jsonb(q)::text as row`,
      [id],
    );
    await well(`/campaigns/${id}/stop`);
    expect(await feed()).toEqual({ accepted: 0, canceled: 1 });
    expect(await get(`/campaigns/${id}`)).toMatchObject({ canceling: true, canceled: 1 });
    // One comes back, the other is answered by the operator.
    await api.rows("insert into message_queue select (jsonb_populate_record(null::message_queue, $1::jsonb)).*", [
      taken[0]?.row,
    ]);
    expect(await feed()).toEqual({ accepted: 0, canceled: 0 });
    const restIsOver = () =>
      api.rows("update campaign set fed_at = fed_at - interval '10 seconds' where id = $1", [id]);
    await restIsOver();
    expect(await feed()).toEqual({ accepted: 0, canceled: 1 });
    expect(await get(`/campaigns/${id}`)).toMatchObject({ canceling: true, canceled: 2 });
    await api.rows(
      "update message m set status = 1 from campaign_row r where r.campaign_id = $1 and m.id = r.message_id and m.status = 0",
      [id],
    );
    await restIsOver();
    expect(await feed()).toEqual({ accepted: 0, canceled: 0 });
    expect((await get(`/campaigns/${id}`))["canceling"]).toBeUndefined();
    expect(await credit()).toBe(before - 2800);
  });

  it("stops where its last row is accepted and messages still wait, but not where none does", async () => {
    const before = await credit();
    const { id } = await draft(numbers(3));
    await well(`/campaigns/${id}/start`);
    await feed();
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "done", accepted: 3 });
    expect(await well(`/campaigns/${id}/stop`)).toMatchObject({ state: "stopped", canceling: true });
    expect(await feed()).toEqual({ accepted: 0, canceled: 3 });
    expect(await get(`/campaigns/${id}`)).toMatchObject({ state: "stopped", canceled: 3 });
    expect(await credit()).toBe(before);

    const sent = await draft(numbers(2, 10));
    await well(`/campaigns/${sent.id}/start`);
    await feed();
    await api.rows(
      "update message m set status = 1 from campaign_row r where r.campaign_id = $1 and m.id = r.message_id returning m.id",
      [sent.id],
    );
    expect((await call(`/campaigns/${sent.id}/stop`)).body["errorCode"]).toBe(1001);
    expect(await get(`/campaigns/${sent.id}`)).toMatchObject({ state: "done" });
  });

  it("lists rows whose messages failed, writes cost and time of each result to a file, and is named by its messages", async () => {
    const { id } = await draft(numbers(4));
    await well(`/campaigns/${id}/start`);
    await feed();
    const [first] = (await get(`/campaigns/${id}/rows`))["items"] as [{ sentMessageId: string }];
    expect((await get(`/messages/${first.sentMessageId}`))["campaign"]).toEqual({ id, name: plan.name });
    const at = "2026-11-28T10:00:00Z";
    await api.rows(
      `update message m set status = r.number, final_at = $2 from campaign_row r
        where r.campaign_id = $1 and m.id = r.message_id and r.number > 1`,
      [id, at],
    );
    const failed = (await get(`/campaigns/${id}/rows?only=failed`))["items"];
    expect(failed).toMatchObject([
      { number: 3, messageStatus: 3 },
      { number: 4, messageStatus: 4 },
    ]);
    const { text } = await callConsole(api, "GET", `/campaigns/${id}/rows.csv?raw=true&only=failed`, { cookie: owner });
    const [titles = "", row = ""] = text.split("\r\n");
    expect(titles).toMatch(/,cost,finalAt$/);
    expect(row).toMatch(/,2800,2026-11-28T10:00:00.000Z$/);
  });

  it("can be paused and stopped by staff who may cancel, who see no text; each step is audited", async () => {
    const { id } = await draft(numbers(1));
    await well(`/campaigns/${id}/start`);
    expect((await call(`/campaigns/${id}/pause`, {}, { cookie: operator })).body).toMatchObject({ state: "paused" });
    const { status } = await call(`/campaigns/${id}/resume`, {}, { cookie: operator });
    expect(status).toBe(403);
    await feed();
    expect(await messagesOf(id)).toEqual([]);
    const seen = await callConsole(api, "GET", `/campaigns/${id}`, { cookie: operator });
    expect(seen.body["content"]).toBeUndefined();
    expect((await get(`/campaigns/${id}`))["content"]).toBe("Hello");
    const { items } = (await get(`/audit?name=${id}`, operator)) as { items: Record<string, unknown>[] };
    expect(items.map(({ who, after }) => [who, after])).toEqual([
      ["staff:operator", { state: "paused" }],
      ["user:demo/demo", { state: "sending" }],
      ["user:demo/demo", { name: "Autumn" }],
    ]);
  });
});
