import { expect, it } from "vitest";
import { countLayers } from "../../bench/layers.ts";
import { judge } from "../../bench/scenario.ts";

// If it fails on purpose: `node --import tsx bench/layers.ts > bench/layers.json`.
// What a task does beside a call can only add to a count, so the least of three decides.
it(
  "a message costs no more functions, statements and octets of the log than layers.json says",
  { retry: 2 },
  async () => {
    const results = await countLayers();
    expect(results.length).toBeGreaterThan(0);
    const grown = results.filter((result) => !judge(result).isMet);
    expect(grown.map(({ title, figure, below }) => `${title}: ${String(figure)}, at most ${String(below)}`)).toEqual(
      [],
    );
  },
);
