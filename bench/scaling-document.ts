// The figures of bench/scaling.ts as the tables of docs/scaling.md: what was measured, and what
// follows from it for a given traffic.

export interface ScalingFigures {
  readonly name: string;
  /** Messages a second. */
  readonly accepted: number;
  readonly carried: number;
  readonly p99Ms: number;
  /** Processor time for each message, in microseconds, by what nodes do; 0 where none does that. */
  readonly nodeMicroseconds: { readonly both: number; readonly http: number; readonly dispatch: number };
  /** The share of a core that the busiest node's JavaScript took. */
  readonly busiestThread: number;
  readonly postgresMicroseconds: number;
  /**
   * Messages a second that all cores would carry, load and operator among them, if nobody else used
   * any. Estimated from the processor time.
   */
  readonly carriedAlone: number;
  /** Octets of write-ahead log for each message. */
  readonly walOctets: number;
  /** A second. */
  readonly commits: number;
  readonly fsyncs: number;
  readonly fsyncMs: number;
  readonly connections: number;
  /** Shares of the machine's processor time: unused, and used by others. */
  readonly idle: number;
  readonly others: number;
  readonly memoryMiB: number;
  /** On disk for each message, with its submission, ledger entries and indexes. */
  readonly storedOctets: number;
}

const secondsPerDay = 86_400;
/** The share of a core that is planned with: the rest is for the other half of the second. */
const planned = 0.6;
/** 100 million messages a day on average, and at its peaks. */
const rates = [1157, 4000, 6000] as const;
const retentionDays = [30, 90, 400] as const;

const round = (value: number, step = 1): string => (Math.round(value / step) * step).toLocaleString("en");

export function describeScaling(all: readonly ScalingFigures[], machine: string): string {
  return [
    `Measured by \`npm run bench:scaling -- --write\` on ${machine}; load, operator, PostgreSQL and nodes share these cores. Best round of each.`,
    table(
      [
        "nodes",
        "accepted /s",
        "carried /s",
        "p99 ms",
        "node µs",
        "PostgreSQL µs",
        "busiest thread",
        "idle",
        "others",
        "estimated without others /s",
      ],
      all.map((each) => [
        each.name,
        round(each.accepted, 10),
        round(each.carried, 10),
        each.p99Ms.toFixed(0),
        describeNodes(each),
        round(each.postgresMicroseconds),
        percent(each.busiestThread),
        percent(each.idle),
        percent(each.others),
        round(each.carriedAlone, 100),
      ]),
    ),
    "What a message costs in PostgreSQL, and the load of the server at that rate:",
    table(
      ["nodes", "WAL bytes", "disk bytes", "commits /s", "fsync /s", "ms per fsync", "connections", "MiB per node"],
      all.map((each) => [
        each.name,
        round(each.walOctets),
        round(each.storedOctets),
        round(each.commits),
        round(each.fsyncs),
        each.fsyncMs.toFixed(2),
        round(each.connections),
        round(each.memoryMiB),
      ]),
    ),
    ...plan(all),
  ].join("\n\n");
}

/**
 * What the costs mean for 100 million messages a day. Without separate nodes measured there is
 * nothing to plan by.
 */
function plan(all: readonly ScalingFigures[]): readonly string[] {
  const separate = all.find(({ nodeMicroseconds: { http, dispatch } }) => http > 0 && dispatch > 0);
  if (separate === undefined) return [];
  const { nodeMicroseconds, postgresMicroseconds, walOctets, storedOctets } = separate;
  const cores = (microseconds: number, rate: number): string => ((microseconds * rate) / 1e6).toFixed(1);
  const nodes = (microseconds: number, rate: number): string =>
    String(Math.ceil((microseconds * rate) / 1e6 / planned));
  const gigabytes = (octets: number): string => round(octets / 1e9, octets > 1e11 ? 10 : 1);
  const perDay = rates[0] * secondsPerDay;
  return [
    `Calculated from these costs (${separate.name}), for 100 million single-part messages a day. A node is one process, planned at ${percent(planned)} of a core:`,
    table(
      ["messages a second", ...rates.map((rate) => round(rate))],
      [
        ["cores of nodes for calls", ...rates.map((rate) => cores(nodeMicroseconds.http, rate))],
        ["nodes for calls", ...rates.map((rate) => nodes(nodeMicroseconds.http, rate))],
        ["cores of nodes for links", ...rates.map((rate) => cores(nodeMicroseconds.dispatch, rate))],
        ["nodes for links", ...rates.map((rate) => nodes(nodeMicroseconds.dispatch, rate))],
        ["cores of PostgreSQL, busy", ...rates.map((rate) => cores(postgresMicroseconds, rate))],
        ["WAL, MB a second", ...rates.map((rate) => ((walOctets * rate) / 1e6).toFixed(1))],
      ],
    ),
    table(
      ["kept for", "a day", ...retentionDays.map((days) => `${days} days`)],
      [
        [
          "on disk, GB",
          gigabytes(storedOctets * perDay),
          ...retentionDays.map((days) => gigabytes(storedOctets * perDay * days)),
        ],
        ["WAL, GB", gigabytes(walOctets * perDay), ...retentionDays.map(() => "")],
      ],
    ),
  ];
}

function describeNodes({ nodeMicroseconds: { both, http, dispatch } }: ScalingFigures): string {
  return both > 0 ? round(both) : `${round(http)} calls + ${round(dispatch)} links`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}
