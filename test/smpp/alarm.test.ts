import { expect, it } from "vitest";
import { Alarm, SessionClock } from "../../src/smpp/session-clock.ts";

it("rings when it is due, at the earliest of the times it was brought forward to", async () => {
  const begunAt = performance.now();
  await new Promise<void>((resolve) => {
    const alarm = new Alarm(new SessionClock(), resolve);
    alarm.set(begunAt + 60_000);
    alarm.bringForward(begunAt + 5);
    alarm.bringForward(begunAt + 30_000);
  });
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(4);
  expect(performance.now() - begunAt).toBeLessThan(30_000);
});

it("rings at once for what is past, and not at all when it was stopped", async () => {
  const rung: string[] = [];
  const stopped = new Alarm(new SessionClock(), () => rung.push("stopped"));
  stopped.set(performance.now() - 1);
  stopped.stop();
  await new Promise<void>((resolve) => {
    new Alarm(new SessionClock(), () => {
      rung.push("past");
      new Alarm(new SessionClock(), resolve).set(performance.now() + 5);
    }).set(0);
  });
  expect(rung).toEqual(["past"]);
});

it("leaves no timer behind where it is set between the end of its timer and the look at its clock", async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
  const before = timers();
  const clock = new SessionClock();
  const alarm = new Alarm(clock, () => undefined);
  const times = 20;
  for (let time = 0; time < times; time += 1) {
    alarm.set(clock.now() + 1);
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        alarm.set(clock.now() + 60_000 - time);
        resolve();
      }, 1);
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  alarm.stop();
  expect(timers() - before).toBeLessThan(times / 2);
});
