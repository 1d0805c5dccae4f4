// The quickest of the cases of `npm run faults`, so that every check of a change breaks the real
// program in these ways: its processes are killed under load, and what was promised, what was sent
// and what was paid must still agree.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CaseContext, CaseCounts, FaultCase } from "../../faults/case.ts";
import { clusterCases } from "../../faults/cluster-cases.ts";
import { linkCases } from "../../faults/link-cases.ts";
import { processCases } from "../../faults/process-cases.ts";
import { OwnServer } from "../../faults/servers.ts";

const deadlineMs = 180_000;

// Each case has a role of its own, which the test cluster lets nobody log in as.
const server = new OwnServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

function run(cases: readonly FaultCase[], name: string): Promise<CaseCounts> {
  const chosen = cases.find((each) => each.name === name);
  if (!chosen) throw new Error(`no case is called ${name}`);
  const context: CaseContext = { full: false, random: Math.random, server };
  return chosen.run(context);
}

describe("faults", () => {
  it.concurrent(
    "case 3: kill -9 of the gateway under load: nothing lost, nothing doubled with hold",
    async () => {
      expect(await run(processCases, "kill-gateway-hold")).toMatchObject({ lost: 0, doubled: 0, problems: [] });
    },
    deadlineMs,
  );

  it.concurrent(
    "case 13: a link cut three times with a full window: at most one window doubled each time with resend",
    async () => {
      expect(await run(linkCases, "cut-resend")).toMatchObject({ lost: 0, open: 0, problems: [] });
    },
    deadlineMs,
  );

  it.concurrent(
    "case 8: one of two nodes killed: its binds and claims move, and the operator never sees more binds than agreed",
    async () => {
      expect(await run(clusterCases, "two-nodes-hold")).toMatchObject({ lost: 0, doubled: 0, problems: [] });
    },
    deadlineMs,
  );
});
