// The least that a durable gateway can do, for comparison: parse the call, one grouped insert,
// claim, submit, one grouped result, one grouped receipt. No accounts, no credit, no checks, no
// idempotency, no segmentation, one table. What it reaches is the machine's own limit for this
// design.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { GroupCommitter } from "../src/platform/group-commit.ts";
import { connectAndBind } from "../src/smpp/client.ts";
import { parseDeliveryReceipt } from "../src/smpp/delivery-receipt.ts";

const { DATABASE_URL: databaseUrl, SMSC_PORT: smscPort } = process.env;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 6 });
await pool.query(`drop table if exists bare_message`);
await pool.query(`create table bare_message (id uuid primary key, recipient text not null, content text not null, status smallint not null default 0,
  smsc_id text) with (fillfactor = 70)`);
await pool.query(`create index on bare_message (id) where status = 0`);
await pool.query(`create index on bare_message (smsc_id) where smsc_id is not null`);

function group<Item>(
  name: string,
  text: string,
  columns: ((item: Item) => unknown)[],
): GroupCommitter<Item, undefined> {
  return new GroupCommitter<Item, undefined>({
    commit: async (items) => {
      await pool.query({ name, text, values: columns.map((column) => items.map(column)) });
      return items.map(() => undefined);
    },
    maximumWeight: 1000,
    isItemFailure: () => false,
  });
}

interface Accepted {
  readonly id: string;
  readonly recipient: string;
  readonly content: string;
}

const inserts = group<Accepted>(
  "insert",
  "insert into bare_message (id, recipient, content) select * from unnest($1::uuid[], $2::text[], $3::text[])",
  [({ id }) => id, ({ recipient }) => recipient, ({ content }) => content],
);
const results = group<{ id: string; smscId: string }>(
  "result",
  "update bare_message m set status = 2, smsc_id = r.smsc_id from unnest($1::uuid[], $2::text[]) as r (id, smsc_id) where m.id = r.id",
  [({ id }) => id, ({ smscId }) => smscId],
);
const receipts = group<{ smscId: string }>(
  "receipt",
  "update bare_message m set status = 3 from unnest($1::text[]) as r (smsc_id) where m.smsc_id = r.smsc_id",
  [({ smscId }) => smscId],
);

const session = await connectAndBind({
  host: "127.0.0.1",
  port: Number(smscPort),
  systemId: "bench",
  password: "bench",
  bindType: "transceiver",
  window: 100,
  onRequest: async (pdu) => {
    const receipt = pdu.command === "deliver_sm" ? parseDeliveryReceipt(pdu) : undefined;
    while (!results.isIdle) await results.drained();
    if (receipt?.messageId !== undefined) await receipts.add({ smscId: receipt.messageId });
    return { command_status: 0 };
  },
});

let isClaiming = false;
async function claim(): Promise<void> {
  if (isClaiming || session.windowFree < 25) return;
  isClaiming = true;
  try {
    const { rows } = await pool.query<Accepted>({
      name: "claim",
      text: `update bare_message set status = 1 where id in (select id from bare_message where status = 0 order by id limit $1 for update skip locked)
        returning id, recipient, content`,
      values: [session.windowFree],
    });
    for (const row of rows) submit(row);
    if (rows.length === 0) return;
  } finally {
    isClaiming = false;
  }
  setImmediate(() => void claim());
}

function submit({ id, recipient, content }: Accepted): void {
  const request = {
    command: "submit_sm",
    service_type: "",
    source_addr_ton: 0,
    source_addr_npi: 1,
    source_addr: "10001234",
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: `98${recipient.slice(1)}`,
    esm_class: 0,
    protocol_id: 0,
    priority_flag: 0,
    schedule_delivery_time: "",
    validity_period: "",
    registered_delivery: 1,
    replace_if_present_flag: 0,
    data_coding: 8,
    sm_default_msg_id: 0,
    short_message: Buffer.from(content, "utf16le").swap16(),
  } as const;
  session.submit(request, {
    onReply: (reply) => {
      if (reply.kind !== "response" || reply.pdu.command !== "submit_sm_resp") return;
      void results.add({ id, smscId: reply.pdu.message_id });
      void claim();
    },
  });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { recipientNumber: string; content: string };
    const id = randomUUID();
    void inserts.add({ id, recipient: body.recipientNumber, content: body.content }).then(() => {
      const answer = JSON.stringify({ batchId: id, message: { sentMessageId: id, ...body } });
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
      response.end(answer);
      void claim();
    });
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
