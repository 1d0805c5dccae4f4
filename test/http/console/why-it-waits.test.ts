// Why a message waits, as its page is told: from the queue, the route and the links that are up.
import { beforeAll, expect, it } from "vitest";
import { type LiveFigures, LiveLook } from "../../../src/figures/live-look.ts";
import { acquireBinds, insertNode, markBind } from "../../../src/store/nodes.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { eventually } from "../../support/factories.ts";
import { send } from "./reads.ts";

const api = useTestApi();
let staff: string;
let customer: string;
const nodeId = uuidv7();
const ids: string[] = [];

beforeAll(async () => {
  staff = await signInStaff(api, "viewer");
  customer = await signInAs(api, demoOwner);
  for (let count = 0; count < 3; count += 1) ids.push((await send(api, "09121234567")).sentMessageId);
});

async function waits(id: string | undefined, cookie = staff): Promise<unknown> {
  return (await callConsole(api, "GET", `/messages/${id ?? ""}`, { cookie })).body["waits"];
}

const connectorId = (): number => api.directory.current.connectors[0]?.id ?? 0;
const bind = (bound: boolean) =>
  markBind(api.db, { connectorId: connectorId(), bindNumber: 1, nodeId, bound, error: null });

it("names the connector of the route that no node holds, to staff alone", async () => {
  expect(await waits(ids[0])).toEqual({ kind: "down", connectors: ["mci-1"] });
  expect(await waits(ids[0], customer)).toEqual({ kind: "down" });
});

it("says since when a link is down, and what goes first once it is up", async () => {
  const node = { nodeId, leaseMs: 60_000, configurationVersion: 3n, host: "sms-1", pid: 42, dispatches: true };
  await insertNode(api.db, node);
  await acquireBinds(api.db, { connectorId: connectorId(), nodeId, binds: 1, wanted: 1 });
  await bind(true);
  const inLine = { kind: "inLine", connectors: ["mci-1"] };
  expect(await waits(ids[0])).toEqual({ ...inLine, partsBefore: 0 });
  expect(await waits(ids[2])).toEqual({ ...inLine, partsBefore: 2 });
  expect(await waits(ids[2], customer)).toEqual({ kind: "inLine" });
  await bind(false);
  const [row] = await api.rows<{ at: Date }>("select changed_at as at from bind_lease");
  expect(await waits(ids[0])).toEqual({ kind: "down", connectors: ["mci-1"], since: row?.at.toISOString() });
  await bind(true);
});

it("counts what other accounts have due no further than their turns, and what is more urgent", async () => {
  await api.rows(
    `insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
     select q.route_id, g.priority, g.account_id, now() - interval '1 hour', gen_random_uuid(), q.valid_until, g.parts
       from message_queue q, (values (1, 900, 5), (1, 900, 5), (1, 900, 5), (0, 901, 20), (9, 902, 100)) as g (priority, account_id, parts)
      where q.message_id = $1`,
    [ids[0]],
  );
  // Of the account 900 two messages, as many as the account has before the third of its own.
  expect(await waits(ids[2])).toMatchObject({ kind: "inLine", partsBefore: 2 + 5 + 5 + 20 });
  await api.rows("delete from message_queue where account_id >= 900");
});

it("counts what all of the queue waits for", async () => {
  const look = async () => {
    const live = new LiveLook({ db: api.db, directory: api.directory });
    let waits: LiveFigures["waits"] = [];
    await eventually(async () => (waits = (await live.look()).waits).length > 0);
    return waits;
  };
  const connectors = ["mci-1"];
  expect(await look()).toEqual([{ kind: "inLine", connectors, partsBefore: 3, messages: 3 }]);
  await bind(false);
  expect(await look()).toEqual([{ kind: "down", connectors, since: expect.any(Date) as Date, messages: 3 }]);
  await bind(true);
  const throttle = `update message set turned_away = 1, turned_away_by = $2, turned_away_answer = 'ESME_RTHROTTLED', turned_away_at = now() where id = $1`;
  await api.rows(throttle, [ids[0], connectorId()]);
  const answer = "ESME_RTHROTTLED";
  expect(await look()).toMatchObject([{ kind: "throttled", connectors, answer, messages: 3 }]);
  await api.rows("update message set turned_away_at = now() - interval '1 hour'");
  const later = "update message_queue set due_at = now() + interval '1 hour', priority = priority | 8";
  await api.rows(`${later}, wanted_at = now() where message_id = $1`, [ids[1]]);
  await api.rows(`${later}, attempt = 1 where message_id = $1`, [ids[2]]);
  await api.rows(throttle, [ids[2], connectorId()]);
  expect(await look()).toMatchObject([
    { kind: "outsideHours", messages: 1, until: expect.any(Date) as Date },
    { kind: "refusedForNow", connectors, answer, messages: 1, until: expect.any(Date) as Date },
    { kind: "inLine", messages: 1 },
  ]);
  await api.rows(
    "update message set turned_away = null, turned_away_by = null, turned_away_answer = null, turned_away_at = null",
  );
  await api.rows("update message_queue set due_at = now(), priority = priority & 7, attempt = 0, wanted_at = null");
});

it("tells what waits for its time, for its hours, for a reference and for staff", async () => {
  const [first, second] = ids;
  const later = "update message_queue set due_at = now() + interval '1 hour', priority = priority | 8";
  await api.rows(`${later} where message_id = $1`, [first]);
  const [row] = await api.rows<{ at: Date }>("select due_at as at from message_queue where message_id = $1", [first]);
  const until = row?.at.toISOString();
  expect(await waits(first)).toEqual({ kind: "scheduled", until });
  await api.rows("update message_queue set wanted_at = now() where message_id = $1", [first]);
  expect(await waits(first, customer)).toEqual({ kind: "outsideHours", until });
  await api.rows(
    "insert into reference_wait (recipient, priority, message_id, account_id, due_at) select recipient, 1, id, account_id, now() from message where id = $1",
    [first],
  );
  expect(await waits(first)).toEqual({ kind: "referenceAwaited" });
  await api.rows("update message set reason = 1308 where id = $1", [second]);
  expect(await waits(second)).toEqual({ kind: "review" });
  await api.rows("update message set reason = null, status = 1 where id = $1", [second]);
  expect(await waits(second)).toBeUndefined();
});
