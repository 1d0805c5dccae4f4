import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { SilenceWatch } from "../../src/workers/silence-watch.ts";

const soon = { pauseMs: 1, withinMs: 7 };

it("a worker that answers is asked again and again, one that misses a single answer too", async () => {
  const answers = new EventEmitter();
  let asked = 0;
  let silences = 0;
  const watch = new SilenceWatch({
    ...soon,
    ask: (withinMs) => {
      expect(withinMs).toBe(7);
      asked += 1;
      if (asked === 20) answers.emit("enough");
      return asked % 2 === 1 ? Promise.reject(new Error("no answer")) : Promise.resolve(true);
    },
    onSilence: () => (silences += 1),
  });
  await once(answers, "enough");
  watch.end();
  expect(silences).toBe(0);
});

it("two missing answers in a row are silence, told once", async () => {
  let asked = 0;
  let silences = 0;
  await new Promise<void>((resolve) => {
    new SilenceWatch({
      ...soon,
      ask: () => {
        asked += 1;
        return asked > 3 ? Promise.reject(new Error("no answer")) : Promise.resolve(true);
      },
      onSilence: () => {
        silences += 1;
        resolve();
      },
    });
  });
  expect([asked, silences]).toEqual([5, 1]);
});

it("is over when the worker has ended, also while an answer is awaited", async () => {
  let reject: (late: Error) => void = () => undefined;
  let silences = 0;
  const asked = new EventEmitter();
  const watch = new SilenceWatch({
    ...soon,
    ask: () => {
      asked.emit("once");
      return new Promise((_, late) => (reject = late));
    },
    onSilence: () => (silences += 1),
  });
  await once(asked, "once");
  watch.end();
  reject(new Error("no answer"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(silences).toBe(0);
});
