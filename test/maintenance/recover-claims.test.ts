import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { UncertainPolicy } from "../../src/sms/submit-outcome.ts";
import { expireWaiting } from "../../src/maintenance/expire-waiting.ts";
import { recoverClaims } from "../../src/maintenance/recover-claims.ts";
import { ReceiptReceiver } from "../../src/inbound/receive-receipts.ts";
import {
  clear,
  count,
  longText,
  mci,
  openWorld,
  type OrphanPlan,
  readMessage,
  readMoney,
  seedNode,
  seedOrphan,
  storeCall,
  storeMessage,
  type World,
} from "../support/factories.ts";

let world: World;
let node: string;

beforeAll(async () => {
  const connectors = (["resend", "hold", "fail"] as const).map((name) => ({ name, settings: { uncertain: name } }));
  world = await openWorld({ connectors });
});

beforeEach(async () => {
  await clear(world);
  node = await seedNode(world, 60);
});

afterAll(async () => {
  await world.close();
});

const orphan = (connector: string, options?: OrphanPlan): Promise<string> => seedOrphan(world, connector, options);

/** A node claims what was put back, and dies, too. */
async function claimAndDie(messageId: string, connector: string): Promise<void> {
  await world.rows(
    `with taken as (delete from message_queue where message_id = $1 returning account_id, message_id)
     insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids)
     select gen_random_uuid(), gen_random_uuid(), $2, 1, array[account_id], array[message_id] from taken`,
    [messageId, world.connector(connector).id],
  );
}

const recover = (flush: () => Promise<void> = async () => undefined): Promise<Record<string, number>> =>
  recoverClaims({
    db: world.db,
    telemetry: world.telemetry,
    directory: world.directory,
    membership: { nodeId: node },
    alone: false,
    outcomesFlushed: flush,
    onQueued: () => undefined,
  });

const receipts = (): ReceiptReceiver =>
  new ReceiptReceiver({
    db: world.db,
    telemetry: world.telemetry,
    directory: world.directory,
    submissions: new OutcomeRecorder(world),
  });

const receive = (connector: string, id: string): Promise<unknown> =>
  receipts().receive(world.connector(connector), {
    smscMessageId: id,
    recipient: mci,
    state: "DELIVRD",
    verdict: "delivered",
    error: undefined,
  });

