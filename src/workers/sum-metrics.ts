// The metrics of all workers as one text, in the Prometheus text format 0.0.4. Counters and
// histograms are sums. Gauges are sums, except those that say the same thing on each worker. Pure.

/** How the values of a gauge are taken together. */
type Rule = "sum" | "largest" | "smallest";

/** Each worker sees the same queue, the same reports and the same Node.js: the largest value. */
const largest = new Set([
  ...["hodhod_queue_waiting", "hodhod_queue_scheduled", "hodhod_queue_oldest_seconds"],
  ...[
    "hodhod_reports_behind_seconds",
    "hodhod_events_behind_seconds",
    "hodhod_clock_off_seconds",
    "hodhod_ported_numbers",
    "hodhod_block_list_numbers",
    "hodhod_nodejs_version_info",
  ],
]);
/** What must hold on every worker, or what the slowest worker has reached: the smallest value. */
const smallest = new Set([
  ...["hodhod_database_up", "hodhod_node_lease_held", "hodhod_configuration_version"],
  ...["hodhod_process_start_time_seconds", "hodhod_process_max_fds", "hodhod_nodejs_eventloop_lag_min_seconds"],
]);

export function ruleOf(gauge: string): Rule {
  if (smallest.has(gauge)) return "smallest";
  return largest.has(gauge) || gauge.startsWith("hodhod_nodejs_eventloop_lag_") ? "largest" : "sum";
}

interface Family {
  readonly help: string;
  readonly type: string;
  /** By name and labels, as written. */
  readonly samples: Map<string, number>;
}

/** By name, in the order in which they are written. */
export type Figures = Map<string, Family>;

export function parseFigures(text: string): Figures {
  const figures: Figures = new Map();
  let help = "";
  let family: Family | undefined;
  for (const line of text.split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === "HELP") help = rest;
    if (word === "TYPE") {
      family = { help, type: rest, samples: new Map() };
      figures.set(name, family);
    }
    const end = line.lastIndexOf(" ");
    if (end > 0 && !line.startsWith("#")) family?.samples.set(line.slice(0, end), Number(line.slice(end + 1)));
  }
  return figures;
}

export function sumFigures(all: readonly Figures[]): Figures {
  const sums: Figures = new Map();
  for (const figures of all) {
    for (const [name, { help, type, samples }] of figures) {
      const sum = sums.get(name) ?? { help, type, samples: new Map<string, number>() };
      sums.set(name, sum);
      const rule = type === "gauge" ? ruleOf(name) : "sum";
      for (const [key, value] of samples) sum.samples.set(key, together(rule, sum.samples.get(key), value));
    }
  }
  return sums;
}

function together(rule: Rule, before: number | undefined, value: number): number {
  if (before === undefined || Number.isNaN(before)) return value;
  if (Number.isNaN(value)) return before;
  if (rule === "sum") return before + value;
  return rule === "largest" ? Math.max(before, value) : Math.min(before, value);
}

/**
 * The counters, which must outlive a process: a sum that falls when a worker ends would look like a
 * restart.
 */
export function countsOf(figures: Figures): Figures {
  return new Map([...figures].filter(([, { type }]) => type !== "gauge"));
}

export function writeFigures(figures: Figures): string {
  const families = [...figures].map(([name, { help, type, samples }]) => {
    const lines = [...samples].map(([key, value]) => `${key} ${value}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
  });
  return `${families.join("\n\n")}\n`;
}
