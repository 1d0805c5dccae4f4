// That fuzzing finds what it is there to find: each kind of fault, with the smallest input that
// shows it, and goes on behind it.
import { describe, expect, it } from "vitest";
import { runCampaign, type CampaignResult } from "../../fuzz/campaign.ts";
import { Random } from "../../fuzz/random.ts";
import { smaller } from "../../fuzz/shrink.ts";
import { targets } from "./faulty-targets.ts";

function fuzz(name: string, inputs: number, { from = 0, shrinkSeconds = 4 } = {}): Promise<CampaignResult> {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`no target is called ${name}`);
  return runCampaign({
    target,
    seed: "1",
    seconds: 120,
    shrinkSeconds,
    heapMegabytes: 100,
    inputs,
    from,
    surroundings: { databaseServer: undefined },
  });
}

/** Where the smallest input is asked for, however slow the machine is. */
const toTheEnd = { shrinkSeconds: 120 };

describe("a campaign", () => {
  it("finds nothing where nothing is, and tries every input", async () => {
    expect(await fuzz("sound", 500)).toMatchObject({ inputs: 500, faults: [] });
  });

  it("finds a demand that does not hold once, however often, and makes its input small", async () => {
    const { faults, inputs } = await fuzz("refusing", 50, toTheEnd);
    expect(faults).toMatchObject([{ input: '"x"' }]);
    expect(faults[0]?.words).toContain("an x was let through");
    expect(inputs).toBeGreaterThan((faults[0]?.index ?? 0) + 1);
  });

  it("finds a hang without hanging", async () => {
    // Each try at making it smaller hangs as well, and takes a core meanwhile.
    const { faults } = await fuzz("hanging", 3, { shrinkSeconds: 1 });
    expect(faults).toMatchObject([
      { words: "no answer within 1500 ms", input: expect.stringContaining("x") as string },
    ]);
  });

  it("finds what ends the process", async () => {
    const { faults } = await fuzz("dying", 1, { from: 1 });
    expect(faults[0]?.words).toMatch(/memory/);
  });

  it("finds what is thrown past everybody", async () => {
    const { faults } = await fuzz("escaping", 50, toTheEnd);
    expect(faults[0]?.words).toContain("thrown when nobody listens");
    expect(faults[0]?.input).toBe('"x"');
  });

  it("finds what holds the event loop, and not what yields", async () => {
    const { faults } = await fuzz("holding", 20, { shrinkSeconds: 1 });
    expect(faults[0]?.words).toMatch(/event loop was held for \d+ ms/);
    expect(await fuzz("yielding", 5)).toMatchObject({ faults: [] });
  });

  it("finds what grows", async () => {
    const { faults } = await fuzz("growing", 1000);
    expect(faults[0]?.words).toMatch(/the heap grew by \d+\.\d MiB in 1000 inputs, at most 8 are allowed/);
  });

  it("makes the same input again from seed and number", () => {
    const inputOf = (index: number): unknown => targets[0]?.generate(new Random("7", "sound", index));
    expect(inputOf(3)).toBe(inputOf(3));
    expect(new Set(Array.from({ length: 20 }, (_, index) => inputOf(index))).size).toBeGreaterThan(10);
  });
});

describe("smaller inputs", () => {
  it("lose pieces of texts and lists, keep their keys, and never come out the same", () => {
    const value = { text: "ab", list: [1, "c"] };
    const all = [...smaller(value)].map((each) => JSON.stringify(each));
    expect(all).toEqual(expect.arrayContaining(['{"text":"","list":[1,"c"]}', '{"text":"ab","list":[1]}']));
    expect(all).not.toContain(JSON.stringify(value));
    for (const each of all) expect(Object.keys(JSON.parse(each) as object)).toEqual(["text", "list"]);
  });
});
