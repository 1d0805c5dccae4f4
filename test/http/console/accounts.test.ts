import { beforeAll, describe, expect, it } from "vitest";
import { bookCredit } from "../../../src/store/ledger.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { allPages, send } from "./reads.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let staff: string;
let customer: string;

beforeAll(async () => {
  staff = await signInStaff(api, "sales");
  customer = await signInAs(api, demoOwner);
});

describe("GET accounts", () => {
  it("shows staff all accounts in the order of their names, page by page", async () => {
    const items = await allPages((query) => get(`/accounts?${query}`, staff), 3);
    const names = items.map(({ name }) => name as string);
    expect(names).toEqual(["demo", "fenced", "foreign", "open", "poor", "slow", "statusOnly", "textOnly"]);
    expect(items[0]).toEqual({
      name: "demo",
      domain: "demo.example",
      tariff: "standard",
      balance: 100_000_000,
      unlimited: false,
      lines: 3,
      users: 1,
      apiKeys: 1,
    });
  });

  it("shows customers their own alone", async () => {
    expect((await get("/accounts", customer)).body).toMatchObject({ items: [{ name: "demo" }] });
    expect((await get("/accounts/demo", customer)).body).toMatchObject({ name: "demo" });
    expect((await get("/accounts/foreign", customer)).status).toBe(404);
    expect((await get("/accounts/foreign", staff)).body).toMatchObject({ name: "foreign" });
    expect((await get("/accounts/nobody", staff)).status).toBe(404);
  });
});

describe("GET accounts/{name}/statement", () => {
  it("shows every movement once, newest first, with the balance after each", async () => {
    const { batchId } = await send(api, "09121234567");
    const accountId = api.accountId("demo");
    const credit = { accountId, amount: 5000n, reference: "invoice 7", entryId: uuidv7(Date.now() + 1) };
    await api.db.transaction((tx) => bookCredit(tx, credit));
    const { body } = await get("/accounts/demo/statement", customer);
    expect(body).toMatchObject({
      items: [
        { kind: "credit", amount: 5000, balance: 100_002_200, reference: "invoice 7" },
        { kind: "charge", amount: -2800, balance: 99_997_200, messages: 1, parts: 1, batchId },
        { kind: "opening", amount: 100_000_000, balance: 100_000_000 },
      ],
      openingBalance: 0,
      closingBalance: 100_002_200,
      balance: 100_002_200,
      unlimited: false,
    });
    const paged = await allPages((query) => get(`/accounts/demo/statement?${query}`, staff), 1);
    expect(paged).toEqual(body["items"]);
    const future = await get("/accounts/demo/statement?from=2200-01-01", staff);
    expect(future.body).toMatchObject({ items: [], openingBalance: 100_002_200, closingBalance: 100_002_200 });
    expect((await get("/accounts/demo/statement?to=2020-01-01", staff)).body).toMatchObject({
      items: [],
      closingBalance: 0,
    });
  });

  it("names the campaign of a charge and of its refund, also in a file, which is called by account and day", async () => {
    const { batchId, sentMessageId } = await send(api, "09121234568");
    const [{ id: campaign } = { id: "" }] = await api.rows<{ id: string }>(
      `insert into campaign (id, account_id, name, created_by, columns, skip_duplicates, state, started_at, ended_at)
       values ('01800000-0000-7000-8000-000000000000', $1, 'Autumn', 'test', '{}', false, 'done', now() - interval '1 hour', now()) returning id`,
      [api.accountId("demo")],
    );
    await api.rows(
      "insert into campaign_row (campaign_id, number, recipient, given, message_id) values ($1, 1, '989121234568', '{}', $2)",
      [campaign, sentMessageId],
    );
    await api.rows(
      `with refund as (
         insert into ledger_entry (account_id, id, kind, amount, messages, message_id, created_at) values ($1, $2, 'refund', 2800, 1, $3, now() + interval '1 day')
       )
       update account_balance set balance = balance + 2800 where account_id = $1`,
      [api.accountId("demo"), uuidv7(Date.now() + 2), sentMessageId],
    );
    const { body } = await get("/accounts/demo/statement?count=2", customer);
    const own = { batchId, parts: 1, messages: 1, campaign: { id: campaign, name: "Autumn" } };
    expect(body["items"]).toMatchObject([
      { kind: "refund", amount: 2800, messageId: sentMessageId, ...own },
      { kind: "charge", amount: -2800, ...own },
    ]);
    const file = await get("/accounts/demo/statement.csv?language=fa&timeZone=Asia/Tehran", customer);
    const disposition = String(file.headers["content-disposition"]);
    expect(decodeURIComponent(disposition)).toMatch(/; filename\*=UTF-8''گردش حساب demo 14\d\d-\d\d-\d\d\.csv$/);
  });
});
