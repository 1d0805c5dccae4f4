// The clock that cases step, in a process as the gateway is one: a clock that stood still would
// make them pass.
import { expect, it } from "vitest";
import { run } from "../../bench/processes.ts";
import { GatewayClock } from "../../faults/gateway-clock.ts";

const hourMs = 3_600_000;

/** Prints its clock when asked. */
const program = `
const tell = () => console.log("clock " + JSON.stringify([Date.now(), new Date().getTime(), Date.parse(Date()), performance.now(),
  new Date(0).toISOString(), new Date() instanceof Date, Date.UTC(2026, 0, 1)]));
process.stdin.on("data", tell);
console.log("ready");
`;

it("a stepped clock tells another time everywhere but in what counts time that passes", async () => {
  const clock = new GatewayClock(3 * hourMs);
  const child = run({ command: process.execPath, args: ["--eval", program], env: clock.env });
  const ask = async (): Promise<[number, number, number, number, string, boolean, number]> => {
    child.send("tell");
    const [, told = ""] = await child.line(/clock (.*)/);
    return JSON.parse(told) as [number, number, number, number, string, boolean, number];
  };
  await child.line(/ready/);
  const ahead = await ask();
  for (const time of ahead.slice(0, 3)) expect(Number(time) - Date.now()).toBeGreaterThan(2.9 * hourMs);
  expect(ahead.slice(4)).toEqual(["1970-01-01T00:00:00.000Z", true, Date.UTC(2026, 0, 1)]);
  clock.step(child.pid, -3 * hourMs);
  await expect.poll(async () => (await ask())[0] - Date.now()).toBeLessThan(-2.9 * hourMs);
  const behind = await ask();
  for (const time of behind.slice(0, 3)) expect(Number(time) - Date.now()).toBeLessThan(-2.9 * hourMs);
  expect(behind[3]).toBeGreaterThan(ahead[3]);
  expect(behind[3] - ahead[3]).toBeLessThan(60_000);
  await child.stop();
  await clock.remove();
});
