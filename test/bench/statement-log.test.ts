import { describe, expect, it } from "vitest";
import { statementName, sumStatementTimes } from "../../bench/statement-log.ts";

function entry(queryId: string, phase: string, user: string, system: string, statement: string): string {
  return `${queryId} LOG:  ${phase} MESSAGE STATISTICS
${queryId} DETAIL:  ! system usage stats:
\t!\t${user} s user, ${system} s system, 9.000000 s elapsed
\t!\t[5.000000 s user, 5.000000 s system total]
\t!\t20980 kB max resident size
\t!\t0/0 [4/12] voluntary/involuntary context switches
${queryId} STATEMENT:  ${statement}
`;
}

describe("sumStatementTimes", () => {
  it("adds up the phases of each statement, most time first, and counts executions", () => {
    const log = [
      entry("-12", "PARSE", "0.000100", "0.000000", "/* small */ select 1"),
      entry("-12", "BIND", "0.000010", "0.000005", "/* small */ select 1"),
      entry("-12", "EXECUTE", "0.000020", "0.000005", "/* small */ select 1"),
      entry("77", "BIND", "0.000300", "0.000000", "/* acceptCoveredCalls */\n\twith call as (select)"),
      entry("77", "EXECUTE", "0.000500", "0.000200", "/* acceptCoveredCalls */\n\twith call as (select)"),
      entry("77", "EXECUTE", "0.000500", "0.000000", "/* acceptCoveredCalls */\n\twith call as (select)"),
    ].join("");
    const sums = sumStatementTimes(log).map((sum) => ({ ...sum, microseconds: Math.round(sum.microseconds) }));
    expect(sums).toEqual([
      { name: "acceptCoveredCalls", executions: 2, microseconds: 1500, queryIds: ["77"] },
      { name: "small", executions: 1, microseconds: 140, queryIds: ["-12"] },
    ]);
  });

  it("takes other lines of the log as they come", () => {
    expect(sumStatementTimes("0 LOG:  checkpoint starting: time\n0 ERROR:  deadlock detected\n")).toEqual([]);
  });

  it("names statements without a comment by their first words", () => {
    expect(statementName("  /* findBalance */ select")).toBe("findBalance");
    expect(statementName("SELECT pg_notify($1, $2) from x")).toBe("select pg_notify($1, $2)");
  });
});
