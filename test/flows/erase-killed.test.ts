// `hodhod erase`, killed with SIGKILL in the middle of each of its stages and started again: in the
// end everything of the person is gone, the counts add up, and nothing else was touched.
import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { hodhod, spawnHodhod, temporaryFolder } from "../cli/run-hodhod.ts";
import { eventually, useWorld } from "../support/factories.ts";
import { rowsWithout, searchEverywhere } from "../support/search-everywhere.ts";

const person = "989121230000";
const other = "989121239999";
const texts = ["9121230000", "private text"];
/** Of each kind; messages lie so far apart that each is erased in a transaction of its own. */
const each = 3;
const apartMs = 60_000;

const world = useWorld();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
});
afterAll(async () => {
  folder.remove();
});

/** Rows of every kind that the command empties or deletes. */
async function store(number: string, text: string): Promise<void> {
  const account = world.account().id;
  const campaign = uuidv7();
  await world.rows(
    `insert into campaign (id, account_id, name, state, created_by, columns, skip_duplicates) values ($1, $2, 'c', 'done', 'x', '{a}', true)`,
    [campaign, account],
  );
  for (let row = 1; row <= each; row += 1) {
    const id = uuidv7(Date.now() - 3_600_000 + row * apartMs);
    await world.rows(
      `insert into message (account_id, id, batch_id, sender, recipient, given_recipient, content, language, operator, encoding, parts, cost, status,
                            route_id, priority, valid_until, sent_at, final_at)
       values ($1, $2, $2, '10001234', $3, $3, $4, 'en', 'MCI', 'gsm7', 1, 1390, 2, 1, 1, now(), now(), now())`,
      [account, id, number, text],
    );
    await world.rows(
      "insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient) values (now(), 1, $1, $2, $3, 1, $4)",
      [`${number}-${row}`.slice(-6), account, id, number],
    );
    await world.rows(
      "insert into receipt (received_at, message_id, account_id, connector_id, part, repeated, state, error, content) values (now(), $1, $2, 1, 1, true, 'DELIVRD', '', $3)",
      [id, account, text],
    );
    await world.rows(
      "insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at) select $1, coalesce(max(sequence), 0) + 1, $2, $3, '10001234', $4, now() from inbound_message",
      [account, uuidv7(), number, text],
    );
    await world.rows(
      "insert into inbound_part (connector_id, fingerprint, confirmed, sender, recipient, text_utf16, joined) values (1, '\\x01', true, $1, '10001234', $2, true)",
      [number, Buffer.from(text, "utf16le").swap16()],
    );
    await world.rows(
      `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state, content)
       values (1, 'x', '{x}', true, $1, 'delivered', 'DELIVRD', $2)`,
      [number, text],
    );
    await world.rows(
      "insert into event (at, position, subject_id, account_id, type, detail) values (now(), 1, $1, 1, 7, $2)",
      [uuidv7(), `{"lineNumber":"10001234","recipientNumber":"${number}"}`],
    );
    await world.rows(
      "insert into audit_entry (who, action, kind, name, after) values ('x', 'use', 'test message', 'sim', $1)",
      [JSON.stringify({ recipientNumber: number })],
    );
    await world.rows(
      `insert into inbound_reply (id, account_id, line, number, digest, part_ids, expires_at) values ($1, $2, '10001234', $3, '', '{}', now())`,
      [uuidv7(), account, number],
    );
    await world.rows("insert into campaign_row (campaign_id, number, recipient, given) values ($1, $2, $3, $4)", [
      campaign,
      row,
      number,
      JSON.stringify([text]),
    ]);
  }
  await world.rows("insert into concatenation_reference (recipient, last) values ($1, 7) on conflict do nothing", [
    number,
  ]);
}

/** What is left of the person, as the command counts it. */
async function remaining(): Promise<object> {
  const [row] = await world.rows<object>(
    `select (select count(*)::int from message where recipient = $1) as messages, (select count(*)::int from inbound_message where sender = $1) as received,
            (select count(*)::int from receipt where content = 'private text') + (select count(*)::int from unmatched_receipt where recipient = $1) as receipts,
            (select count(*)::int from inbound_part where sender = $1) as parts, (select count(*)::int from event where detail ->> 'recipientNumber' = $1) as events,
            (select count(*)::int from campaign_row where recipient = $1) as "campaignRows",
            (select count(*)::int from audit_entry where after ->> 'recipientNumber' = $1) as traces, 0 as waiting`,
    [person],
  );
  return { ...row };
}

