import { expect, it } from "vitest";
import type { SiblingNews } from "../../src/workers/siblings.ts";
import { Outbox } from "../../src/workers/outbox.ts";

const taken = (key: number, limiter: "account" | "login" = "account"): SiblingNews => ({
  ...{ kind: "taken", limiter, key, perSecond: 5, capacity: 5, count: 1 },
});

it("news of one bucket become one, each failure stays one, and nothing is sent twice", () => {
  const sent: (readonly SiblingNews[])[] = [];
  const outbox = new Outbox((news) => sent.push(news));
  for (const news of [taken(1), taken(2), taken(1), taken(1, "login")]) outbox.add(news);
  outbox.add({ kind: "wrong", key: "a" });
  outbox.add({ kind: "wrong", key: "a" });
  outbox.flush();
  outbox.flush();
  expect(sent).toEqual([
    [{ ...taken(1), count: 2 }, taken(2), taken(1, "login"), { kind: "wrong", key: "a" }, { kind: "wrong", key: "a" }],
  ]);
});

it("news are sent by themselves, and at once when they are many", async () => {
  const sent: number[] = [];
  const next = new Promise<void>((resolve) => {
    const outbox = new Outbox((news) => {
      sent.push(news.length);
      if (sent.length === 2) resolve();
    });
    for (let key = 1; key <= 1003; key += 1) outbox.add(taken(key));
  });
  expect(sent).toEqual([1000]);
  await next;
  expect(sent).toEqual([1000, 3]);
});
