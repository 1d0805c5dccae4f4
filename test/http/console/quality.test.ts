// Delivery quality by the console, from the counts that the reports keep; and the falls that people
// are told of.
import { beforeAll, describe, expect, it } from "vitest";
import { measureDeliveryFalls } from "../../../src/maintenance/measurements.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { Telemetry } from "../../../src/platform/telemetry.ts";
import type { NamedFall } from "../../../src/sms/delivery-quality.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { countDelivery, endCounting, type CountedDelivery } from "../../support/count-delivery.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
let staff: string;
let owner: string;

const count = (counted: CountedDelivery) => countDelivery(api, counted);

beforeAll(async () => {
  staff = await signInStaff(api, "viewer");
  owner = await signInAs(api, demoOwner);
  await endCounting(api);
  // MCI today: 400 of 500, half of them within 10 s; the day before 98 of 100.
  await count({ hoursAgo: 3, messages: 300, time: 2 });
  await count({ hoursAgo: 4, messages: 100, time: 6 });
  await count({ hoursAgo: 3, messages: 60, status: 3, failure: "UNDELIV 027" });
  await count({ hoursAgo: 3, messages: 40, status: 4, failure: "1304", connector: 0 });
  await count({ hoursAgo: 3, messages: 100, status: 1 });
  await count({ hoursAgo: 30, messages: 980 });
  await count({ hoursAgo: 30, messages: 20, status: 3, failure: "UNDELIV 027" });
  await count({ hoursAgo: 3, messages: 30, operator: "Irancell", account: "foreign" });
  await count({ hoursAgo: 30, messages: 30, operator: "Irancell", account: "foreign" });
});

const read = (path: string, cookie = staff) => callConsole(api, "GET", path, { cookie });

describe("delivery quality", () => {
  it("is told with that of the same time before, the largest change first", async () => {
    const { status, body } = await read("/quality?by=operator");
    expect([status, body["items"]]).toEqual([
      200,
      [
        {
          name: "MCI",
          change: -18,
          now: { ended: 500, deliveredShare: 80, unreportedShare: 17.9, halfWithinSeconds: 10, mostWithinSeconds: 120 },
          before: { ended: 1000, deliveredShare: 98, unreportedShare: 0, halfWithinSeconds: 10, mostWithinSeconds: 10 },
        },
        {
          name: "Irancell",
          change: 0,
          now: { ended: 30, deliveredShare: 100, unreportedShare: 0, halfWithinSeconds: 10, mostWithinSeconds: 10 },
          before: { ended: 30, deliveredShare: 100, unreportedShare: 0, halfWithinSeconds: 10, mostWithinSeconds: 10 },
        },
      ],
    ]);
    expect(body["total"]).toMatchObject({ now: { ended: 530 }, before: { ended: 1030 } });
  });

  it("is summed up by why messages were not delivered", async () => {
    const { body } = await read("/quality?by=failure&account=demo");
    expect(body["items"]).toEqual([
      {
        name: "UNDELIV 027",
        change: 10,
        now: { ended: 60, failedShare: 12 },
        before: { ended: 20, failedShare: 2 },
      },
      {
        name: "1304",
        text: expect.stringMatching(/validity/) as string,
        change: 8,
        now: { ended: 40, failedShare: 8 },
        before: { ended: 0, failedShare: 0 },
      },
    ]);
  });

  it("names in words what the operator's codes mean", async () => {
    await count({ hoursAgo: 3, messages: 5, account: "foreign", status: 3, failure: "memoryFull" });
    const { body } = await read("/quality?by=failure&account=foreign");
    expect(body["items"]).toMatchObject([{ name: "memoryFull", text: expect.stringMatching(/memory/) as string }]);
    await api.rows("delete from report_delivery where failure = 'memoryFull'");
  });

  it("names for staff the connectors, and what none of them took", async () => {
    const { body } = await read("/quality");
    expect(body["items"]).toMatchObject([{ name: "mci-1" }, { now: { ended: 40 } }]);
  });

  it("shows customers their own account alone, and no connector", async () => {
    expect((await read("/quality", owner)).body["items"]).toMatchObject([{ name: "MCI" }]);
    expect((await read("/quality?account=foreign", owner)).status).toBe(404);
    expect((await read("/quality?by=connector", owner)).status).toBe(400);
  });

  it("says nothing of change where few messages ended", async () => {
    const { body } = await read("/quality?by=operator&range=1h");
    expect(body["items"]).toEqual([]);
    await count({ hoursAgo: 0, messages: 19 });
    await count({ hoursAgo: 1.3, messages: 500 });
    const [item] = (await read("/quality?by=operator&range=1h")).body["items"] as object[];
    expect(item).toMatchObject({ name: "MCI", now: { ended: 19 }, before: { ended: 500 } });
    expect(item).not.toHaveProperty("change");
    await api.rows("delete from report_delivery where at > now() - interval '2 hours'");
  });

  it.each(["by=account", "range=1y"])("is 1001 for %s", async (query) => {
    const { status, body } = await read(`/quality?${query}`);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
  });
});

describe("a fall of the share delivered", () => {
  async function measure(): Promise<{ readonly falls: readonly NamedFall[]; readonly metrics: string }> {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    let falls: readonly NamedFall[] = [];
    telemetry.on("delivery.measured", (measured) => (falls = measured.falls));
    await measureDeliveryFalls({ db: api.db, telemetry });
    return { falls, metrics: await metrics.text() };
  }

  it("is found against the week before, and is a metric while it lasts", async () => {
    const { falls, metrics } = await measure();
    expect(falls).toMatchObject([
      { by: "operator", name: "MCI", points: 18, share: 80 },
      { by: "line", name: "10001234" },
    ]);
    expect(metrics).toContain('hodhod_delivery_fall_points{by="operator",name="MCI"} 18');
    // 499 messages of the operator, and 529 of the line.
    await api.rows("update report_delivery set unsent = unsent - 1 where unsent > 0");
    expect((await measure()).falls).toMatchObject([{ by: "line" }]);
    await api.rows("update report_delivery set unsent = unsent + 1 where unsent > 0");
  });

  it("of the last hour is found although the day says nothing of it yet", async () => {
    await count({ hoursAgo: 5, messages: 50_000, time: 3 });
    expect((await measure()).falls).toEqual([]);
    await count({ hoursAgo: 0.2, messages: 500, status: 3, failure: "UNDELIV 027" });
    const { falls } = await measure();
    expect(falls.find(({ by }) => by === "operator")).toEqual({ by: "operator", name: "MCI", points: 98, share: 0 });
  });
});
