// One person in everything that the product writes about them, by the ways that it takes itself:
// after `hodhod erase` no column of any table holds the number or the texts, except what
// docs/operate/customers.md names.
import { expect, it } from "vitest";
import { decideReview } from "../../src/intake/decide-review.ts";
import { erasePerson } from "../../src/maintenance/erase-person.ts";
import { eventually } from "../support/factories.ts";
import { type TestGateway, withTestGateway } from "../support/gateway.ts";
import { callGatewayConsole, signInAdministrator, signInAtGateway } from "../support/gateway-console.ts";
import { credentials } from "../support/gateway-setup.ts";
import { searchEverywhere } from "../support/search-everywhere.ts";

/** The operator sends each receipt three times. */
const person = "989124570032";
const local = `0${person.slice(2)}`;
const persian = local.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x6f0 + Number(digit)));
/** In every text that was sent to the person, or came from them. */
const mark = "Private";
const texts = [person.slice(2), persian.slice(1), mark];

const lines = [
  { number: "10001234", kind: "dedicated", inbound: "demo", optOut: "honour" },
  { number: "10005678", kind: "dedicated", inbound: "demo" },
  { number: "10009999", kind: "dedicated" },
  { number: "30001111", kind: "service" },
  { number: "30002222", kind: "advertising" },
];

/** Stays, as the guide says: how many rows hold the number or a text. */
const staying: ReadonlyMap<string, number> = new Map([
  // Waits.
  ["message.recipient", 1],
  ["message.given_recipient", 1],
  ["message.content", 1],
  ["campaign_row.recipient", 1],
  ["campaign_row.given", 1],
  // Protects the person.
  ["opt_out.number", 1],
  ["opt_out_change.numbers", 1],
  ["account.blocked_recipients", 1],
  // Says which operator has the number.
  ["ported_number.number", 1],
  ["configuration_change.keys", 1],
  // For a day.
  ["idempotency_key.answer", 1],
]);

/** Columns that by their names could hold a number or a text of a person, and hold none. */
const others: ReadonlySet<string> = new Set([
  // Of lines, operators and the setup.
  "campaign.content",
  "campaign.sender",
  "inbound_message.recipient",
  "inbound_part.recipient",
  "message.given_sender",
  "message.sender",
  "configured_object.body",
  "template.content",
  "template.sender",
  "audit_entry.before",
  // Words and ids of operators.
  "message.late_answers",
  "message.reason_detail",
  "message.turned_away_answer",
  "unmatched_receipt.keys",
  // Until the part is joined, or the reply is sent: what waits.
  "held_message.recipient",
  "inbound_part.text_utf16",
  "inbound_reply.content",
  "reference_wait.recipient",
  // Two octets for each number of a million, which no search finds.
  "listed_block.numbers",
  "ported_block.numbers",
]);

async function listTelling(gateway: TestGateway): Promise<readonly string[]> {
  const rows = await gateway.rows<{
    name: string;
  }>(`select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
                where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not a.attisdropped
                  and t.typname in ('text', '_text', 'varchar', '_varchar', 'json', 'jsonb', 'bytea', '_bytea')
                  and a.attname ~ 'recipient|number|sender|content|text|given|detail|answer|before|after|keys|body|phone|subscriber' order by 1`);
  return rows.map(({ name }) => name);
}

async function receive(gateway: TestGateway): Promise<void> {
  const mo = (to: string, text: string) => gateway.smsc.sendMo({ from: person, to, text });
  expect(await mo("10001234", `${mark} hello`)).toBe(0);
  expect(await mo("10005678", `${mark} prices`)).toBe(0);
  expect(await mo("10009999", `${mark} to nobody`)).toBe(0);
  for (const part of [1, 2]) {
    const udh = Buffer.from([5, 0, 3, 77, 2, part]);
    const text = { from: person, to: "10001234", udh, dataCoding: 0, bytes: Buffer.from(`${mark} part ${part}`) };
    expect(await gateway.smsc.sendMo(text)).toBe(0);
  }
  await eventually(async () => (await gateway.count("inbound_part", "joined and confirmed")) === 5);
  await eventually(async () => (await gateway.count("inbound_reply", "content is null")) === 1);
}

