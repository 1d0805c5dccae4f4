import { describe, expect, it } from "vitest";
import { createMetrics, createParentMetrics } from "../../src/platform/metrics.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { countsOf, parseFigures, ruleOf, sumFigures, writeFigures } from "../../src/workers/sum-metrics.ts";

const portedNumbers = { given: 0, imported: 3 };

const sumOf = (...texts: readonly string[]): string => writeFigures(sumFigures(texts.map(parseFigures)));

/** Of a worker that has accepted so many calls, each in `durationMs`. */
async function metricsOf(calls: number, durationMs: number, change: (telemetry: Telemetry) => void): Promise<string> {
  const telemetry = new Telemetry();
  const metrics = createMetrics(telemetry);
  for (let call = 0; call < calls; call += 1) {
    telemetry.emit("batch.accepted", { accountId: 1, messages: 2, rejected: 0, parts: 3, durationMs });
  }
  change(telemetry);
  return metrics.text();
}

describe("the metrics of all workers", () => {
  it("add counters, buckets of histograms, and gauges of what each worker holds", async () => {
    const one = await metricsOf(3, 4, (telemetry) => {
      telemetry.emit("batch.refused", { accountId: 1, errorCode: 1201 });
      telemetry.emit("window.use", { connector: 'a"b\\', inFlight: 3, size: 10 });
      telemetry.emit("bind.changed", { connector: "mci", bindNumber: 1, state: "bound" });
    });
    const other = await metricsOf(2, 40, (telemetry) => {
      telemetry.emit("batch.refused", { accountId: 1, errorCode: 1202 });
      telemetry.emit("window.use", { connector: 'a"b\\', inFlight: 4, size: 10 });
      telemetry.emit("bind.changed", { connector: "mci", bindNumber: 1, state: "closed" });
    });
    const lines = sumOf(one, other).split("\n");
    for (const line of [
      "hodhod_messages_accepted_total 10",
      'hodhod_batches_refused_total{error_code="1201"} 1',
      'hodhod_batches_refused_total{error_code="1202"} 1',
      'hodhod_accept_duration_seconds_bucket{le="0.005"} 3',
      'hodhod_accept_duration_seconds_bucket{le="0.05"} 5',
      'hodhod_accept_duration_seconds_bucket{le="+Inf"} 5',
      "hodhod_accept_duration_seconds_count 5",
      'hodhod_window_in_flight{connector="a\\"b\\\\"} 7',
      'hodhod_bind_up{connector="mci",bind="1"} 1',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it("do not add what every worker sees alike, and tell the worst of what must hold for each", async () => {
    const one = await metricsOf(0, 0, (telemetry) => {
      telemetry.emit("queue.depth", { waiting: 7, scheduled: 2 });
      telemetry.emit("queue.age", { oldestSeconds: 1.5 });
      telemetry.emit("reports.behind", { seconds: 120 });
      telemetry.emit("node.lease", { held: true });
      telemetry.emit("configuration.reloaded", {
        version: 9n,
        accounts: 2,
        connectors: [],
        portedNumbers,
        blockListNumbers: 4,
      });
    });
    const other = await metricsOf(0, 0, (telemetry) => {
      telemetry.emit("queue.depth", { waiting: 9, scheduled: 2 });
      telemetry.emit("queue.age", { oldestSeconds: 0.5 });
      telemetry.emit("reports.behind", { seconds: 130 });
      telemetry.emit("node.lease", { held: false });
      telemetry.emit("database.lost", { error: new Error("gone") });
      telemetry.emit("configuration.reloaded", {
        version: 8n,
        accounts: 2,
        connectors: [],
        portedNumbers,
        blockListNumbers: 4,
      });
    });
    const lines = sumOf(one, other).split("\n");
    for (const line of [
      "hodhod_queue_waiting 9",
      "hodhod_queue_scheduled 2",
      "hodhod_queue_oldest_seconds 1.5",
      "hodhod_reports_behind_seconds 130",
      "hodhod_node_lease_held 0",
      "hodhod_database_up 0",
      "hodhod_configuration_version 8",
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.filter((line) => line.startsWith("hodhod_nodejs_version_info")).join()).toMatch(/ 1$/);
  });

  it("are the text of one worker, if there is only one", async () => {
    const text = await metricsOf(3, 4, () => undefined);
    expect(parseFigures(sumOf(text))).toEqual(parseFigures(text));
    expect(parseFigures(text).size).toBeGreaterThan(40);
  });

  it("keep the counters of a worker that has ended, and not its gauges", async () => {
    const past = countsOf(parseFigures(await metricsOf(3, 4, (t) => t.emit("node.lease", { held: true }))));
    const names = [...past.keys()];
    expect(names).toContain("hodhod_accept_duration_seconds");
    expect(names.filter((name) => name === "hodhod_node_lease_held" || name === "hodhod_http_connections")).toEqual([]);
    const now = parseFigures(await metricsOf(1, 4, () => undefined));
    expect(
      sumFigures([past, now]).get("hodhod_batches_accepted_total")?.samples.get("hodhod_batches_accepted_total"),
    ).toBe(4);
  });

  /** A new gauge must be thought about: whether the values of several workers may be added. */
  it("have a rule for each gauge", async () => {
    const texts = await Promise.all(
      [createMetrics(new Telemetry()), createParentMetrics(new Telemetry())].map((each) => each.text()),
    );
    const gauges = [...sumFigures(texts.map(parseFigures))].filter(
      ([name, { type }]) => type === "gauge" && !/^hodhod_(process|nodejs)_/.test(name),
    );
    expect(Object.fromEntries(gauges.map(([name]) => [name.slice("hodhod_".length), ruleOf(name)]))).toEqual({
      http_connections: "sum",
      http_held_bytes: "sum",
      console_live_streams: "sum",
      console_calls_waiting: "sum",
      bind_up: "sum",
      window_in_flight: "sum",
      window_size: "sum",
      webhook_waiting: "sum",
      workers_ready: "sum",
      queue_waiting: "largest",
      queue_scheduled: "largest",
      queue_oldest_seconds: "largest",
      reports_behind_seconds: "largest",
      events_behind_seconds: "largest",
      clock_off_seconds: "largest",
      ported_numbers: "largest",
      block_list_numbers: "largest",
      database_up: "smallest",
      node_lease_held: "smallest",
      configuration_version: "smallest",
    });
  });
});
