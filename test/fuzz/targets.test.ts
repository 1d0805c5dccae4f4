// The short form of `npm run fuzz`: every target with the same few inputs each time.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runCampaign } from "../../fuzz/campaign.ts";
import { targets } from "../../fuzz/targets.ts";
import { joinTargets, type JoinedTargets } from "./joined-targets.ts";

const deadlineMs = 180_000;

const inputs: Readonly<Record<string, number>> = {
  pdus: 500,
  receipts: 500,
  console: 250,
  setups: 8,
  esme: 12,
  smsc: 12,
  operator: 4,
  http: 300,
  "large-calls": 4,
};

let joined: JoinedTargets | undefined;

describe("fuzz", () => {
  beforeAll(async () => {
    joined = await joinTargets(targets);
  });
  afterAll(() => joined?.remove());

  it.concurrent.each(targets)(
    "$name: $title",
    async (target) => {
      const limits = { seconds: deadlineMs / 1000 / 2, inputs: inputs[target.name] ?? 0 };
      const result = await runCampaign({
        target,
        program: joined?.programOf(target),
        seed: "1",
        ...limits,
        surroundings: { databaseServer: inject("testCluster").url },
      });
      expect(result.faults).toEqual([]);
      expect(result.inputs).toBeGreaterThan(0);
      // Calls that are never accepted would prove little about those that are.
      if (target.name === "http") expect(result.notes).toContain("each operation answered 200");
    },
    deadlineMs,
  );
});