async function send(gateway: TestGateway): Promise<void> {
  const headers = { "idempotency-key": "kept-for-a-day" };
  const { batchId } = await gateway.send(local, { content: `${mark} with a key` }, { headers });
  await gateway.untilAll(batchId, 2);
  const long = await gateway.send(persian, { content: `${mark} ${"long ".repeat(60)}` });
  await gateway.untilAll(long.batchId, 2);
  const body = { recipientNumber: local, templateId: "OwnLineTpl", parameters: [{ name: "code", value: mark }] };
  const code = await gateway.call("POST", "messages/send/template", { body });
  await gateway.untilAll(code.body.batchId ?? "", 2);
  const later = { sendTimestamp: Math.floor(Date.now() / 1000) + 3600 };
  const scheduled = await gateway.sendBulk([local], { contents: `${mark} canceled`, ...later });
  await gateway.call("DELETE", `messages/send/scheduled/${scheduled.batchId}`);
  await gateway.untilAll(scheduled.batchId, 4);
  const watched = await gateway.send(local, { content: `${mark} gambling` });
  const choice = { batchId: watched.batchId };
  await decideReview(gateway.db, { who: "command:test" }, { decision: "refuse", choice, most: 10 });
  await gateway.untilAll(watched.batchId, 4);
  await gateway.sendBulk([persian], { contents: `${mark} waits`, ...later });
}

async function work(gateway: TestGateway): Promise<void> {
  const administrator = { cookie: await signInAdministrator(gateway) };
  const test = { account: "demo", senderNumber: "10001234", recipientNumber: local, content: `${mark} test` };
  const tested = await callGatewayConsole(gateway, "POST", "/connectors/smsc-1/test-message", {
    headers: administrator,
    body: test,
  });
  expect(tested.status).toBe(200);
  await gateway.untilAll(String(tested.body["batchId"]), 2);
  const { username, password, domain } = credentials;
  const customer = { cookie: await signInAtGateway(gateway, { username, password, organisation: domain }) };
  const call = async (path: string, body: object) => {
    const answer = await callGatewayConsole(gateway, "POST", path, { headers: customer, body });
    expect([path, answer.status, JSON.stringify(answer.body)]).toEqual([path, 200, expect.any(String)]);
    return answer.body;
  };
  const plan = { name: "c", senderNumber: "10001234", content: "Dear {name}", columns: ["name"] };
  const { id } = await call("/campaigns", { ...plan, skipDuplicates: false });
  const rows = [
    [local, mark],
    [persian, `${mark} again`],
    [local, mark.repeat(500)],
  ];
  await call(`/campaigns/${String(id)}/rows`, { first: 1, rows });
  await call(`/campaigns/${String(id)}/start`, {});
  const draft = await call("/campaigns", { ...plan, skipDuplicates: false });
  await call(`/campaigns/${String(draft["id"])}/rows`, { first: 1, rows: [[local, mark]] });
  await eventually(async () => (await gateway.count("campaign", "state = 'done'")) === 1);
  await eventually(async () => (await gateway.count("message", "status < 2")) === 1);
}

/** What other ways than a message bring in. */
async function protect(gateway: TestGateway): Promise<void> {
  expect(await gateway.smsc.sendMo({ from: person, to: "10001234", text: "11" })).toBe(0);
  await eventually(async () => (await gateway.count("event", "detail is not null")) === 1);
  for (const change of [
    "update account set blocked_recipients = array[$1] where name = 'other'",
    "insert into ported_number (number, operator_id) select $1, min(id) from configured_object where section = 'operators'",
    `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state, content)
     values (1, 'x', '{x}', true, $1, 'delivered', 'DELIVRD', 'text:${mark}')`,
    // As former versions stored them.
    `update receipt set content = content || ' text:${mark}' where $1::text <> ''`,
  ])
    await gateway.rows(change, [person]);
}

it("erases a person from every column of every table, except what the guide names", async () => {
  const setup = {
    lines,
    contentRules: [{ name: "watch", words: ["gambling"], action: "review" }],
    inboundRules: [{ line: "10005678", any: true, account: "demo", reply: "see our pages" }],
  };
  const environment = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };
  await withTestGateway({ setup, environment }, async (gateway) => {
    const endpoint = { name: "refuses", url: "http://127.0.0.1:9/hook", events: ["*"] };
    expect(await gateway.call("POST", "webhooks/endpoints", { body: endpoint })).toMatchObject({ status: 200 });
    await receive(gateway);
    await send(gateway);
    await work(gateway);
    await protect(gateway);
    const before = await searchEverywhere(gateway.db, texts);
    // A new column that may hold a number or a text belongs to the world of this test.
    expect((await listTelling(gateway)).filter((name) => !before.has(name) && !others.has(name))).toEqual([]);
    const options = { number: person, by: { who: "command:test" }, progress: () => undefined };
    const erased = await erasePerson(gateway.db, options);
    expect(Object.entries(erased).filter(([, rows]) => rows === 0)).toEqual([]);
    expect(await searchEverywhere(gateway.db, texts)).toEqual(staying);
  });
});