/** Kills the command while it waits for a row that another session holds. */
async function killAt(lock: string): Promise<void> {
  const holder = new pg.Client({ connectionString: world.url });
  await holder.connect();
  const pids = async (text: string, values: readonly unknown[] = []): Promise<readonly number[]> => {
    // Within a transaction the activity stays as it was first seen.
    await holder.query("select pg_stat_clear_snapshot()");
    return (await holder.query<{ pid: number }>(text, [...values])).rows.map(({ pid }) => pid);
  };
  const blockedByUs = () =>
    pids("select pid from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))");
  try {
    await holder.query("begin");
    expect((await holder.query(lock)).rowCount).toBe(1);
    const command = spawnHodhod(["erase", person, "--yes"], { env: { DATABASE_URL: world.url }, folder: folder.path });
    await eventually(async () => (await blockedByUs()).length > 0);
    const sessions = await blockedByUs();
    command.kill("SIGKILL");
    await once(command, "exit");
    await holder.query("rollback");
    // The statement that waited is still done; the command is not there to commit its transaction.
    await eventually(
      async () => (await pids("select pid from pg_stat_activity where pid = any ($1)", [sessions])).length === 0,
    );
  } finally {
    await holder.end();
  }
}

/** Messages that were erased without their submission or receipt, or the other way round. */
function halves(): Promise<readonly object[]> {
  return world.rows(
    `select m.id from message m join submission s on s.message_id = m.id join receipt r on r.message_id = m.id
      where (m.content = '') <> (m.recipient = '') or (m.content = '') <> (s.recipient = '') or (m.content = '') <> (r.content = '')`,
  );
}

/** A row that the stage meets when it has begun, and what is not erased when the command dies. */
const stages = {
  "the second message": [
    "select from message where content = 'private text' order by id offset 1 limit 1 for update",
    { messages: 2, received: 3, receipts: 5 },
  ],
  "a receipt, in the transaction of its message": [
    "select from receipt where content = 'private text' order by message_id offset 1 limit 1 for update",
    { messages: 2, received: 3, receipts: 5 },
  ],
  "a message received": [
    "select from inbound_message where content = 'private text' order by sequence offset 1 limit 1 for update",
    { messages: 0, receipts: 3, parts: 3 },
  ],
  "a parked receipt": [
    "select from unmatched_receipt where content = 'private text' order by id offset 1 limit 1 for update",
    { messages: 0, received: 0, parts: 0, events: 3 },
  ],
  "a row of a campaign": [
    `select from campaign_row where given = '["private text"]' order by number offset 1 limit 1 for update`,
    { messages: 0, events: 0, traces: 0, campaignRows: 3 },
  ],
} as const;

describe("hodhod erase, killed at", () => {
  it.each(Object.entries(stages))(
    "%s, leaves nothing half erased, and erases the rest when it is called again",
    async (_, [lock, left]) => {
      await world.rows(
        `truncate message, submission, receipt, inbound_message, inbound_part, unmatched_receipt, event, audit_entry, inbound_reply, campaign cascade`,
      );
      await store(person, "private text");
      await store(other, "harmless");
      const others = await rowsWithout(world.db, texts, ["audit_entry"]);
      await killAt(lock);
      expect(await halves()).toEqual([]);
      const rest = await remaining();
      expect(rest).toMatchObject(left);
      const { code, stdout } = await hodhod(["erase", person, "--yes", "--json"], {
        env: { DATABASE_URL: world.url },
        folder: folder.path,
      });
      expect([code, JSON.parse(stdout)]).toEqual([0, rest]);
      expect(await searchEverywhere(world.db, texts)).toEqual(new Map());
      const after = await rowsWithout(world.db, texts, ["audit_entry"]);
      expect(others.filter((row) => !after.includes(row))).toEqual([]);
      const audited = await world.rows("select after from audit_entry where kind = 'personalData' order by id");
      expect(audited).toEqual([{ after: { begun: true } }, { after: { begun: true } }, { after: rest }]);
    },
  );
});
