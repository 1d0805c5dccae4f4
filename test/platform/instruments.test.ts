import { describe, expect, it } from "vitest";
import { Counter, Histogram } from "../../src/platform/instruments.ts";
import { countersOf, createMetrics, sumMetrics, textOfMetrics } from "../../src/platform/metrics.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";

const linesOf = async (instrument: Counter | Histogram): Promise<string[]> =>
  (await textOfMetrics([[instrument.family()]])).trimEnd().split("\n");

it("the metrics of several processes are summed, gauges by their rule, and counters without gauges", async () => {
  const process = async (calls: number, isUp: boolean) => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    for (let call = 0; call < calls; call += 1) telemetry.emit("batch.refused", { accountId: 1, errorCode: 1001 });
    telemetry.emit("queue.depth", { waiting: calls, scheduled: 0, oldestCodeAt: null, oldestOtherAt: null });
    telemetry.emit("console.waiting", { kind: "reads", count: calls });
    if (!isUp) telemetry.emit("database.lost", { error: undefined });
    return metrics.families();
  };
  const ended = await sumMetrics([countersOf(await process(4, true)), countersOf(await process(5, true))]);
  const lines = (await textOfMetrics([await process(2, true), await process(3, false), ended])).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'hodhod_batches_refused_total{error_code="1001"} 14',
      "hodhod_queue_waiting 3",
      'hodhod_console_calls_waiting{kind="reads"} 5',
      "hodhod_database_up 0",
    ]),
  );
  expect(lines.filter((line) => line.startsWith("hodhod_nodejs_version_info{"))).toHaveLength(1);
});

describe("Counter", () => {
  it("counts from zero without labels", async () => {
    const counter = new Counter({ name: "calls_total", help: "Calls." });
    expect(await linesOf(counter)).toEqual([
      "# HELP calls_total Calls.",
      "# TYPE calls_total counter",
      "calls_total 0",
    ]);
    counter.add(2);
    counter.add(3);
    expect((await linesOf(counter)).at(-1)).toBe("calls_total 5");
  });

  it("counts each set of labels by itself, and escapes what a label's value must not hold", async () => {
    const counter = new Counter({ name: "n", help: "N.", labelNames: ["a", "b"] });
    counter.add(1, "x", 1);
    counter.add(1, "x", 2);
    counter.add(1, "x", 1);
    counter.add(1, 'quote " back \\ line \n', "");
    expect((await linesOf(counter)).slice(2)).toEqual([
      'n{a="x",b="1"} 2',
      'n{a="x",b="2"} 1',
      'n{a="quote \\" back \\\\ line \\n",b=""} 1',
    ]);
  });
});

describe("Histogram", () => {
  it("counts up to each bound, the bound itself included, and sums", async () => {
    const histogram = new Histogram({ name: "s", help: "S." }, [0.5, 1, 2]);
    for (const value of [0.25, 0.5, 1, 1.5, 8]) histogram.observe(value);
    expect(await linesOf(histogram)).toEqual([
      "# HELP s S.",
      "# TYPE s histogram",
      's_bucket{le="0.5"} 2',
      's_bucket{le="1"} 3',
      's_bucket{le="2"} 4',
      's_bucket{le="+Inf"} 5',
      "s_sum 11.25",
      "s_count 5",
    ]);
  });

  it("does so for each set of labels", async () => {
    const histogram = new Histogram({ name: "s", help: "S.", labelNames: ["room"] }, [1]);
    histogram.observe(1, "a");
    histogram.observe(2, "b");
    expect((await linesOf(histogram)).slice(2)).toEqual([
      's_bucket{le="1",room="a"} 1',
      's_bucket{le="+Inf",room="a"} 1',
      's_sum{room="a"} 1',
      's_count{room="a"} 1',
      's_bucket{le="1",room="b"} 0',
      's_bucket{le="+Inf",room="b"} 1',
      's_sum{room="b"} 2',
      's_count{room="b"} 1',
    ]);
  });
});
