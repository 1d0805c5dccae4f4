import { beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { allPages } from "./reads.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let staff: string;
let customer: string;

async function receive(account: string, sequence: number, sender = "989121234567"): Promise<void> {
  const at = Date.now() - 100_000 + sequence * 1000;
  await api.rows(
    `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at, connector_id)
       values ($1, $2, $3, $4, '10001234', 'secret answer', $5, (select min(id) from configured_object where section = 'connectors'))`,
    [api.accountId(account), sequence, uuidv7(at), sender, new Date(at)],
  );
}

beforeAll(async () => {
  staff = await signInStaff(api, "viewer");
  customer = await signInAs(api, demoOwner);
  for (const sequence of [1, 3, 5]) await receive("demo", sequence);
  await receive("foreign", 2);
  await receive("nobody", 4, "Bank");
});

const accountsOf = (items: readonly Readonly<Record<string, unknown>>[]) => items.map(({ account }) => account);

describe("GET received", () => {
  it("shows customers their own with the text", async () => {
    const items = await allPages((query) => get(`/received?${query}`, customer), 2);
    expect(accountsOf(items)).toEqual(["demo", "demo", "demo"]);
    expect(items[0]).toEqual({
      receivedMessageId: expect.any(String) as string,
      account: "demo",
      senderNumber: "989121234567",
      recipientNumber: "10001234",
      receivedAt: expect.any(String) as string,
      complete: true,
      content: "secret answer",
    });
    expect((await get("/received?unassigned=true", customer)).body).toMatchObject({ items: [{}, {}, {}] });
  });

  it("shows staff all, also those that no account got, without texts", async () => {
    const items = await allPages((query) => get(`/received?${query}`, staff), 2);
    expect(accountsOf(items)).toEqual(["demo", undefined, "demo", "foreign", "demo"]);
    expect(JSON.stringify(items)).not.toContain("secret");
    expect(items[0]).toMatchObject({ connector: "mci-1" });
  });

  it.each([
    ["unassigned=true", [undefined]],
    ["account=foreign", ["foreign"]],
    ["sender=09121234567", ["demo", "demo", "foreign", "demo"]],
    ["sender=Bank", [undefined]],
    ["to=2020-01-01", []],
    ["from=2200-01-01&account=demo", []],
  ])("narrows by %s", async (query, accounts) => {
    const items = await allPages((page) => get(`/received?${query}&${page}`, staff), 5);
    expect(accountsOf(items)).toEqual(accounts);
  });

  it.each(["after=x", "account=demo&after=x", "from=x", "count=0"])("names what is wrong: %s", async (query) => {
    expect((await get(`/received?${query}`, staff)).status).toBe(400);
  });
});

describe("an erased text", () => {
  it("is empty and says so, unlike one that came empty", async () => {
    await receive("demo", 7, "");
    await receive("demo", 9);
    await api.rows("update inbound_message set content = '', content_erased = sequence = 7 where sequence in (7, 9)");
    const { text, body } = await get("/received?count=2", customer);
    expect(body).toMatchObject({ items: [{ content: "" }, { senderNumber: "", content: "", contentErased: true }] });
    expect(text.match(/"content":"","contentErased":true}/g)).toHaveLength(1);
    const lines = (await get("/received.csv?raw=true", customer)).text.split("\r\n");
    expect(lines[1]).toMatch(/,true,,$/);
    expect(lines[2]).toMatch(/,true,,true$/);
    expect((await get("/received?count=2", staff)).text).not.toContain("contentErased");
  });
});
