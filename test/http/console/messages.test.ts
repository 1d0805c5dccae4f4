import { beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { listAuditEntries } from "../../../src/store/audit.ts";
import { ensureWeeks, weekName, weekStart } from "../../../src/store/partitions.ts";
import { demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";
import { amid } from "../../support/messages-to-number.ts";
import { allPages, send, type SentMessage } from "./reads.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let operator: string;
let viewer: string;
let customer: string;
const sent: SentMessage[] = [];
let foreign: SentMessage;
const text = "secret code 1234";

beforeAll(async () => {
  operator = await signInStaff(api, "operator");
  viewer = await signInStaff(api, "viewer");
  customer = await signInAs(api, demoOwner);
  for (const number of ["09121234567", "09121234568", "09351234567", "09121234567"]) sent.push(await send(api, number));
  foreign = await send(api, "09121234567", { key: keys.foreign });
});

const idsOf = (items: readonly Readonly<Record<string, unknown>>[]) => items.map(({ sentMessageId }) => sentMessageId);
const newestFirst = () => sent.map(({ sentMessageId }) => sentMessageId).reverse();

describe("GET messages", () => {
  it("shows customers their own, newest first, with their texts", async () => {
    const items = await allPages((page) => get(`/messages?${page}`, customer), 2);
    expect(idsOf(items)).toEqual(newestFirst());
    expect(items[0]).toEqual({
      ...sent.at(-1),
      account: "demo",
      senderNumber: "10001234",
      recipientNumber: "989121234567",
      operator: "MCI",
      language: "en",
      parts: 1,
      cost: 2800,
      messageStatus: 0,
      acceptedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/) as string,
      content: text,
    });
  });

  it("shows staff those of all accounts, and no text", async () => {
    const items = await allPages((page) => get(`/messages?${page}`, viewer), 2);
    expect(idsOf(items)).toEqual([foreign.sentMessageId, ...newestFirst()]);
    expect(JSON.stringify(items)).not.toContain("secret");
  });

  it("gives each message of a number or batch once, page by page", async () => {
    const ofNumber = await allPages((query) => get(`/messages?recipient=09121234567&${query}`, viewer), 1);
    expect(ofNumber).toHaveLength(3);
    expect(JSON.stringify(ofNumber)).not.toContain("secret");
    const ofBatch = await allPages((query) => get(`/messages?batch=${sent[0]?.batchId ?? ""}&${query}`, viewer), 1);
    expect(ofBatch.map(({ sentMessageId }) => sentMessageId)).toEqual([sent[0]?.sentMessageId]);
  });

  it.each([
    ["account=foreign", () => [foreign.sentMessageId]],
    ["account=demo&recipient=%2B989351234567", () => [sent[2]?.sentMessageId]],
    ["recipient=۰۹۱۲۱۲۳۴۵۶۸", () => [sent[1]?.sentMessageId]],
    ["to=2020-01-01", () => []],
    ["from=2200-01-01", () => []],
    ["from=2020-01-01T00:00:00%2B03:30&recipient=09351234567", () => [sent[2]?.sentMessageId]],
    [`batch=${uuidv7()}`, () => []],
    ["line=10001234&operator=Irancell", () => [sent[2]?.sentMessageId]],
    ["account=demo&line=۱۰۰۰۱۲۳۴&operator=Irancell&status=0", () => [sent[2]?.sentMessageId]],
    ["line=10005678", () => []],
    ["account=demo&template=Other", () => []],
    ["status=2", () => []],
    ["account=demo&status=open", () => []],
    ["recipient=09351234567&status=4", () => []],
    ["recipient=09351234567&status=0", () => [sent[2]?.sentMessageId]],
  ])("finds by %s", async (query, expected) => {
    const encoded = encodeURI(query).replaceAll("%25", "%");
    const items = await allPages((page) => get(`/messages?${encoded}&${page}`, viewer), 50);
    expect(items.map(({ sentMessageId }) => sentMessageId)).toEqual(expected());
    expect(JSON.stringify(items)).not.toContain("secret");
  });

  it("finds by number when a week is dropped meanwhile", async () => {
    const week = weekStart(new Date(Date.now() + 9 * 7 * 24 * 3_600_000));
    await ensureWeeks(api.db, [week]);
    const found = await amid(api.db.url, `drop table message_${weekName(week)}`, () =>
      get("/messages?recipient=09351234567&count=50", viewer),
    );
    expect(found).toMatchObject({ status: 200, body: { items: [{ sentMessageId: sent[2]?.sentMessageId }] } });
  });

  it("lets customers look for a text, and not staff", async () => {
    const found = async (words: string) =>
      (await allPages((page) => get(`/messages?text=${encodeURIComponent(words)}&${page}`, customer), 2)).length;
    expect([await found("CODE"), await found("e 1"), await found("%"), await found("_")]).toEqual([4, 4, 0, 0]);
    expect((await get("/messages?text=code", operator)).body).toMatchObject({ errorCode: 1005 });
    expect((await get("/messages.csv?text=code", operator)).status).toBe(403);
  });

  it("finds the messages of a campaign, for its account alone", async () => {
    const campaign = uuidv7();
    await api.rows(
      "insert into campaign (id, account_id, name, created_by, columns, skip_duplicates) values ($1, $2, 'Autumn', 'test', '{}', false)",
      [campaign, api.accountId("demo")],
    );
    for (const [number, message] of sent.slice(0, 2).entries()) {
      await api.rows(
        "insert into campaign_row (campaign_id, number, recipient, given, message_id) values ($1, $2, '989121234567', '{}', $3)",
        [campaign, number + 1, message.sentMessageId],
      );
    }
    const of = async (query: string, cookie: string) =>
      (await allPages((page) => get(`/messages?campaign=${campaign}${query}&${page}`, cookie), 1)).length;
    expect([await of("", customer), await of("", viewer), await of("&status=2", viewer)]).toEqual([2, 2, 0]);
    expect(await of("&account=foreign", viewer)).toBe(0);
  });

  it("shows which outcomes are open", async () => {
    const id = sent[3]?.sentMessageId ?? "";
    const [row] = await api.rows<{ id: string }>("update message set reason = 1302 where id = $1 returning id", [id]);
    expect(row).toEqual({ id });
    const of = async (status: string) =>
      (await allPages((page) => get(`/messages?status=${status}&${page}`, customer), 2)).map(
        ({ sentMessageId }) => sentMessageId,
      );
    expect(await of("open")).toEqual([id]);
    expect(await of("0")).not.toContain(id);
    await api.rows("update message set reason = null where id = $1", [id]);
  });

  it("finds messages by why they failed, and says it, in the file, too", async () => {
    const { sentMessageId } = await send(api, "09121234599");
    await api.rows(
      `update message set status = 3, reason = 1306, reason_detail = 'UNDELIV 130', failure = '{"kind": "blacklist"}' where id = $1`,
      [sentMessageId],
    );
    const query = "failureKind=blacklist";
    expect((await get(`/messages?${query}`, customer)).body).toMatchObject({
      items: [
        {
          ...{ sentMessageId, failureKind: "blacklist" },
          errorMessage: "The message was not delivered to the recipient (blacklist of the network; UNDELIV 130).",
        },
      ],
    });
    expect((await get("/messages?failureKind=barred", customer)).body).toMatchObject({ items: [] });
    const [keysOfRaw = "", raw = ""] = (await get(`/messages.csv?${query}&raw=true`, customer)).text.split("\r\n");
    // Last, because programs may read the columns before it by their position.
    expect(keysOfRaw.split(",").at(-1)).toBe("failureKind");
    expect(raw.split(",").at(-1)).toBe("blacklist");
    await api.rows("delete from message where id = $1", [sentMessageId]);
  });

  it.each([
    "failureKind=weather",
    "count=0",
    "count=201",
    "count=x",
    "after=1",
    "batch=1",
    "from=yesterday",
    "to=2026-13-01",
    "recipient=12",
    "status=5",
  ])("names what is wrong: %s", async (query) => {
    const { status, body } = await get(`/messages?${query}`, viewer);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    const [finding] = body["validationErrors"] as { field: string }[];
    expect(finding).toMatchObject({ field: query.split("=")[0] });
  });
});

describe("GET messages/{id}", () => {
  it("shows the life of a message, to staff with what is the service's own", async () => {
    const id = sent[0]?.sentMessageId ?? "";
    const { status, body, text: raw } = await get(`/messages/${id.toUpperCase()}`, viewer);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      sentMessageId: id,
      account: "demo",
      messageStatus: 0,
      partStates: [{ part: 1, state: "waiting" }],
    });
    // It is due already: what it waits for is said elsewhere.
    expect((body["events"] as { kind: string }[]).map(({ kind }) => kind)).toEqual(["accepted", "validityEnds"]);
    expect(raw).not.toContain("secret");
    expect((await get(`/messages/${id}`, customer)).status).toBe(200);
    for (const unknown of ["x", "%00"]) expect((await get(`/messages/${unknown}`, customer)).status).toBe(404);
  });
});

