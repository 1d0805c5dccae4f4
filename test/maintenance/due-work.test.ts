import { afterAll, beforeAll, expect, it } from "vitest";
import { readDueWork } from "../../src/store/due-work.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
beforeAll(async () => (gateway = await startTestGateway()));
afterAll(() => gateway.stop());

/** Woken as a whole, not as one task. */
const groups: readonly string[] = ["connectors", "webhooks"];

it("asks for tasks that the gateway has, and finds nothing to do for an idle one", async () => {
  const due = await readDueWork(gateway.db);
  for (const [name, inMs] of Object.entries(due)) {
    expect([name, inMs]).toEqual([name, null]);
    if (!groups.includes(name)) await gateway.runNow(name);
  }
});

it("tells in how many milliseconds the next message falls due", async () => {
  const inSeconds = 3600;
  const sendTimestamp = Math.floor(Date.now() / 1000) + inSeconds;
  await gateway.send("09121234567", { sendTimestamp });
  const { "release-due": releaseDue } = await readDueWork(gateway.db);
  expect(Math.abs((releaseDue ?? 0) - inSeconds * 1000)).toBeLessThan(60_000);
});
