// That fuzzing finds what it is there to find: each kind of fault, with an input that shows it, and
// goes on behind it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCampaign, type CampaignResult } from "../../fuzz/campaign.ts";
import { targets } from "./faulty-targets.ts";
import { joinTargets, type JoinedTargets } from "./joined-targets.ts";

let joined: JoinedTargets | undefined;

function fuzz(name: string, inputs: number, from = 0): Promise<CampaignResult> {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`no target is called ${name}`);
  return runCampaign({
    target,
    program: joined?.programOf(target),
    seed: "1",
    seconds: 120,
    heapMegabytes: 100,
    inputs,
    from,
    surroundings: { databaseServer: undefined },
  });
}

describe("a campaign", () => {
  beforeAll(async () => {
    joined = await joinTargets(targets);
  });
  afterAll(() => joined?.remove());

  it("finds nothing where nothing is, and tries every input", async () => {
    expect(await fuzz("sound", 500)).toMatchObject({ inputs: 500, faults: [] });
  });

  it("finds a demand that does not hold once, however often", async () => {
    const { faults, inputs } = await fuzz("refusing", 50);
    expect(faults).toMatchObject([{ input: expect.stringContaining("x") as string }]);
    expect(faults[0]?.words).toContain("an x was let through");
    expect(inputs).toBeGreaterThan((faults[0]?.index ?? 0) + 1);
  });

  it("finds a hang without hanging", async () => {
    const { faults } = await fuzz("hanging", 2);
    expect(faults).toMatchObject([
      { words: "no answer within 1500 ms", input: expect.stringContaining("x") as string },
    ]);
  });

  it("finds what ends the process", async () => {
    const { faults } = await fuzz("dying", 1, 1);
    expect(faults[0]?.words).toMatch(/memory/);
  });

  it("finds what holds the event loop", async () => {
    const { faults } = await fuzz("holding", 4);
    expect(faults[0]?.words).toMatch(/event loop was held for \d+ ms/);
  });

  it("finds what grows", async () => {
    const { faults } = await fuzz("growing", 1000);
    expect(faults[0]?.words).toMatch(/the heap grew by \d+\.\d MiB in 1000 inputs, at most 8 are allowed/);
  });
});
