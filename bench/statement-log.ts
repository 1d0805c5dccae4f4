// Processor time of each statement, from a log that PostgreSQL writes with log_statement_stats:
// what getrusage(2) says of parsing, binding and executing. Statements name themselves by their
// first comment. The commit of an implicit transaction comes later, at Sync, and is in none of
// them.

export interface StatementTime {
  readonly name: string;
  readonly executions: number;
  /** Of parsing, planning, binding and executing. */
  readonly microseconds: number;
  /** As pg_stat_statements knows it, without its name. */
  readonly queryIds: readonly string[];
}

/** The settings that make PostgreSQL write such a log. */
export const statementLogSettings: Readonly<Record<string, string>> = {
  log_statement_stats: "on",
  log_error_verbosity: "default",
  log_min_error_statement: "log",
  log_line_prefix: "%Q ",
  compute_query_id: "on",
};

const entry =
  /^(-?\d+) LOG: {2}(PARSE|BIND|EXECUTE) MESSAGE STATISTICS\n.*?DETAIL: .*?\n\s*!\s*([\d.]+) s user, ([\d.]+) s system[\s\S]*?STATEMENT: {2}(.*)/gm;

/** Sums up all statements of the log, most time first. */
export function sumStatementTimes(log: string): StatementTime[] {
  const sums = new Map<string, { executions: number; microseconds: number; queryIds: Set<string> }>();
  for (const [, queryId = "", phase = "", user = "", system = "", statement = ""] of log.matchAll(entry)) {
    const name = statementName(statement);
    const sum = sums.get(name) ?? { executions: 0, microseconds: 0, queryIds: new Set() };
    if (phase === "EXECUTE") {
      sum.executions += 1;
      sum.queryIds.add(queryId);
    }
    sum.microseconds += (Number(user) + Number(system)) * 1e6;
    sums.set(name, sum);
  }
  return [...sums]
    .map(([name, { queryIds, ...sum }]) => ({ name, ...sum, queryIds: [...queryIds] }))
    .sort((one, other) => other.microseconds - one.microseconds);
}

/** The name in the first comment, else the first words. */
export function statementName(text: string): string {
  return /^\s*\/\* (\w+) \*\//.exec(text)?.[1] ?? text.trim().split(/\s+/).slice(0, 3).join(" ").toLowerCase();
}
