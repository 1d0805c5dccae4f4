import { beforeEach, describe, expect, it } from "vitest";
import { TextEraser } from "../../src/maintenance/erase-texts.ts";
import { storedPurpose } from "../../src/sms/prepare-message.ts";
import { uuidFloor } from "../../src/platform/uuid.ts";
import { clear, useWorld } from "../support/factories.ts";

const world = useWorld();
let now: number;
beforeEach(async () => {
  await clear(world);
  await world.rows("delete from inbound_message");
  await world.rows("delete from erasure_left");
  const [row] = await world.rows<{ now: Date }>("select now() as now");
  now = row?.now.getTime() ?? 0;
  await world.rows("delete from erasure");
  await world.rows(
    "insert into erasure select kind, now() - interval '3 days' from unnest(array['text', 'code', 'received']) kind",
  );
});

const hourMs = 3_600_000;
let serial = 0;

/** An id of so many hours ago. */
function idOf(hoursAgo: number): string {
  serial += 1;
  return uuidFloor(now - hoursAgo * hourMs).slice(0, -6) + serial.toString(16).padStart(6, "0");
}

interface MessagePlan {
  readonly accepted: number;
  /** Hours ago; absent: open. */
  readonly ended?: number;
  readonly template?: string;
  readonly purpose?: keyof typeof storedPurpose;
}

async function store({ accepted, ended, template, purpose }: MessagePlan): Promise<string> {
  const id = idOf(accepted);
  await world.rows(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, template_id, status,
                          route_id, priority, valid_until, final_at, purpose)
     values ($1, $2, $2, '10001234', '989121230000', 'secret', 'en', 'MCI', 'gsm7', 1, 1390, $3, $4, 1, 1, now(), $5, $6)`,
    [world.account().id, id, template, ended === undefined ? 0 : 2, at(ended), purpose && storedPurpose[purpose]],
  );
  return id;
}

function at(hoursAgo: number | undefined): Date | null {
  return hoursAgo === undefined ? null : new Date(now - hoursAgo * hourMs);
}

async function receive(hoursAgo: number): Promise<string> {
  const id = idOf(hoursAgo);
  await world.rows(
    `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
     values ($1, $2, $3, '989121230000', '10001234', 'secret', $4)`,
    [world.account().id, serial, id, at(hoursAgo)],
  );
  return id;
}

function eraserOf(settings: { contentDays?: number; codeContentHours?: number }): TextEraser {
  const current = { retentionDays: 90, contentDays: 0, codeContentHours: 0, ...settings };
  return new TextEraser({ db: world.db, directory: { current }, restFactor: 0 });
}

/** Works until nothing is left to do now. */
async function erase(settings: { contentDays?: number; codeContentHours?: number }): Promise<number> {
  const eraser = eraserOf(settings);
  let erased = 0;
  for (let round = 0; round < 60; round += 1) {
    const before = await state();
    const { erased: ofRound = 0 } = await eraser.run(new AbortController().signal);
    erased += ofRound;
    // A round may end between two steps on the same range, which is noted as done after the last.
    if (ofRound === 0 && before === (await state())) return erased;
  }
  throw new Error("it never ends");
}

async function state(): Promise<string> {
  return JSON.stringify([
    await world.rows("select * from erasure where done_until < now() - interval '90 minutes' order by kind"),
    await world.rows("select * from erasure_left order by kind, from_at"),
  ]);
}

async function kept(table = "message"): Promise<ReadonlySet<string>> {
  const rows = await world.rows<{ id: string }>(`select id from ${table} where content = 'secret'`);
  return new Set(rows.map(({ id }) => id));
}

/** 20,000 within the 200 s after 40 hours ago, long ended. */
async function storeMany(): Promise<void> {
  await world.rows(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status,
                          route_id, priority, valid_until, final_at)
     select $1, (lpad(to_hex(($2::bigint + n * 10)), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(),
            '10001234', '989121230000', 'secret', 'en', 'MCI', 'gsm7', 1, 1390, 2, 1, 1, now(), now() - interval '30 hours'
       from generate_series(1, 20000) n`,
    [world.account().id, now - 40 * hourMs],
  );
}

/**
 * Erases all texts, where a step that erases more than so many is refused as if its time were over.
 * Returns how many were refused.
 */
async function refusalsWhileErasing({ many }: { readonly many: number }): Promise<number> {
  await world.rows(`create function refuse_many() returns trigger language plpgsql as $$
    begin if (select count(*) from changed) > ${many} then raise query_canceled; end if; return null; end $$`);
  await world.rows(`create trigger refuse_many after update on message
    referencing new table as changed for each statement execute function refuse_many()`);
  try {
    const eraser = eraserOf({ contentDays: 1 });
    let failures = 0;
    for (let round = 0; round < 1000 && (await kept()).size > 0; round += 1)
      await eraser.run(new AbortController().signal).catch(() => (failures += 1));
    expect((await kept()).size).toBe(0);
    return failures;
  } finally {
    await world.rows("drop trigger refuse_many on message");
    await world.rows("drop function refuse_many");
  }
}

