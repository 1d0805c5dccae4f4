import { beforeAll, describe, expect, it } from "vitest";
import { bookCredit } from "../../../src/store/ledger.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { allPages, send } from "./reads.ts";

const api = useTestApi();
let staff: string;
let customer: string;

beforeAll(async () => {
  staff = await signInStaff(api, "sales");
  customer = await signInAs(api, demoOwner);
});

const get = (path: string, cookie: string) => callConsole(api, "GET", path, { cookie });

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
  it("shows every movement once, with the balance after each", async () => {
    const { batchId } = await send(api, "09121234567");
    const accountId = api.accountId("demo");
    const credit = { accountId, amount: 5000n, reference: "invoice 7", entryId: uuidv7(Date.now() + 1) };
    await api.db.transaction((tx) => bookCredit(tx, credit));
    const { body } = await get("/accounts/demo/statement", customer);
    expect(body).toMatchObject({
      items: [
        { kind: "opening", amount: 100_000_000, balance: 100_000_000 },
        { kind: "charge", amount: -2800, balance: 99_997_200, messages: 1, batchId },
        { kind: "credit", amount: 5000, balance: 100_002_200, reference: "invoice 7" },
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
});
