import { beforeAll, expect, it } from "vitest";
import { demoTraffic } from "../../src/app/demo-traffic.ts";
import { findBalance } from "../../src/store/ledger.ts";
import { listen } from "../support/browser.ts";
import { demoOwner, signInAs } from "../support/console.ts";
import { keys, useTestApi } from "../support/test-api.ts";

const api = useTestApi();
let url: string;
beforeAll(async () => {
  url = new URL(await listen(api)).origin;
});

const traffic = () =>
  demoTraffic({ db: api.db, telemetry: api.telemetry, url, apiKey: keys.demo, senderNumber: "10001234" });
const balance = async () => (await findBalance(api.db, { accountId: api.accountId("demo") }))?.balance ?? 0n;

it("sends only while somebody looks at the console", async () => {
  const before = await balance();
  expect(await traffic().runNow()).toEqual({ sent: 0 });
  expect(await balance()).toBe(before);

  await signInAs(api, demoOwner);
  const seen = traffic();
  // Most of its operators have no route here, so many are refused.
  for (let round = 0; round < 20 || (await balance()) === before; round += 1)
    expect(await seen.runNow()).toEqual({ sent: 1 });
  expect(await balance()).toBeLessThan(before);

  await api.db.query({
    name: "age",
    text: "update console_session set last_used_at = last_used_at - interval '2 minutes'",
    values: [],
  });
  expect(await traffic().runNow()).toEqual({ sent: 0 });
});
