// Every metric with its labels and its meaning, which is the HELP of /metrics and the table of
// docs/reference/metrics.md (`npm run docs`).

interface MetricRow {
  readonly labels: readonly string[];
  readonly help: string;
}

export const metricTable = {
  batches_accepted_total: { labels: [], help: "Calls accepted." },
  messages_accepted_total: { labels: [], help: "Messages accepted." },
  parts_accepted_total: { labels: [], help: "Parts of accepted messages." },
  batches_refused_total: { labels: ["error_code"], help: "Calls refused." },
  accept_duration_seconds: { labels: [], help: "From parsed request to commit." },
  http_requests_total: { labels: ["method", "route", "status"], help: "HTTP requests that were answered." },
  http_request_duration_seconds: { labels: ["method", "route"], help: "Time to answer a request." },
  http_failures_total: { labels: [], help: "Answers with status 500." },
  http_connections: { labels: [], help: "Open HTTP connections; at most 20,000." },
  http_held_bytes: {
    labels: ["kind"],
    help: "Bytes held for callers: `heads` (incomplete request heads; at most 32 MiB), `bodies` (bodies over 16 KiB until they are answered; at most 128 MiB).",
  },
  http_shed_total: {
    labels: ["reason"],
    help: "Dropped because a limit was reached: `heads` (the connection with the largest), `bodies` (answered 503), `requests` (a connection with more than 50 that were not answered).",
  },
  console_calls_waiting: {
    labels: ["kind"],
    help: "Calls of the console that wait for their turn at the database: `sessions`, `reads`, `work`, `changes`.",
  },
  console_calls_refused_total: {
    labels: ["kind"],
    help: "Calls of the console that were answered 429. `sessions`, `reads`, `work`, `changes`: too many calls of one caller waited, or one waited too long; `changeRate`: too many changes of one account.",
  },
  sign_ins_refused_total: {
    labels: ["reason"],
    help: "Passwords and codes, of the console and of both APIs, that were `wrong`, or not checked because of too many wrong ones (`limited`) or too many waiting (`busy`).",
  },
  reports_behind_seconds: {
    labels: [],
    help: "Delay of the reports, on nodes that dispatch; usually two to four minutes.",
  },
  delivery_fall_points: {
    labels: ["by", "name"],
    help: "By how many percentage points the share of delivered messages of a connector, operator or line fell in the last hour or day against the week before, if by more than 10, and if at least 500 messages ended; at most 20; on nodes that dispatch, measured every 5 minutes.",
  },
  events_behind_seconds: {
    labels: [],
    help: "Delay of events before they can be sent, on nodes that dispatch: the age of the oldest writing transaction in the cluster; usually below 1.",
  },
  submissions_total: {
    labels: ["connector", "outcome"],
    help: "Parts by their outcome: accepted, refused, deferred, throttled, unknown, expired, late.",
  },
  submission_duration_seconds: { labels: ["connector"], help: "From `submit_sm` to its answer." },
  messages_ended_total: { labels: ["status", "reason"], help: "Messages that reached a final status." },
  receipts_received_total: { labels: ["connector", "verdict"], help: "Delivery receipts." },
  receipts_applied_total: {
    labels: ["result"],
    help: "Delivery receipts that were processed: matched, unmatched, late.",
  },
  receipts_dropped_total: {
    labels: ["connector"],
    help: "Receipts that matched no message and were dropped because the connector had 1,000,000 of them; it grows once a minute.",
  },
  inbound_parts_total: {
    labels: ["connector", "kind"],
    help: "Messages and parts from subscribers: new, repeated, stray (from a connector that the line does not list).",
  },
  inbound_replies_total: {
    labels: ["outcome", "code"],
    help: "Replies of inbound rules: sent; refused (with the code); and not sent because they were late (more than 10 minutes), limited (3 in an hour) or repeated (the same text three times).",
  },
  bind_up: { labels: ["connector", "bind"], help: "Of each bind that this node holds: 1 while it is bound, else 0." },
  bind_changes_total: {
    labels: ["connector", "state"],
    help: "State changes of binds: connecting, bound, closed, refused.",
  },
  window_in_flight: { labels: ["connector"], help: "Parts that were written and not answered yet." },
  window_size: { labels: ["connector"], help: "Parts that may be in flight." },
  queue_waiting: {
    labels: [],
    help: "Messages that are due and waiting; counted every 10 s, or less often if the queue is so long that counting would take more than 1 % of one core.",
  },
  queue_scheduled: {
    labels: [],
    help: "Messages that are scheduled for later, or wait for their next try; counted at the same time.",
  },
  queue_oldest_seconds: {
    labels: [],
    help: "How long the oldest message that is due has been waiting; looked up every 10 s, however long the queue.",
  },
  commit_group_duration_seconds: {
    labels: ["room"],
    help: "Duration of a commit of a group: intake; outcomes (answers, receipts for parts that this process submitted recently, finished claims); receipts (those that are looked up in the database).",
  },
  webhook_requests_total: {
    labels: ["outcome"],
    help: "Requests to endpoints of customers: `delivered`, or why they failed: `status` (no 2xx), `redirect`, `timeout`, `address` (not allowed), `name` (not found), `certificate`, `tls` (no TLS, or an old version, at this port), `connection`.",
  },
  webhook_waiting: {
    labels: [],
    help: "Requests that failed and wait to be tried again; each node shows the number of all.",
  },
  service_failures_total: {
    labels: ["service"],
    help: "Failures of background tasks; of failures in a row, the log may tell only the first.",
  },
  database_up: { labels: [], help: "1 while the database is reachable." },
  node_lease_held: { labels: [], help: "1 while this node holds its lease." },
  clock_off_seconds: {
    labels: [],
    help: "How far the clock of this node is from that of the database, ahead or behind; measured every 2 s.",
  },
  log_lines_lost_total: {
    labels: [],
    help: "Lines of the log that could not be written, and for which there was no room left.",
  },
  configuration_version: { labels: [], help: "Version of the configuration in use." },
  postgres_restarts_total: { labels: [], help: "Restarts of the embedded PostgreSQL after it stopped unexpectedly." },
  workers_ready: { labels: [], help: "With workers: number of workers that have started and are at work." },
  worker_restarts_total: { labels: [], help: "With workers: how many ended unexpectedly and were replaced." },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof metricTable;
