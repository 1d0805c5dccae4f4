import { expect, it } from "vitest";
import { type Due, WakeUp } from "../../src/dispatch/wake-up.ts";
import { eventually, useWorld } from "../support/factories.ts";

const world = useWorld();

async function open(hasOthers: boolean): Promise<{ wakeUp: WakeUp; heard: Due[] }> {
  const wakeUp = new WakeUp(world.db, () => hasOthers);
  const heard: Due[] = [];
  wakeUp.onWake((due) => heard.push(due));
  await wakeUp.start();
  return { wakeUp, heard };
}

it("tells this node at once, and the others soon, of many announcements once", async () => {
  const [here, there] = [await open(true), await open(true)];
  for (let time = 0; time < 5; time += 1) here.wakeUp.announce({ urgent: time === 2 });
  expect(here.heard.filter(({ urgent }) => urgent)).toHaveLength(1);
  expect(here.heard).toHaveLength(5);
  await eventually(() => there.heard.length > 0);
  expect(there.heard).toEqual([{ urgent: true }]);
  await here.wakeUp.stop();
  await there.wakeUp.stop();
});

it("does not call what has stopped to listen", async () => {
  const { wakeUp, heard } = await open(false);
  const more: Due[] = [];
  const stop = wakeUp.onWake((due) => more.push(due));
  stop();
  wakeUp.announce({ urgent: false });
  expect([heard.length, more.length]).toEqual([1, 0]);
  await wakeUp.stop();
});
