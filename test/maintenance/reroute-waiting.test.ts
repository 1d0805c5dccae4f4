import { beforeEach, describe, expect, it } from "vitest";
import { RerouteWaiting, rerouteWaiting } from "../../src/maintenance/move-waiting.ts";
import { moveToRoutes } from "../../src/store/message-queue.ts";
import { clear, count, found, mci, storeCall, useWorld } from "../support/factories.ts";
import { addObject, changeObjects } from "../support/object-sql.ts";

const world = useWorld({ routes: [{ operator: "MCI", connectors: ["sim"] }] });
const gone = 90_001;

beforeEach(async () => {
  await clear(world);
});

const routesOf = async (): Promise<Record<string, number>> => {
  const rows = await world.rows<{ route: number; n: number }>(
    "select route_id as route, count(*)::int as n from message_queue group by 1",
  );
  return Object.fromEntries(rows.map(({ route, n }) => [route, n]));
};

describe("messages that wait on a route which is gone", () => {
  it("find another one that suits them, and keep their place in time", async () => {
    const [id] = await storeCall(world, { routeId: gone });
    const [before] = await world.rows<{ dueAt: Date }>(`select due_at as "dueAt" from message_queue`);
    expect(await rerouteWaiting(world)).toEqual({ moved: 1 });
    const [after] = await world.rows<{ route: number; dueAt: Date; ofMessage: number }>(
      `select q.route_id as route, q.due_at as "dueAt", m.route_id as "ofMessage" from message_queue q join message m on m.id = q.message_id
        where m.id = $1`,
      [id],
    );
    const route = found(world.routeIds[0]);
    expect(after).toEqual({ route, dueAt: found(before).dueAt, ofMessage: route });
    expect(await rerouteWaiting(world)).toEqual({ moved: 0 });
  });

  it("keep the route by which they have gone meanwhile", async () => {
    const [messageId] = await storeCall(world, { routeId: gone });
    await world.rows("delete from message_queue");
    const accountId = found((await world.rows<{ id: number }>("select account_id as id from message"))[0]).id;
    await moveToRoutes(world.db, [{ accountId, messageId: found(messageId), routeId: found(world.routeIds[0]) }]);
    expect(await world.rows("select route_id as route from message")).toEqual([{ route: gone }]);
  });

  it("are found behind any number of those that no route suits", async () => {
    await storeCall(world, { messages: Array.from({ length: 100 }, () => ({ recipient: mci })), routeId: gone });
    await world.rows("update message set operator = 'Nobody'");
    await world.rows(
      `insert into message_queue select q.route_id, q.priority, q.account_id, q.due_at + n * interval '1 second', q.message_id, q.valid_until, 1
         from message_queue q, generate_series(1, 15) n`,
    );
    await storeCall(world, { messages: [{ recipient: mci }, { recipient: mci }], routeId: gone });
    expect(await rerouteWaiting(world)).toEqual({ moved: 2 });
    expect(await routesOf()).toEqual({ [gone]: 1600, [found(world.routeIds[0])]: 2 });
  });

  it("find a route by the kind of their line, and one of a line that is gone by dedicated", async () => {
    await world.reconfigure(changeObjects("lines", `'{"kind": "service"}'`));
    await world.reconfigure(changeObjects("routes", `'{"line": "service"}'`));
    await storeCall(world, { routeId: gone });
    expect(await rerouteWaiting(world)).toEqual({ moved: 1 });
    await storeCall(world, { routeId: gone });
    await world.rows("update message set sender = '99990000' where route_id = $1", [gone]);
    expect(await rerouteWaiting(world)).toEqual({ moved: 0 });
    await world.reconfigure(changeObjects("routes", `'{"line": "dedicated"}'`));
    expect(await rerouteWaiting(world)).toEqual({ moved: 1 });
    await world.reconfigure(changeObjects("lines", `'{"kind": "dedicated"}'`));
    await world.reconfigure(changeObjects("routes", `'{"line": "*"}'`));
  });

  it("go on waiting while none suits them", async () => {
    await world.reconfigure(addObject("operators", "'Elsewhere'"));
    await storeCall(world, { routeId: gone });
    await world.rows("update message set operator = 'Elsewhere'");
    expect(await rerouteWaiting(world)).toEqual({ moved: 0 });
    const route = JSON.stringify({ operator: "Elsewhere", line: "*", connectors: ["sim"] });
    await world.reconfigure(addObject("routes", "'* Elsewhere'", "$1", "9"), [route]);
    expect(await rerouteWaiting(world)).toEqual({ moved: 1 });
  });

  it("are looked for again at every change of the configuration, and not each time for nothing", async () => {
    const service = new RerouteWaiting(world);
    expect(await service.run()).toEqual({ moved: 0 });
    await storeCall(world, { routeId: gone });
    expect(await service.run()).toEqual({ moved: 0 });
    await world.reconfigure("select 1");
    expect(await service.run()).toEqual({ moved: 1 });
    expect(await count(world, `message_queue where route_id = ${gone}`)).toBe(0);
  });
});