describe("erasing texts", () => {
  it("erases what ended long enough ago, and nothing else of the message", async () => {
    const old = await store({ accepted: 40, ended: 30 });
    const late = await store({ accepted: 40, ended: 20 });
    const open = await store({ accepted: 40 });
    const young = await store({ accepted: 20, ended: 19 });
    const code = await store({ accepted: 40, ended: 39, template: "TydSt1skQE" });
    const before = await world.rows("select * from message where id = $1", [old]);
    expect(await erase({ contentDays: 1 })).toBe(1);
    expect(await kept()).toEqual(new Set([late, open, young, code]));
    const after = await world.rows("select * from message where id = $1", [old]);
    expect(after).toEqual(before.map((row) => ({ ...(row as object), content: "" })));
  });

  const kinds = {
    code: { template: "TydSt1skQE" },
    codeByPurpose: { template: "TydSt1skQE", purpose: "code" },
    information: { template: "Newsletter", purpose: "information" },
    text: {},
    reply: { purpose: "reply" },
  } as const;

  it.each([
    [{ contentDays: 0, codeContentHours: 0 }, []],
    [{ contentDays: 1, codeContentHours: 0 }, ["information", "text", "reply"]],
    [{ contentDays: 0, codeContentHours: 2 }, ["code", "codeByPurpose"]],
    [{ contentDays: 1, codeContentHours: 2 }, ["code", "codeByPurpose", "information", "text", "reply"]],
  ])("by %o erases %o", async (settings, expected) => {
    const names = new Map<string, string>();
    for (const [name, plan] of Object.entries(kinds))
      names.set(await store({ accepted: 40, ended: 39, ...plan }), name);
    expect(await erase(settings)).toBe(expected.length);
    const left = await kept();
    expect([...names].flatMap(([id, name]) => (left.has(id) ? [] : [name]))).toEqual(expected);
  });

  it("looks again at what had not ended long enough", async () => {
    const open = await store({ accepted: 40 });
    const late = await store({ accepted: 40, ended: 20 });
    expect(await erase({ contentDays: 1 })).toBe(0);
    const left = await world.rows<{ soon: boolean }>(
      "select look_at between now() and now() + interval '6 hours' as soon from erasure_left",
    );
    expect(left.length).toBeGreaterThan(0);
    expect(left.every(({ soon }) => soon)).toBe(true);
    // Five hours pass, and the one ends that was open.
    await world.rows("update message set final_at = final_at - interval '5 hours' where id = $1", [late]);
    await world.rows("update erasure_left set look_at = now()");
    expect(await erase({ contentDays: 1 })).toBe(1);
    expect(await kept()).toEqual(new Set([open]));
    await world.rows("update message set final_at = now() - interval '25 hours' where id = $1", [open]);
    await world.rows("update erasure_left set look_at = now()");
    expect(await erase({ contentDays: 1 })).toBe(1);
    expect(await world.rows("select from erasure_left")).toEqual([]);
  });

  it("erases what came in, so long after its arrival, and marks it", async () => {
    const old = await receive(25);
    const young = await receive(23);
    expect(await erase({ contentDays: 1 })).toBe(1);
    expect(await kept("inbound_message")).toEqual(new Set([young]));
    expect(
      await world.rows(
        "select id, content, content_erased as erased, sender from inbound_message where content_erased",
      ),
    ).toEqual([{ id: old, content: "", erased: true, sender: "989121230000" }]);
  });

  it("leaves everything where nothing is set, and to the node that is at it", async () => {
    await store({ accepted: 40, ended: 39 });
    expect(await erase({})).toBe(0);
    await world.db.transaction(async (tx) => {
      await tx.query({ name: "lockAll", text: "select from erasure for update", values: [] });
      expect(await erase({ contentDays: 1 })).toBe(0);
    });
    expect(await erase({ contentDays: 1 })).toBe(1);
  });

  it("goes on in shorter steps where one was more than a statement has time for", async () => {
    await storeMany();
    await world.rows("update erasure set done_until = now() - interval '400 days'");
    const failures = await refusalsWhileErasing({ many: 200 });
    expect(failures).toBeGreaterThan(0);
    expect(failures).toBeLessThan(20);
  });

  it("comes past more messages that keep their texts than a step looks at", async () => {
    await storeMany();
    await world.rows("update message set final_at = null");
    const ended = await store({ accepted: 39, ended: 30 });
    await world.rows("update erasure set done_until = now() - interval '400 days'");
    expect(await erase({ contentDays: 1 })).toBe(1);
    expect(await kept()).not.toContain(ended);
  });
});
