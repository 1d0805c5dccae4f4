import { beforeAll, describe, expect, it } from "vitest";
import { startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { formatRials } from "../../src/sms/money.ts";
import { withNotTaken } from "../../src/sms/not-taken.ts";
import { requeueMessages } from "../../src/store/message-queue.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { callConsole, signInStaff } from "../support/console.ts";
import {
  eventually,
  longText,
  openWorld,
  readMessage,
  storeCall,
  storeMessage,
  useWorld,
} from "../support/factories.ts";
import { openTestApi } from "../support/test-api.ts";
import { startBoundNode } from "../support/node.ts";
import { hodhod } from "./run-hodhod.ts";

const world = useWorld();
let env: Record<string, string>;
let id: string;
beforeAll(async () => {
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

describe("hodhod message", () => {
  it("tells which part is uncertain, and what it waits for; never the text", async () => {
    const { code, stdout } = await hodhod(["message", id], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`Message ${id} of demo`);
    expect(stdout).toMatch(/status 0, waiting; 1302: The outcome is unknown/);
    expect(stdout).toMatch(/ 1 {2}taken {8}connector sim, smscMessageId 4711\n/);
    expect(stdout).toMatch(/ 2 {2}uncertain {4}heldUntil \d{4}-.*, connector sim/);
    expect(stdout).toMatch(
      /The call was accepted\.\n.*The operator took part 1\. {2}part 1, connector sim, smscMessageId 4711, dataCoding 0, esmClass 64\n.*It is not sent after this time/,
    );
    expect(stdout).toMatch(
      /\n {2}It was submitted by connector sim and never answered; .* is awaited until \d{4}-.* UTC\.\n/,
    );
    expect(stdout).not.toContain("secret");
  });

  it("is JSON for programs, and never has the text either", async () => {
    const { stdout } = await hodhod(["message", "--json", id], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      sentMessageId: id,
      account: "demo",
      errorCode: 1302,
      partStates: [
        { part: 1, state: "taken", smscMessageId: "4711" },
        { part: 2, state: "uncertain", connector: "sim" },
      ],
      events: [{ kind: "accepted" }, { kind: "taken", part: 1 }, { kind: "validityEnds" }],
    });
    expect(stdout).not.toContain("secret");
  });

  it("says why a deferred message waits, and how often it was submitted", async () => {
    const deferred = await storeMessage(world, {});
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
    const { stdout } = await hodhod(["message", deferred], { env });
    expect(stdout).toContain(`The operator rejected it for now, 7 times: ESME_RTHROTTLED.  times 7, `);
    const { stdout: json } = await hodhod(["message", "--json", deferred], { env });
    expect(JSON.parse(json)).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ kind: "turnedAway", times: 7, connector: "sim", answer: "ESME_RTHROTTLED" }),
      ]) as unknown,
    });
  });

  it("says of a submission without a response that none came", async () => {
    const unanswered = await storeMessage(world, {});
    const connectorId = world.connector().id;
    const submission = { part: 1, connectorId, bindNumber: 1, node: 1, writtenAt: 0, answer: null, answerMs: null };
    await world.rows("update message set not_taken = $2 where id = $1", [
      unanswered,
      withNotTaken(undefined, [submission], 0),
    ]);
    const { stdout } = await hodhod(["message", unanswered], { env });
    expect(stdout).toContain("Submitted it: no response came.");
  });

  it.each([
    ["no-id", 2, "is not a sentMessageId"],
    [uuidv7(), 1, "there is no message"],
  ])("tells that %s cannot be shown", async (wrong, exit, words) => {
    const { code, stderr } = await hodhod(["message", wrong], { env });
    expect(code).toBe(exit);
    expect(stderr).toContain(words);
  });

  it("does not let a receipt write to the terminal", async () => {
    const reported = await storeMessage(world, {});
    await world.rows(
      `insert into receipt (account_id, message_id, part, connector_id, received_at, state, error, content, repeated)
       values ($1, $2, 1, $3, now(), 'DELIVRD', '000', $4, false)`,
      [world.account().id, reported, world.connector().id, "id:7\u001b[2J\u009b\n stat:DELIVRD text:secret"],
    );
    const { stdout } = await hodhod(["message", reported], { env });
    expect(stdout).toContain(
      "Receipt for it: DELIVRD 000.  part 1, state DELIVRD, error 000, connector sim, receiptText id:7\\u{1b}[2J\\u{9b}\\u{a} stat:DELIVRD\n",
    );
  });
});

describe("hodhod message beside the console", () => {
  type Event = Readonly<Record<string, string | number | boolean>>;
  const inOtherWords: ReadonlySet<string> = new Set(["at", "kind", "writtenAt", "part", "times", "amount"]);
  const sent = { content: `secret ${longText(2)}` };
  let told: { events: Event[]; lines: string[]; json: { events: Event[] } }[];

  beforeAll(async () => {
    const smsc = await startSimulatedSmsc();
    const both = await openWorld({ connectors: [{ name: "sim", settings: { port: smsc.port } }] });
    const node = await startBoundNode(both);
    // 0011: turned away once, then taken and delivered. 0010: refused and refunded.
    const recipients = ["989121230011", "989121230010"];
    const ids = await storeCall(both, { messages: recipients.map((recipient) => ({ ...sent, recipient })) });
    const isOver = async (each: string): Promise<boolean> => [2, 4].includes((await readMessage(both, each)).status);
    await eventually(async () => (await Promise.all(ids.map(isOver))).every(Boolean));
    await node.stop();
    const api = await openTestApi({}, { database: { db: both.db, drop: () => both.close() } });
    const cookie = await signInStaff(api, "viewer");
    told = await Promise.all(
      ids.map(async (each) => {
        const { body } = await callConsole(api, "GET", `/messages/${each}`, { cookie });
        const ofBoth = { env: { DATABASE_URL: both.url } };
        const { stdout } = await hodhod(["message", each], ofBoth);
        const lines = stdout.split("\n").filter((line) => /^ {2}\d{4}-/.test(line));
        const { stdout: json } = await hodhod(["message", "--json", each], ofBoth);
        return { events: body["events"] as Event[], lines, json: JSON.parse(json) as { events: Event[] } };
      }),
    );
    await api.close();
    await smsc.stop();
  });

  it("tells of each event what the console tells staff, at the same time", () => {
    for (const { events, lines } of told) {
      expect(lines.map((line) => line.slice(2, 25))).toEqual(
        events.map(({ at }) => String(at).slice(0, 23).replace("T", " ")),
      );
      events.forEach((event, index) => {
        const told = Object.entries(event).filter(([name]) => !inOtherWords.has(name));
        for (const [, value] of told) expect(lines[index]).toContain(String(value));
        const { amount } = event;
        if (typeof amount === "number") expect(lines[index]).toContain(formatRials(BigInt(amount)));
      });
    }
    const kinds = told.flatMap(({ events }) => events.map(({ kind }) => kind));
    expect(kinds).toEqual(expect.arrayContaining(["taken", "notTaken", "receipt", "ended", "refunded"]));
  });

  it("tells the fields of each submit_sm, its bind and node, and the span since the event before", () => {
    const [delivered] = told;
    const taken = delivered?.lines.find((line) => line.includes("The operator took part 1."));
    expect(taken).toMatch(
      /\+[\d.:]+( m?s)? {2}The operator took part 1\. {2}part 1, writtenAt .*, answerMs \d+, connector sim, bind 1, node \S+, smscMessageId \S+, dataCoding 0, esmClass 64$/,
    );
  });
});
