// The alert rules of deploy/, judged by Prometheus itself: each fires on the series of its fault,
// names what is at fault, and is silent on those of a service that is well.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { findTool, titled } from "./smpp/interop/foreign-tools.ts";

const rulesFile = fileURLToPath(new URL("../deploy/prometheus-alerts.yaml", import.meta.url));
const promtool = findTool("promtool") ?? "";

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups } = parse(readFileSync(rulesFile, "utf8")) as { readonly groups: readonly { rules: Rule[] }[] };
const rules = new Map(groups.flatMap(({ rules: all }) => all).map((rule) => [rule.alert, rule]));

/** Samples a minute apart, in the notation of promtool: "0+2x9" is 0, 2, 4 … 18. */
type Series = Readonly<Record<string, string>>;

interface Case {
  /** Minutes after the first sample. */
  readonly at: number;
  readonly fires: Series;
  readonly silent: Series;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
}

const node = { instance: "n1:8080" };
const onNode = `instance="n1:8080"`;
const job = { ...node, job: "hodhod" };

const cases: Readonly<Record<string, Case>> = {
  HodhodNodeDown: {
    at: 3,
    fires: { [`up{job="hodhod",${onNode}}`]: "1 0x9" },
    silent: { [`up{job="hodhod",${onNode}}`]: "1 0 1x9", [`up{job="other",${onNode}}`]: "0x9" },
    labels: job,
    summary: "The node n1:8080 does not answer.",
  },
  HodhodDatabaseDown: {
    at: 3,
    fires: { [`hodhod_database_up{${onNode}}`]: "1 0x9" },
    silent: { [`hodhod_database_up{${onNode}}`]: "1x9" },
    labels: node,
    summary: "The node n1:8080 cannot reach its database.",
  },
  HodhodLeaseLost: {
    at: 3,
    fires: { [`hodhod_node_lease_held{${onNode}}`]: "1 0x9" },
    silent: { [`hodhod_node_lease_held{${onNode}}`]: "1x9" },
    labels: node,
    summary: "The node n1:8080 has lost its lease and sends nothing.",
  },
  HodhodConnectorDown: {
    at: 4,
    fires: {
      'hodhod_bind_up{connector="mci",bind="1",instance="n1"}': "1 0x9",
      'hodhod_bind_up{connector="mci",bind="2",instance="n2"}': "0x9",
    },
    silent: {
      'hodhod_bind_up{connector="mci",bind="1",instance="n1"}': "1 0x9",
      'hodhod_bind_up{connector="mci",bind="2",instance="n2"}': "1x9",
    },
    labels: { connector: "mci" },
    summary: "mci has no bind that is up.",
  },
  HodhodQueueOld: {
    at: 7,
    fires: {
      'hodhod_queue_oldest_seconds{instance="n1"}': "0 90x9",
      'hodhod_queue_oldest_seconds{instance="n2"}': "0x9",
    },
    silent: { 'hodhod_queue_oldest_seconds{instance="n1"}': "60x9" },
    summary: "The oldest message that is due has been waiting for 1m 30s.",
  },
  HodhodCallsFail: {
    at: 3,
    fires: { [`hodhod_http_failures_total{${onNode}}`]: "0 0 1 1" },
    silent: { [`hodhod_http_failures_total{${onNode}}`]: "3x9" },
    labels: node,
    summary: "The node n1:8080 answers calls with 500.",
  },
  HodhodAnswersMissing: {
    at: 12,
    fires: {
      'hodhod_submissions_total{connector="mci",outcome="unknown"}': "0+2x20",
      'hodhod_submissions_total{connector="mci",outcome="accepted"}': "0+100x20",
    },
    silent: {
      'hodhod_submissions_total{connector="mci",outcome="unknown"}': "0+1x20",
      'hodhod_submissions_total{connector="mci",outcome="accepted"}': "0+100x20",
    },
    summary: "Operators do not answer more than 1 % of the parts that are submitted.",
  },
  HodhodReceiptsStopped: {
    at: 35,
    fires: {
      'hodhod_receipts_received_total{connector="mci",verdict="delivered"}': "9x40",
      'hodhod_submissions_total{connector="mci",outcome="accepted"}': "0+5x40",
      'hodhod_receipts_received_total{connector="irancell",verdict="delivered"}': "0+5x40",
      'hodhod_submissions_total{connector="irancell",outcome="accepted"}': "0+5x40",
    },
    silent: {
      // So few that none need have come.
      'hodhod_receipts_received_total{connector="mci",verdict="delivered"}': "9x40",
      'hodhod_submissions_total{connector="mci",outcome="accepted"}': "0+1x40",
      'hodhod_submissions_total{connector="mci",outcome="refused"}': "0+50x40",
    },
    labels: { connector: "mci" },
    summary: "mci accepts messages and sends no delivery receipts.",
  },
  HodhodProcessRestarts: {
    at: 9,
    fires: {
      [`hodhod_postgres_restarts_total{${onNode}}`]: "0 1 2 3x9",
      [`hodhod_worker_restarts_total{${onNode}}`]: "0x9",
    },
    silent: {
      [`hodhod_postgres_restarts_total{${onNode}}`]: "2x9",
      [`hodhod_worker_restarts_total{${onNode}}`]: "7x9",
    },
    labels: node,
    summary: "A worker or the embedded database of n1:8080 ends again and again.",
  },
  HodhodBindDown: {
    at: 17,
    fires: {
      'hodhod_bind_up{connector="mci",bind="1"}': "1 0x20",
      'hodhod_bind_up{connector="mci",bind="2"}': "1x20",
    },
    silent: { 'hodhod_bind_up{connector="mci",bind="1"}': "0x8 1 0x20" },
    labels: { connector: "mci", bind: "1" },
    summary: "Bind 1 of mci is down.",
  },
  HodhodTaskFails: {
    at: 3,
    fires: { [`hodhod_service_failures_total{service="expire",${onNode}}`]: "0 0 1 1" },
    silent: { [`hodhod_service_failures_total{service="expire",${onNode}}`]: "4x9" },
    labels: { ...node, service: "expire" },
    summary: "The background task expire of n1:8080 fails.",
  },
  HodhodLogLinesLost: {
    at: 3,
    fires: { [`hodhod_log_lines_lost_total{${onNode}}`]: "0 0 7 7" },
    silent: { [`hodhod_log_lines_lost_total{${onNode}}`]: "7x9" },
    labels: node,
    summary: "The log of n1:8080 cannot be written, and lines of it are lost.",
  },
  HodhodClockOff: {
    at: 7,
    fires: { [`hodhod_clock_off_seconds{${onNode}}`]: "0 3600x9" },
    silent: { [`hodhod_clock_off_seconds{${onNode}}`]: "2x9" },
    labels: node,
    summary: "The clock of n1:8080 is 1h 0m 0s from that of the database.",
  },
  HodhodEventsLate: {
    at: 7,
    fires: { [`hodhod_events_behind_seconds{${onNode}}`]: "0 90x9" },
    silent: { [`hodhod_events_behind_seconds{${onNode}}`]: "60x9" },
    labels: node,
    summary: "Events for webhooks are 1m 30s late.",
  },
  HodhodWebhooksFail: {
    at: 70,
    fires: {
      'hodhod_webhook_requests_total{outcome="delivered"}': "0x80",
      'hodhod_webhook_requests_total{outcome="failed"}': "0+1x80",
    },
    silent: {
      'hodhod_webhook_requests_total{outcome="delivered"}': "0+2x80",
      'hodhod_webhook_requests_total{outcome="failed"}': "0+1x80",
    },
    summary: "More requests to customers' endpoints fail than are delivered.",
  },
  HodhodDeliveryFell: {
    at: 17,
    fires: {
      'hodhod_delivery_fall_points{by="operator",name="MCI",instance="n1"}': "_ 18x20",
      'hodhod_delivery_fall_points{by="operator",name="MCI",instance="n2"}': "_ 17x20",
    },
    silent: { 'hodhod_delivery_fall_points{by="operator",name="MCI",instance="n1"}': "18x9 _x10" },
    labels: { by: "operator", name: "MCI" },
    summary: "The share of delivered messages of operator MCI fell by 18 points.",
  },
  HodhodReceiptsDropped: {
    at: 3,
    fires: { 'hodhod_receipts_dropped_total{connector="mci"}': "0 0 5 5" },
    silent: { 'hodhod_receipts_dropped_total{connector="mci"}': "5x9" },
    labels: { connector: "mci" },
    summary: "mci has sent so many receipts that match no message that some were dropped.",
  },
  HodhodMemory: {
    at: 17,
    fires: { [`hodhod_process_resident_memory_bytes{${onNode}}`]: "1e8 805306368x20" },
    silent: { [`hodhod_process_resident_memory_bytes{${onNode}}`]: "3e8x20" },
    labels: node,
    summary: "The node n1:8080 uses 768MiB of memory.",
  },
};

function testOf(alert: string, series: Series, minutes: number, expected: readonly object[]): object {
  return {
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: `${minutes}m`, alertname: alert, exp_alerts: expected }],
  };
}

/** What Prometheus says of these tests; undefined: they pass. */
function judge(tests: readonly object[]): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "tests.json");
  // JSON is YAML, too.
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", file], { encoding: "utf8" });
  return status === 0 ? undefined : stdout + stderr;
}

it("each alert has a case here", () => {
  expect(Object.keys(cases)).toEqual([...rules.keys()]);
});

describe.skipIf(promtool === "")(titled("Prometheus", promtool !== "", "promtool"), () => {
  it.each(Object.entries(cases))(
    "%s fires where it should, and not else",
    (alert, { at, fires, silent, ...expected }) => {
      const rule = rules.get(alert);
      const fired = {
        exp_labels: { ...rule?.labels, ...expected.labels },
        exp_annotations: { summary: expected.summary, runbook: rule?.annotations.runbook },
      };
      expect(judge([testOf(alert, fires, at, [fired]), testOf(alert, silent, at, [])])).toBe(undefined);
    },
  );
});
