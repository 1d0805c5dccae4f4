// What a probe stands for: the gateway alone, and never the operator's moods.
import { expect, it } from "vitest";
import { probeRecipient } from "../../faults/load.ts";
import { behaviours } from "../../src/simulator/behaviours.ts";

it("probes go to recipients that the operator treats well, however many there are", () => {
  const endings = new Set(behaviours.map(({ suffix }) => suffix));
  const treated = Array.from({ length: 4000 }, (_, index) => probeRecipient(index + 1)).filter((recipient) =>
    endings.has(recipient.slice(-4)),
  );
  expect(treated).toEqual([]);
});