describe("what a dead node had claimed", () => {
  it("case 12: resend: goes back to the queue, its outcome open", async () => {
    const id = await orphan("resend");
    expect(await recover()).toEqual({ resent: 1, held: 0, failed: 0 });
    expect(await recover()).toEqual({ resent: 0, held: 0, failed: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302, tries: 1 });
    expect(await count(world, "message_queue")).toBe(1);
  });

  it("case 12: resend: is held after four submissions without an answer, though nodes died over them", async () => {
    const id = await orphan("resend");
    for (const unanswered of [1, 2, 3]) {
      expect(await recover()).toEqual({ resent: 1, held: 0, failed: 0 });
      expect(await world.rows("select unanswered from message_queue")).toEqual([{ unanswered }]);
      await claimAndDie(id, "resend");
    }
    expect(await recover()).toEqual({ resent: 0, held: 1, failed: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    expect(await count(world, "message_queue")).toBe(0);
  });

  it("case 12: resend: a death counts as one more, after those that went unanswered under a living node", async () => {
    const id = await orphan("resend", { parts: 2 });
    const runs = [1, 2].map((p) => ({ p, c: 1, b: 1, n: 1, s: null, k: 3, f: 0, l: 0, ms: null }));
    await world.rows("update message set not_taken = $2 where id = $1", [id, { runs }]);
    expect(await recover()).toEqual({ resent: 0, held: 1, failed: 0 });
  });

  it("is kept with the message, for people to see", async () => {
    const id = await orphan("resend");
    await recover();
    const [row] = await world.rows<{ claims: readonly object[] }>(
      "select orphaned_claims as claims from message where id = $1",
      [id],
    );
    const { id: connector } = world.connector("resend");
    expect(row?.claims).toEqual([
      { connector, bind: 1, host: null, claimedAt: expect.any(Number) as number, at: expect.any(Number) as number },
    ]);
  });

  it("case 15: is taken over in one round, however many claims it is, but for what a living node has claimed again", async () => {
    const ids = await Promise.all(Array.from({ length: 300 }, () => orphan("resend")));
    const again = ids.slice(0, 20);
    await world.rows(
      `insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids)
       select gen_random_uuid(), $1, connector_id, bind_number, account_ids, message_ids from claim where message_ids[1] = any ($2)`,
      [node, again],
    );
    expect(await recover()).toEqual({ resent: 280, held: 0, failed: 0 });
    expect(await count(world, "message_queue")).toBe(280);
    expect(await count(world, "claim")).toBe(20);
  });

  it("case 12: hold: stays open, each of its missing parts by itself", async () => {
    const id = await orphan("hold", { parts: 3, taken: 1 });
    expect(await recover()).toEqual({ resent: 0, held: 1, failed: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    expect(await world.rows("select part from held_message order by part")).toEqual([{ part: 2 }, { part: 3 }]);
    expect(await count(world, "message_queue")).toBe(0);
  });

  it("case 12: that stood in an earlier claim, too, is settled once, by the connector of the latest", async () => {
    const id = await orphan("hold");
    await world.rows(
      `insert into claim (id, node_id, connector_id, bind_number, claimed_at, account_ids, message_ids)
       select gen_random_uuid(), node_id, $1, bind_number, claimed_at - interval '1 second', account_ids, message_ids from claim`,
      [world.connector("resend").id],
    );
    expect(await recover()).toEqual({ resent: 0, held: 1, failed: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    expect(await count(world, "message_queue")).toBe(0);
    expect(await count(world, "claim")).toBe(0);
  });

  it("case 12: fail: ends with 1302 and one refund, and a later receipt still corrects it", async () => {
    const before = await readMoney(world);
    const id = await orphan("fail");
    expect(await recover()).toEqual({ resent: 0, held: 0, failed: 1 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    expect(await readMoney(world)).toEqual(before);
    await receive("fail", "r2");
    expect(await readMessage(world, id)).toMatchObject({ status: 2, reason: null });
    expect(await readMoney(world)).toEqual(before);
  });

  it.each<UncertainPolicy>(["resend", "hold", "fail"])(
    "case 12: %s: past its validity ends with 1302, not 1304, and a later receipt still corrects it",
    async (policy) => {
      const before = await readMoney(world);
      const id = await orphan(policy);
      await world.rows("update message set valid_until = now() - interval '1 second' where id = $1", [id]);
      expect(await recover()).toEqual({ resent: 0, held: 0, failed: 1 });
      expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
      expect(await readMoney(world)).toEqual(before);
      await receive(policy, "r3");
      expect((await readMessage(world, id)).status).toBe(2);
    },
  );

  it("case 5: is looked at only after this node has written down what it has learnt itself", async () => {
    const id = await orphan("resend");
    const counts = await recover(async () => {
      await world.rows("update message set status = 1, parts_taken = 1 where id = $1", [id]);
    });
    expect(counts).toEqual({ resent: 0, held: 0, failed: 0 });
    expect(await count(world, "claim")).toBe(0);
  });

  it("of a connector that is gone from the configuration goes back to the queue", async () => {
    await orphan("resend");
    await world.rows("update claim set connector_id = 9999");
    expect(await recover()).toMatchObject({ resent: 1 });
  });
});

describe("the end of validity", () => {
  const expire = (): Promise<Record<string, number>> => expireWaiting(world);

  it("case 16: of a message that only waited is 1304, with the whole charge back, and is told", async () => {
    const before = await readMoney(world);
    const id = await storeMessage(world, { content: longText(2) });
    await world.rows("update message_queue set valid_until = now() - interval '1 second'");
    const told = world.telemetry.next("message.ended");
    expect(await expire()).toEqual({ expired: 1, unseen: 0, unknown: 0 });
    expect(await told).toEqual({ status: 4, reason: 1304, count: 1 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1304 });
    expect(await readMoney(world)).toEqual(before);
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 0 });
  });

  it("case 12: of a message that was submitted, not answered, and waits to be submitted again is 1302; a receipt corrects it", async () => {
    const id = await seedOrphan(world, "resend", { parts: 2, taken: 1 });
    await recover();
    await world.rows("update message_queue set valid_until = now() - interval '1 second'");
    expect(await expire()).toEqual({ expired: 1, unseen: 0, unknown: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    expect(await world.rows("select part from held_message")).toEqual([{ part: 2 }]);
    await receive("resend", "unheard-of");
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302, taken: 3, delivered: 2 });
  });

  it("of a held message is 1302, once, however many of its parts are held", async () => {
    const before = await readMoney(world);
    const id = await seedOrphan(world, "hold", { parts: 3 });
    await recover();
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 0 });
    await world.rows("update held_message set held_until = now() - interval '1 second'");
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 1 });
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    expect(await readMoney(world)).toEqual(before);
  });

  it("case 55: is carried out once by two nodes at once", async () => {
    const before = await readMoney(world);
    await storeCall(world, { messages: Array.from({ length: 50 }, () => ({})) });
    await world.rows("update message_queue set valid_until = now() - interval '1 second'");
    const counts = await Promise.all([expire(), expire(), expire()]);
    expect(counts.reduce((sum, { expired = 0 }) => sum + expired, 0)).toBe(50);
    expect(await readMoney(world)).toEqual(before);
  });
});
