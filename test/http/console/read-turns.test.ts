import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { openFrontDoor, type FrontDoor } from "../../support/front-door.ts";

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor();
});
afterAll(() => door.close());

const times = (count: number) => Array.from({ length: count });

describe("somebody whose reads take long", () => {
  it("waits for themselves alone: everybody else reads on, and what is too much is 429", async () => {
    const slow = await signInStaff(door, "viewer");
    const other = await signInStaff(door, "sales");
    const customer = await signInAs(door, demoOwner);
    const { flood, refused } = await door.db.transaction(async (tx) => {
      await tx.query(statement("lock table node in access exclusive mode"));
      const ended: number[] = [];
      const flood = times(40).map(async () => {
        const { status, headers } = await callConsole(door, "GET", "/nodes", { cookie: slow });
        ended.push(status);
        return [status, headers["retry-after"]];
      });
      for (const [path, cookie] of [
        ["/accounts", other],
        ["/messages", customer],
        ["/accounts", other],
      ] as const)
        expect((await callConsole(door, "GET", path, { cookie })).status).toBe(200);
      return { flood, refused: [...ended] };
    });
    // One reads, 32 wait.
    expect(refused).toEqual(times(7).map(() => 429));
    const answers = await Promise.all(flood);
    expect(answers.filter(([status]) => status === 429)).toEqual(times(7).map(() => [429, "2"]));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(33);
    expect((await callConsole(door, "GET", "/nodes", { cookie: slow })).status).toBe(200);
  });

  it("shares the turns of an account with its other users", async () => {
    const cookies = [await signInAs(door, demoOwner), await signInAs(door, demoOwner)];
    const foreign = await signInAs(door, {
      username: "foreign",
      password: "foreign-password",
      organisation: "foreign.example",
    });
    const waiting = await door.db.transaction(async (tx) => {
      await tx.query(statement("lock table message in access exclusive mode"));
      const waiting = cookies.map((cookie) => callConsole(door, "GET", "/messages", { cookie }));
      expect((await callConsole(door, "GET", "/received", { cookie: foreign })).status).toBe(200);
      return waiting;
    });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("waits for the files that they fetch, too", async () => {
    const slow = await signInStaff(door, "administrator");
    const other = await signInStaff(door, "sales", "sales-2");
    const waiting = await door.db.transaction(async (tx) => {
      await tx.query(statement("lock table message in access exclusive mode"));
      const answers = ["/messages.csv", "/messages", "/messages"].map((path) =>
        door.app.inject({ url: `/console/api${path}`, headers: { cookie: slow } }),
      );
      for (let round = 0; round < 3; round += 1)
        expect((await callConsole(door, "GET", "/accounts", { cookie: other })).status).toBe(200);
      return answers;
    });
    expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  });

  it("gives the turn up where nothing ends", async () => {
    const cookie = await signInStaff(door, "operator");
    const { status } = await door.db.transaction(async (tx) => {
      await tx.query(statement("lock table node in access exclusive mode"));
      const answers = await Promise.all(times(3).map(() => callConsole(door, "GET", "/nodes", { cookie })));
      expect(answers.map(({ status }) => status).sort()).toEqual([429, 503, 503]);
      return callConsole(door, "GET", "/accounts", { cookie });
    });
    expect(status).toBe(200);
  });
});
