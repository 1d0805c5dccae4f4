import { describe, expect, it } from "vitest";
import { GroupCommitter, type GroupCommitOptions } from "../../src/platform/group-commit.ts";

interface Gate {
  readonly items: readonly number[];
  readonly open: () => void;
}

/**
 * A committer whose groups wait until the test lets them through; an item below zero spoils its
 * group.
 */
function setUp(options: Partial<GroupCommitOptions<number, string>> = {}) {
  const gates: Gate[] = [];
  let tell: (() => void) | undefined;
  const committer = new GroupCommitter<number, string>({
    commit: async (items) => {
      await new Promise<void>((resolve) => {
        gates.push({ items, open: resolve });
        tell?.();
      });
      if (items.some((item) => item < 0)) throw new Error("poison");
      return items.map((item) => `done ${item}`);
    },
    maximumWeight: 3,
    isItemFailure: () => true,
    ...options,
  });
  const gate = async (index: number): Promise<Gate> => {
    while (gates[index] === undefined) await new Promise<void>((resolve) => (tell = resolve));
    return gates[index];
  };
  return { committer, gates, gate };
}

describe("GroupCommitter", () => {
  it("commits what came in one turn together, and answers each item in its place", async () => {
    const { committer, gate, gates } = setUp();
    const results = Promise.all([committer.add(1), committer.add(2), committer.add(3)]);
    (await gate(0)).open();
    expect(await results).toEqual(["done 1", "done 2", "done 3"]);
    expect(gates.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  });

  it("gathers what comes while a group is under way into the next one, up to the weight", async () => {
    const { committer, gate, gates } = setUp();
    const first = committer.add(1);
    await gate(0);
    const rest = Promise.all([2, 3, 4, 5].map((item) => committer.add(item)));
    expect(committer.backlog).toBe(4);
    for (const index of [0, 1, 2]) (await gate(index)).open();
    await first;
    await rest;
    expect(gates.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [5]]);
    expect(committer.backlog).toBe(0);
    expect(committer.isIdle).toBe(true);
  });

  it("answers each item once, although one that waits for it adds another at once", async () => {
    const { committer, gate, gates } = setUp();
    const answers: string[] = [];
    const reject = (error: unknown): void => void answers.push(String(error));
    const added = new Promise<void>((resolve) => {
      const onFirst = (answer: string): void => {
        answers.push(answer);
        const onLast = (last: string): void => {
          answers.push(last);
          resolve();
        };
        committer.enqueue(2, { resolve: onLast, reject });
      };
      committer.enqueue(1, { resolve: onFirst, reject });
    });
    (await gate(0)).open();
    (await gate(1)).open();
    await added;
    expect(answers).toEqual(["done 1", "done 2"]);
    expect(gates.map(({ items }) => items)).toEqual([[1], [2]]);
    await committer.drained();
  });

  it("takes what is urgent first, within the weight of a group", async () => {
    const { committer, gate, gates } = setUp();
    const results = Promise.all([1, 2, 3, 4, 10, 5, 11, 12, 13].map((item) => committer.add(item, 1, item >= 10)));
    for (const index of [0, 1, 2]) (await gate(index)).open();
    expect(await results).toEqual([1, 2, 3, 4, 10, 5, 11, 12, 13].map((item) => `done ${item}`));
    expect(gates.map(({ items }) => items)).toEqual([
      [10, 11, 12],
      [13, 1, 2],
      [3, 4, 5],
    ]);
    expect(committer.isIdle).toBe(true);
  });

  it("begins the next group before it tells those who waited for this one", async () => {
    const { committer, gate, gates } = setUp();
    const groupsWhenTold = committer.add(1).then(() => gates.length);
    await gate(0);
    const second = committer.add(2);
    (await gate(0)).open();
    expect(await groupsWhenTold).toBe(2);
    (await gate(1)).open();
    expect(await second).toBe("done 2");
    await committer.drained();
  });

  it("takes an item that weighs more than a group by itself", async () => {
    const { committer, gate, gates } = setUp();
    const results = Promise.all([1, 9, 1].map((item) => committer.add(item, item)));
    for (const index of [0, 1, 2]) (await gate(index)).open();
    await results;
    expect(gates.map(({ items }) => items)).toEqual([[1], [9], [1]]);
  });

  it("lets a poison item harm nobody but itself", async () => {
    const { committer, gate } = setUp();
    const results = Promise.allSettled([committer.add(1), committer.add(-2), committer.add(3)]);
    for (const index of [0, 1, 2, 3]) (await gate(index)).open();
    expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("fails the whole group at once where the failure is not an item's", async () => {
    const { committer, gate, gates } = setUp({ isItemFailure: () => false });
    const results = Promise.allSettled([committer.add(1), committer.add(-2)]);
    (await gate(0)).open();
    expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(gates).toHaveLength(1);
  });

  it("fails those that waited through a whole failed group with it, and not those that came meanwhile", async () => {
    const { committer, gate, gates } = setUp({ isItemFailure: () => false, failWaiting: () => new Error("waited") });
    const first = committer.add(1);
    const early = [-2, 3, 4, 5, 6].map((item) => committer.add(item));
    await gate(0);
    const ends = Promise.allSettled([first, ...early]);
    const late = committer.add(7);
    (await gate(0)).open();
    const failed = (await ends).map((end) => (end.status === "rejected" ? String(end.reason) : end.value));
    expect(failed).toEqual([...Array<string>(3).fill("Error: poison"), ...Array<string>(3).fill("Error: waited")]);
    (await gate(1)).open();
    expect(await late).toBe("done 7");
    expect(gates.map(({ items }) => items)).toEqual([[1, -2, 3], [7]]);
    expect([committer.backlog, committer.isIdle]).toEqual([0, true]);
  });

  it("rejects those whose group has not begun when it is told to, and goes on", async () => {
    const { committer, gate, gates } = setUp();
    const first = committer.add(1);
    await gate(0);
    const waiting = Promise.allSettled([2, 101, 3].map((item) => committer.add(item, 1, item > 100)));
    committer.rejectWaiting(new Error("away"));
    expect((await waiting).map((end) => end.status === "rejected" && String(end.reason))).toEqual(
      Array<string>(3).fill("Error: away"),
    );
    expect(committer.backlog).toBe(0);
    const later = committer.add(4);
    for (const index of [0, 1]) (await gate(index)).open();
    expect(await Promise.all([first, later])).toEqual(["done 1", "done 4"]);
    expect(gates.map(({ items }) => items)).toEqual([[1], [4]]);
  });

  it("fails nobody else with an item that failed by its own fault, however long that took", async () => {
    const { committer, gate } = setUp({ maximumWeight: 1, failWaiting: () => new Error("waited") });
    const ends = Promise.allSettled([committer.add(-1), committer.add(2)]);
    (await gate(0)).open();
    void gate(1).then(({ open }) => open());
    expect((await ends).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  it("is not drained while one that waited for a group has the next thing to commit", async () => {
    const { committer, gate } = setUp();
    const both = committer.add(1).then(() => committer.add(2));
    const idleWhenDrained = committer.drained().then(() => committer.isIdle);
    for (const index of [0, 1]) (await gate(index)).open();
    expect(await both).toBe("done 2");
    expect(await idleWhenDrained).toBe(true);
  });

  it("is drained when nothing waits and nothing runs, also after a failure", async () => {
    const { committer, gate } = setUp();
    await committer.drained();
    const refused = expect(committer.add(-1)).rejects.toThrow("poison");
    const drained = committer.drained();
    (await gate(0)).open();
    await refused;
    await drained;
    expect(committer.isIdle).toBe(true);
  });
});
