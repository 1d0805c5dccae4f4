import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/platform/metrics.ts";
import { receiptVerdictNames } from "../../src/sms/message-status.ts";
import { submissionOutcomes, Telemetry, webhookOutcomes } from "../../src/platform/telemetry.ts";

describe("createMetrics", () => {
  it("turns events into hodhod_ counters, gauges and histograms", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    telemetry.emit("batch.accepted", { accountId: 1, messages: 3, rejected: 1, parts: 5, durationMs: 4 });
    telemetry.emit("batch.refused", { accountId: 1, errorCode: 1201 });
    telemetry.emit("submission.settled", { connector: "mci", outcome: "accepted", count: 2, latencyMs: 7 });
    telemetry.emit("receipt.applied", { matched: 2, unmatched: 1, late: 0 });
    telemetry.emit("bind.changed", { connector: "mci", bindNumber: 1, state: "bound" });
    telemetry.emit("window.use", { connector: "mci", inFlight: 3, size: 10 });
    const oldestCodeAt = new Date(Date.now() - 90_500);
    telemetry.emit("queue.depth", { waiting: 7, scheduled: 2, oldestCodeAt, oldestOtherAt: null });
    telemetry.emit("message.ended", { status: 4, reason: 1304, count: 2 });
    telemetry.emit("clock.compared", { offSeconds: -90.5 });
    telemetry.emit("database.lost", { error: new Error("gone") });
    telemetry.emit("configuration.reloaded", {
      version: 9n,
      accounts: 2,
      connectors: ["mci"],
      portedNumbers: { given: 3, imported: 4 },
      blockListNumbers: 5,
    });
    const text = await metrics.text();
    for (const line of [
      "hodhod_messages_accepted_total 3",
      "hodhod_parts_accepted_total 5",
      'hodhod_batches_refused_total{error_code="1201"} 1',
      'hodhod_submissions_total{connector="mci",outcome="accepted"} 2',
      'hodhod_receipts_applied_total{result="unmatched"} 1',
      'hodhod_bind_up{connector="mci",bind="1"} 1',
      'hodhod_window_in_flight{connector="mci"} 3',
      "hodhod_queue_waiting 7",
      'hodhod_messages_ended_total{status="4",reason="1304"} 2',
      "hodhod_database_up 0",
      "hodhod_clock_off_seconds 90.5",
      "hodhod_configuration_version 9",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/^hodhod_queue_oldest_seconds 9[0-9]/m);
    expect(metrics.contentType).toContain("text/plain");
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? "");
    expect(names.filter((name) => !name.startsWith("hodhod_"))).toEqual([]);
  });

  it("begin at 0 what an alert looks at: a series that appears with its first event does not grow", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    telemetry.emit("configuration.reloaded", {
      version: 9n,
      accounts: 2,
      connectors: ["mci"],
      portedNumbers: { given: 3, imported: 4 },
      blockListNumbers: 5,
    });
    telemetry.emit("service.watched", { service: "membership" });
    const lines = (await metrics.text()).split("\n");
    for (const line of [
      'hodhod_receipts_dropped_total{connector="mci"} 0',
      ...receiptVerdictNames.map((verdict) => `hodhod_receipts_received_total{connector="mci",verdict="${verdict}"} 0`),
      ...submissionOutcomes.map((outcome) => `hodhod_submissions_total{connector="mci",outcome="${outcome}"} 0`),
      ...webhookOutcomes.map((outcome) => `hodhod_webhook_requests_total{outcome="${outcome}"} 0`),
      'hodhod_service_failures_total{service="membership"} 0',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it("show no bind that this node gave up: its 0 would look like a bind that is down", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    for (const bindNumber of [1, 2]) telemetry.emit("bind.changed", { connector: "mci", bindNumber, state: "closed" });
    telemetry.emit("bind.released", { connector: "mci", bindNumber: 1 });
    const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("hodhod_bind_up{"));
    expect(lines).toEqual(['hodhod_bind_up{connector="mci",bind="2"} 0']);
  });

  it("show no window of a connector that this node runs no longer", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    for (const connector of ["mci", "irancell"]) telemetry.emit("window.use", { connector, inFlight: 7, size: 100 });
    telemetry.emit("connector.retired", { connector: "mci" });
    const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("hodhod_window_"));
    expect(lines).toEqual([
      'hodhod_window_in_flight{connector="irancell"} 7',
      'hodhod_window_size{connector="irancell"} 100',
    ]);
  });

  it("tell of the event loop of the process, once, in each of its gateways", async () => {
    const gateways = [1, 2].map(() => createMetrics(new Telemetry()));
    for (const metrics of gateways) {
      const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? "");
      expect(names).toContain("hodhod_nodejs_eventloop_lag_p99_seconds");
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
