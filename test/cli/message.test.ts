import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorld, longText, storeCall, type World } from "../support/factories.ts";
import { requeueMessages } from "../../src/store/message-queue.ts";
import { uuidv7 } from "../../src/uuid.ts";
import { hodhod } from "./run-hodhod.ts";

let world: World;
let env: Record<string, string>;
let id: string;
beforeAll(async () => {
  world = await openWorld();
  env = { DATABASE_URL: world.url };
  [id = ""] = await storeCall(world, { messages: [{ content: `secret ${longText(2)}` }] });
  await world.rows("delete from message_queue");
  await world.rows("update message set reason = 1302, parts_taken = 1, connector_id = $1", [world.connector().id]);
  await world.rows(
    `insert into held_message select account_id, id, connector_id, recipient, 2, valid_until from message where id = $1`,
    [id],
  );
  await world.rows(
    `insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
     select now(), connector_id, '4711', account_id, id, 1, recipient from message where id = $1`,
    [id],
  );
});
afterAll(() => world.close());

describe("hodhod message", () => {
  it("tells which part is uncertain, and what it waits for; never the text", async () => {
    const { code, stdout } = await hodhod(["message", id], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`Message ${id} of demo`);
    expect(stdout).toMatch(/status 0, waiting; 1302: The outcome is unknown/);
    expect(stdout).toMatch(/ 1 {2}taken {8}taken by sim as 4711\n/);
    expect(stdout).toMatch(
      / 2 {2}uncertain {4}submitted to sim and never answered; waiting for a late answer or a receipt until \d{4}-/,
    );
    expect(stdout).toMatch(/accepted, [\d,]+ rials charged\n.*part 1 taken by sim as 4711\n.*validity period ends/);
    expect(stdout).not.toContain("secret");
  });

  it("is JSON for programs, and never has the text either", async () => {
    const { stdout } = await hodhod(["message", "--json", id], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      account: "demo",
      reason: 1302,
      parts: [
        { part: 1, state: "taken", smscMessageId: "4711" },
        { part: 2, state: "uncertain", connector: "sim" },
      ],
      events: [{ kind: "accepted" }, { kind: "taken", part: 1 }, { kind: "validityEnds" }],
    });
    expect(stdout).not.toContain("secret");
  });

  it("says why a deferred message waits, and how often it was submitted", async () => {
    const [deferred = ""] = await storeCall(world, { messages: [{}] });
    const connectorId = world.connector().id;
    const turnedAway = { connectorId, answer: "ESME_RTHROTTLED" };
    for (let tries = 0; tries < 7; tries += 1) {
      await world.rows("delete from message_queue where message_id = $1", [deferred]);
      const message = {
        accountId: world.account().id,
        messageId: deferred,
        delayMs: 1000,
        dueAt: new Date(),
        attempt: 1,
        tries,
      };
      await requeueMessages(world.db, [{ ...message, turnedAway }]);
    }
    // Given back unwritten: neither counted, nor forgotten.
    await world.rows("delete from message_queue where message_id = $1", [deferred]);
    const back = {
      accountId: world.account().id,
      messageId: deferred,
      delayMs: undefined,
      dueAt: new Date(),
      attempt: 1,
      tries: 7,
    };
    await requeueMessages(world.db, [back]);
    const words = "submitted 7 times, turned away each time; last answer from sim: ESME_RTHROTTLED";
    const { stdout } = await hodhod(["message", deferred], { env });
    expect(stdout).toContain(` 1  waiting      ${words}`);
    expect(stdout.split(words)).toHaveLength(3);
    const { stdout: json } = await hodhod(["message", "--json", deferred], { env });
    expect(JSON.parse(json)).toMatchObject({ turnedAway: { times: 7, connector: "sim", answer: "ESME_RTHROTTLED" } });
  });

  it.each([
    ["no-id", 2, "is not a sentMessageId"],
    [uuidv7(), 1, "there is no message"],
  ])("tells that %s cannot be shown", async (wrong, exit, words) => {
    const { code, stderr } = await hodhod(["message", wrong], { env });
    expect(code).toBe(exit);
    expect(stderr).toContain(words);
  });
});
