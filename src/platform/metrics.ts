// Turns events into counters, gauges and histograms in the Prometheus text format. Labels have few
// values, such as connectors, routes and outcomes, and never an account's data.
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { Counter, Histogram, type MetricFamily } from "./instruments.ts";
import { receiptVerdictNames } from "../sms/message-status.ts";
import { type MetricName, metricTable } from "./metric-table.ts";
import { submissionOutcomes, webhookOutcomes, type Telemetry } from "./telemetry.ts";

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** For the sum of several processes. */
  families(): Promise<MetricFamilies>;
}

export type MetricFamilies = readonly MetricFamily[];

/** In the Prometheus text format 0.0.4. */
export function textOfMetrics(all: readonly MetricFamilies[]): Promise<string> {
  return AggregatorRegistry.aggregate([...all]).metrics();
}

export async function sumMetrics(all: readonly MetricFamilies[]): Promise<MetricFamilies> {
  return familiesOf(AggregatorRegistry.aggregate([...all]));
}

export function countersOf(families: MetricFamilies): MetricFamilies {
  return families.filter(({ type }) => type !== "gauge");
}

/** How gauges of prom-client are taken together that it would leave out, or average. */
const otherAggregators: Readonly<Record<string, string>> = { omit: "min", average: "max" };

async function familiesOf(registry: Registry): Promise<MetricFamilies> {
  // prom-client declares other types than it gives.
  const families = (await registry.getMetricsAsJSON()) as unknown as MetricFamilies;
  return families.map((each) => ({ ...each, aggregator: otherAggregators[each.aggregator] ?? each.aggregator }));
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function optionsOf(name: MetricName): { name: string; help: string; labelNames: readonly string[] } {
  const { help, labels } = metricTable[name];
  return { name: `hodhod_${name}`, help, labelNames: labels };
}

/** Creates instruments and writes them together. */
class Instruments {
  readonly registry = new Registry();
  readonly #ofProcess = metricsOfProcess();
  readonly #own: (Counter | Histogram)[] = [];

  counter(name: MetricName): Counter {
    const counter = new Counter(optionsOf(name));
    this.#own.push(counter);
    return counter;
  }

  /** `aggregator`: how several workers are taken together. */
  gauge(name: MetricName, aggregator: "sum" | "max" | "min" = "sum"): Gauge {
    const { labelNames, ...options } = optionsOf(name);
    return new Gauge({ ...options, labelNames: [...labelNames], aggregator, registers: [this.registry] });
  }

  histogram(name: MetricName): Histogram {
    const histogram = new Histogram(optionsOf(name), secondsBuckets);
    this.#own.push(histogram);
    return histogram;
  }

  async families(): Promise<MetricFamilies> {
    const gauges = await Promise.all([this.#ofProcess, this.registry].map(familiesOf));
    return [...this.#own.map((instrument) => instrument.family()), ...gauges.flat()];
  }
}

/** The library's 10 ms would wake an idle process a hundred times a second. The metrics include this time. */
const eventLoopEveryMs = 100;
let ofProcess: Registry | undefined;

/**
 * What prom-client reports of the process. It never ends its watches of the event loop and of the
 * collector, so a process has them once, however many gateways it runs.
 */
function metricsOfProcess(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, prefix: "hodhod_", eventLoopMonitoringPrecision: eventLoopEveryMs });
  }
  return ofProcess;
}

/** Subscribes to telemetry for its whole lifetime. */
export function createMetrics(telemetry: Telemetry): Metrics {
  const make = new Instruments();
  countCalls(telemetry, make);
  watchCallers(telemetry, make);
  countSubmissions(telemetry, make);
  countInbound(telemetry, make);
  watchLinks(telemetry, make);
  watchHealth(telemetry, make);
  watchConsole(telemetry, make);
  countWebhooks(telemetry, make);
  return metricsOf(make);
}

function metricsOf(make: Instruments): Metrics {
  return {
    contentType: make.registry.contentType,
    text: async () => textOfMetrics([await make.families()]),
    families: () => make.families(),
  };
}

/** Of the parent of workers: its process, its workers, the embedded database. */
export function createParentMetrics(telemetry: Telemetry): Metrics {
  const make = new Instruments();
  const ready = make.gauge("workers_ready");
  const restarts = make.counter("worker_restarts_total");
  const running = new Set<number>();
  ready.set(0);
  telemetry.on("worker.ready", ({ worker }) => ready.set(running.add(worker).size));
  telemetry.on("worker.ended", ({ worker }) => {
    running.delete(worker);
    ready.set(running.size);
    restarts.add(1);
  });
  countRestarts(telemetry, make);
  countLostLines(telemetry, make);
  return metricsOf(make);
}

function countLostLines(telemetry: Telemetry, make: Instruments): void {
  const lost = make.counter("log_lines_lost_total");
  telemetry.on("log.lineLost", () => lost.add(1));
}

function countRestarts(telemetry: Telemetry, make: Instruments): void {
  const restarts = make.counter("postgres_restarts_total");
  telemetry.on("postgres.exited", () => restarts.add(1));
}

function countCalls(telemetry: Telemetry, make: Instruments): void {
  const batches = make.counter("batches_accepted_total");
  const messages = make.counter("messages_accepted_total");
  const parts = make.counter("parts_accepted_total");
  const refused = make.counter("batches_refused_total");
  const acceptSeconds = make.histogram("accept_duration_seconds");
  const requests = make.counter("http_requests_total");
  const requestSeconds = make.histogram("http_request_duration_seconds");
  const failures = make.counter("http_failures_total");
  telemetry.on("batch.accepted", (event) => {
    batches.add(1);
    messages.add(event.messages);
    parts.add(event.parts);
    acceptSeconds.observe(event.durationMs / 1000);
  });
  telemetry.on("batch.refused", ({ errorCode }) => refused.add(1, errorCode));
  telemetry.on("http.answered", ({ method, route, status, durationMs }) => {
    requests.add(1, method, route, status);
    requestSeconds.observe(durationMs / 1000, method, route);
  });
  telemetry.on("http.failed", () => failures.add(1));
}

function watchCallers(telemetry: Telemetry, make: Instruments): void {
  const shed = make.counter("http_shed_total");
  const connections = make.gauge("http_connections");
  const octets = make.gauge("http_held_bytes");
  telemetry.on("http.shed", ({ reason }) => shed.add(1, reason));
  telemetry.on("http.held", (held) => {
    connections.set(held.connections);
    octets.set({ kind: "heads" }, held.headOctets);
    octets.set({ kind: "bodies" }, held.bodyOctets);
  });
}

function watchConsole(telemetry: Telemetry, make: Instruments): void {
  const behind = make.gauge("reports_behind_seconds", "max");
  const falls = make.gauge("delivery_fall_points", "max");
  const eventsBehind = make.gauge("events_behind_seconds", "max");
  const waiting = make.gauge("console_calls_waiting");
  const refused = make.counter("console_calls_refused_total");
  const failed = make.counter("sign_ins_refused_total");
  for (const reason of ["wrong", "limited", "busy"]) failed.show(reason);
  telemetry.on("login.refused", ({ reason }) => failed.add(1, reason));
  telemetry.on("reports.behind", ({ seconds }) => behind.set(seconds));
  telemetry.on("delivery.measured", (measured) => {
    falls.reset();
    for (const { by, name, points } of measured.falls) falls.set({ by, name }, points);
  });
  telemetry.on("events.behind", ({ seconds }) => eventsBehind.set(seconds));
  telemetry.on("console.waiting", ({ kind, count }) => waiting.set({ kind }, count));
  telemetry.on("console.refused", ({ kind }) => refused.add(1, kind));
}

function countWebhooks(telemetry: Telemetry, make: Instruments): void {
  const requests = make.counter("webhook_requests_total");
  const waiting = make.gauge("webhook_waiting");
  for (const outcome of webhookOutcomes) requests.show(outcome);
  telemetry.on("webhook.answered", ({ outcome }) => requests.add(1, outcome));
  telemetry.on("webhook.waiting", ({ count }) => waiting.set(count));
}

function countSubmissions(telemetry: Telemetry, make: Instruments): void {
  const settled = make.counter("submissions_total");
  const seconds = make.histogram("submission_duration_seconds");
  const ended = make.counter("messages_ended_total");
  telemetry.on("configuration.reloaded", ({ connectors }) => {
    for (const connector of connectors) for (const outcome of submissionOutcomes) settled.show(connector, outcome);
  });
  telemetry.on("submission.settled", ({ connector, outcome, count, latencyMs }) => {
    settled.add(count, connector, outcome);
    if (outcome === "accepted" || outcome === "refused") seconds.observe(latencyMs / 1000, connector);
  });
  telemetry.on("message.ended", ({ status, reason, count }) => ended.add(count, status, reason ?? ""));
}

function countInbound(telemetry: Telemetry, make: Instruments): void {
  const received = make.counter("receipts_received_total");
  const applied = make.counter("receipts_applied_total");
  const dropped = make.counter("receipts_dropped_total");
  const inboundParts = make.counter("inbound_parts_total");
  const replies = make.counter("inbound_replies_total");
  telemetry.on("configuration.reloaded", ({ connectors }) => {
    for (const connector of connectors) {
      for (const verdict of receiptVerdictNames) received.show(connector, verdict);
      dropped.show(connector);
    }
  });
  telemetry.on("receipt.received", ({ connector, verdict }) => received.add(1, connector, verdict));
  telemetry.on("receipt.applied", ({ matched, unmatched, late }) => {
    applied.add(matched, "matched");
    applied.add(unmatched, "unmatched");
    applied.add(late, "late");
  });
  telemetry.on("receipt.dropped", ({ connector, count }) => dropped.add(count, connector));
  telemetry.on("inbound.received", ({ connector, kind }) => inboundParts.add(1, connector, kind));
  telemetry.on("replies.settled", ({ outcome, errorCode, count }) => replies.add(count, outcome, errorCode ?? ""));
}

function watchLinks(telemetry: Telemetry, make: Instruments): void {
  const up = make.gauge("bind_up");
  const changes = make.counter("bind_changes_total");
  const inFlight = make.gauge("window_in_flight");
  const size = make.gauge("window_size");
  const waiting = make.gauge("queue_waiting", "max");
  const scheduled = make.gauge("queue_scheduled", "max");
  const oldest = make.gauge("queue_oldest_seconds", "max");
  telemetry.on("bind.changed", ({ connector, bindNumber, state }) => {
    up.set({ connector, bind: bindNumber }, state === "bound" ? 1 : 0);
    changes.add(1, connector, state);
  });
  // A 0 that stayed would look like a bind that is down.
  telemetry.on("bind.released", ({ connector, bindNumber }) => up.remove({ connector, bind: bindNumber }));
  telemetry.on("window.use", (event) => {
    inFlight.set({ connector: event.connector }, event.inFlight);
    size.set({ connector: event.connector }, event.size);
  });
  // What stayed would be a window that nobody has, perhaps a full one.
  telemetry.on("connector.retired", ({ connector }) => {
    inFlight.remove({ connector });
    size.remove({ connector });
  });
  telemetry.on("queue.depth", (event) => {
    waiting.set(event.waiting);
    scheduled.set(event.scheduled);
    const since = [event.oldestCodeAt, event.oldestOtherAt].flatMap((at) => (at === null ? [] : [at.getTime()]));
    oldest.set(since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1000));
  });
}

function watchHealth(telemetry: Telemetry, make: Instruments): void {
  const seconds = make.histogram("commit_group_duration_seconds");
  const failures = make.counter("service_failures_total");
  const databaseUp = make.gauge("database_up", "min");
  const lease = make.gauge("node_lease_held", "min");
  const clockOff = make.gauge("clock_off_seconds", "max");
  const version = make.gauge("configuration_version", "min");
  countRestarts(telemetry, make);
  countLostLines(telemetry, make);
  databaseUp.set(1);
  telemetry.on("commit.group", ({ durationMs, room }) => seconds.observe(durationMs / 1000, room));
  telemetry.on("service.watched", ({ service }) => failures.show(service));
  telemetry.on("service.failed", ({ service }) => failures.add(1, service));
  telemetry.on("service.failedAgain", ({ service }) => failures.add(1, service));
  telemetry.on("database.lost", () => databaseUp.set(0));
  telemetry.on("database.back", () => databaseUp.set(1));
  telemetry.on("node.lease", ({ held }) => lease.set(held ? 1 : 0));
  telemetry.on("clock.compared", ({ offSeconds }) => clockOff.set(Math.abs(offSeconds)));
  telemetry.on("configuration.reloaded", (event) => version.set(Number(event.version)));
}
