import { beforeEach, expect, it } from "vitest";
import { requeueLostClaims } from "../../src/dispatch/claiming.ts";
import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { Database } from "../../src/store/database.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { openDatabaseWire } from "../support/database-wire.ts";
import { clear, count, partTaken, seedNode, storeMessage, useWorld } from "../support/factories.ts";

const world = useWorld();
let nodeId: string;
beforeEach(async () => {
  await clear(world);
  nodeId = await seedNode(world, 60);
});

/** One message in a claim of this node that is so old. */
async function claimed({ seconds }: { seconds: number }): Promise<{ claimId: string; messageId: string }> {
  const messageId = await storeMessage(world);
  const claimId = uuidv7();
  await world.rows(
    `with taken as (delete from message_queue where message_id = $4 returning account_id, message_id)
     insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids, claimed_at)
     select $1, $2, $3, 1, array_agg(account_id), array_agg(message_id), now() - make_interval(secs => $5) from taken`,
    [claimId, nodeId, world.connector().id, messageId, seconds],
  );
  return { claimId, messageId };
}

it("an old claim that no dispatcher knows goes back to the queue; a known and a young one stay", async () => {
  const recorder = new OutcomeRecorder(world);
  const lost = await claimed({ seconds: 60 });
  const known = await claimed({ seconds: 60 });
  const young = await claimed({ seconds: 5 });
  const search = { db: world.db, recorder, nodeId, knownIds: () => [known.claimId] };
  await requeueLostClaims(search);
  await requeueLostClaims(search);
  expect(await world.rows("select message_id as id from message_queue")).toEqual([{ id: lost.messageId }]);
  const left = await world.rows("select id from claim order by claimed_at");
  expect(left).toEqual([{ id: known.claimId }, { id: young.claimId }]);
});

it("a message that goes back is known to have gone unanswered before", async () => {
  const { messageId } = await claimed({ seconds: 60 });
  const run = { p: 1, c: 1, b: 1, n: 1, s: null, k: 2, f: 0, l: 0, ms: null };
  await world.rows("update message set not_taken = $2 where id = $1", [messageId, { runs: [run] }]);
  await requeueLostClaims({ db: world.db, recorder: new OutcomeRecorder(world), nodeId, knownIds: () => [] });
  expect(await world.rows("select unanswered from message_queue")).toEqual([{ unanswered: 2 }]);
});

it("a claim of which an outcome could not be written is not lost, though its dispatcher is gone", async () => {
  const recorder = new OutcomeRecorder(world);
  const { claimId, messageId } = await claimed({ seconds: 60 });
  const taken = { ...partTaken(world, messageId, 1), smscMessageId: "\0" };
  await expect(recorder.record({ taken, claimId })).rejects.toThrow();
  await requeueLostClaims({ db: world.db, recorder, nodeId, knownIds: () => [] });
  expect([await count(world, "message_queue"), await count(world, "claim")]).toEqual([0, 1]);
});

it("nothing is taken for lost while outcomes are not on disk", async () => {
  const wire = await openDatabaseWire(world.url);
  const db = Database.open({ url: wire.url, poolSize: 2 });
  const recorder = new OutcomeRecorder({ db, telemetry: world.telemetry });
  await claimed({ seconds: 60 });
  wire.silence();
  const recorded = recorder.record({ finishedClaim: uuidv7() });
  recorded.catch(() => undefined);
  await requeueLostClaims({ db: world.db, recorder, nodeId, knownIds: () => [] });
  expect(await count(world, "claim")).toBe(1);
  wire.break();
  wire.mend();
  await recorded;
  await requeueLostClaims({ db: world.db, recorder, nodeId, knownIds: () => [] });
  expect(await count(world, "claim")).toBe(0);
  await db.close();
  await wire.close();
}, 60_000);