describe("GET messages/{id}/text", () => {
  it("shows staff the text where the role allows it, and writes that down", async () => {
    const id = sent[0]?.sentMessageId ?? "";
    expect((await get(`/messages/${id}/text`, operator)).body).toEqual({ content: text });
    const { entries } = await listAuditEntries(api.db, { limit: 1 });
    expect(entries[0]).toMatchObject({
      who: "staff:operator",
      address: "127.0.0.1",
      action: "use",
      kind: "messageText",
      name: id,
      account: "demo",
    });
    const { status, body } = await get(`/messages/${id}/text`, viewer);
    expect([status, body["errorCode"]]).toEqual([403, 1005]);
  });

  it("shows customers their own, and writes nothing down", async () => {
    const { entries: before } = await listAuditEntries(api.db, { limit: 1 });
    expect((await get(`/messages/${sent[0]?.sentMessageId ?? ""}/text`, customer)).body).toEqual({ content: text });
    expect((await get(`/messages/${foreign.sentMessageId}/text`, customer)).status).toBe(404);
    expect((await listAuditEntries(api.db, { limit: 1 })).entries).toEqual(before);
  });
});

describe("an erased text", () => {
  it("is empty and says so to those who see texts: in the list, the file and the message", async () => {
    const erased = await send(api, "09121234500");
    const update = "update message set content = '', recipient = '' where id = $1";
    await api.rows(update, [erased.sentMessageId]);
    const { body, text: listed } = await get("/messages?count=1", customer);
    expect(body).toMatchObject({ items: [{ ...erased, recipientNumber: "", content: "" }] });
    expect(listed).toContain('"content":"","contentErased":true}');
    const ofMessage = await get(`/messages/${erased.sentMessageId}/text`, customer);
    expect(ofMessage.body).toEqual({ content: "", contentErased: true });
    expect((await get(`/messages/${erased.sentMessageId}`, customer)).body).toMatchObject({ recipientNumber: "" });
    const [heading, first, second] = (await get("/messages.csv?raw=true", customer)).text.split("\r\n");
    expect(heading).toMatch(/,content,contentErased,failureKind$/);
    expect(first).toMatch(/,,true,$/);
    expect(second).toMatch(/,secret code 1234,,$/);
    const ofStaff = await get("/messages?count=1", viewer);
    expect(ofStaff.text).not.toContain("contentErased");
  });
});
