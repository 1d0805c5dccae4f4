import { expect, it } from "vitest";
import { SubscriberOrder } from "../../src/inbound/unanswered-parts.ts";
import { DatabaseUnavailable } from "../../src/store/database-errors.ts";

const one = { sender: "989121112233", recipient: "10001234" };
const other = { sender: "989121112233", recipient: "10005678" };

interface Begun {
  readonly name: string;
  readonly end: () => void;
  readonly fail: () => void;
}

/** Work that says when it begins, and ends when it is told to. */
function works(): { readonly begun: Begun[]; readonly work: (name: string) => () => Promise<string> } {
  const begun: Begun[] = [];
  const work = (name: string) => (): Promise<string> =>
    new Promise((resolve, reject) => {
      begun.push({ name, end: () => resolve(name), fail: () => reject(new Error(name)) });
    });
  return { begun, work };
}

it("what one subscriber writes to one line begins when the earlier has ended or failed; others wait for nothing", async () => {
  const turns = new SubscriberOrder();
  const { begun, work } = works();
  const first = turns.run(one, work("first"));
  const second = turns.run(one, work("second"));
  const third = turns.run(one, work("third"));
  void turns.run(other, work("to another line"));
  expect(begun.map(({ name }) => name)).toEqual(["first", "to another line"]);
  begun[0]?.fail();
  await expect(first).rejects.toThrow("first");
  expect(begun.map(({ name }) => name)).toEqual(["first", "to another line", "second"]);
  begun[2]?.end();
  expect(await second).toBe("second");
  begun[3]?.end();
  expect(await third).toBe("third");
});

it("what is behind work that the database could not do fails alike, at once; what comes later is tried", async () => {
  const turns = new SubscriberOrder();
  const { begun, work } = works();
  const away = new DatabaseUnavailable("away", { inDoubt: false });
  const first = turns.run(one, () => Promise.reject(away));
  const behind = [turns.run(one, work("second")), turns.run(one, work("third"))];
  for (const result of [first, ...behind]) await expect(result).rejects.toBe(away);
  expect(begun).toEqual([]);
  const later = turns.run(one, work("later"));
  begun[0]?.end();
  expect(await later).toBe("later");
});
