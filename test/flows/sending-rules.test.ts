// Sending hours and content rules from the setup file, over HTTP, with an operator behind.
import { describe, expect, it } from "vitest";
import { decideReview } from "../../src/intake/decide-review.ts";
import { raiseConfigurationVersion } from "../../src/store/configuration-version.ts";
import { weekdays } from "../../src/sms/sending-hours.ts";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { openingCredit } from "../support/gateway-setup.ts";

const minuteMs = 60_000;
const line = "10005678";

/** All windows begin or end an hour from now: a minute may turn between a rule and what it does. */
const presentMinute = Math.floor(Date.now() / minuteMs);

/** Whole minutes. */
const minute = (ahead: number): number => (presentMinute + ahead) * minuteMs;

/** Hours of one line, between two minutes from now, each day. */
function hours(from: number, to: number): object {
  const clock = (ahead: number): string => new Date(minute(ahead)).toISOString().slice(11, 16);
  const windows = [{ days: [...weekdays], from: clock(from), to: clock(to) }];
  return { name: "day", lines: [line], accounts: ["*"], timeZone: "UTC", windows, except: [] };
}

/** As the setup file of staff does it. */
async function setRules(
  running: TestGateway,
  section: "sendingHours" | "contentRules",
  rules: readonly object[],
): Promise<void> {
  await running.db.query({
    name: "dropRules",
    text: "delete from configured_object where section in ('sendingHours', 'contentRules')",
    values: [],
  });
  await addRules(running, section, rules);
}

async function addRules(
  running: TestGateway,
  section: "sendingHours" | "contentRules",
  rules: readonly object[],
): Promise<void> {
  await running.db.transaction(async (tx) => {
    await tx.query({
      name: "addRules",
      text: `insert into configured_object (section, name, position, body)
             select $1, place, place, body from json_array_elements($2::json) with ordinality as r (body, place)`,
      values: [section, JSON.stringify(rules)],
    });
    await raiseConfigurationVersion(tx);
  });
  await running.apply({});
}

const fromLine = { senderNumber: line, content: "hello" };

describe("sending hours", () => {
  it.concurrent("give a message a time, shown by preview and status; codes go at once; it can be canceled", () =>
    withTestGateway({}, async (running) => {
      await setRules(running, "sendingHours", [hours(60, 120)]);
      const recipient = recipientOf("4101");
      const begins = minute(60) / 1000;
      const preview = await running.call("POST", "messages/preview", {
        body: { ...fromLine, recipientNumber: recipient },
      });
      expect(preview.body.message?.sendTimestamp).toBe(begins);
      const held = await running.send(recipient, fromLine);
      expect(await running.status(held.id)).toMatchObject({ messageStatus: 0, sendTimestamp: begins });
      const code = await running.call("POST", "messages/send/template", {
        body: {
          recipientNumber: recipientOf("4102"),
          templateId: "OwnLineTpl",
          parameters: [{ name: "code", value: "1" }],
        },
      });
      await running.untilStatus(code.body.message?.sentMessageId ?? "", 2);
      const free = await running.send(recipientOf("4103"), { content: "hello" });
      expect(await running.untilStatus(free.id, 2)).not.toHaveProperty("sendTimestamp");
      expect(running.submissions(recipient)).toEqual([]);
      const canceled = await running.call("DELETE", `messages/send/scheduled/${held.batchId}`);
      expect([canceled.status, canceled.body.canceledCount]).toEqual([200, 1]);
      expect(await running.status(held.id)).toMatchObject({ messageStatus: 4, errorCode: 1305 });
    }),
  );

  it.concurrent("count for what waits when they change, and let it go when they are gone", () =>
    withTestGateway({}, async (running) => {
      const [smsc] = running.smscs;
      smsc.refuseBinds(13);
      smsc.cutLinks();
      await running.until("the link down", () => (smsc.sessions.length === 0 ? true : undefined));
      const recipient = recipientOf("4104");
      const { id } = await running.send(recipient, fromLine);
      expect(await running.status(id)).not.toHaveProperty("sendTimestamp");
      await setRules(running, "sendingHours", [hours(60, 120)]);
      smsc.refuseBinds(undefined);
      await running.untilBound();
      const moved = await running.untilStatus(id, ({ sendTimestamp }) => sendTimestamp !== undefined);
      expect(moved).toMatchObject({ messageStatus: 0, sendTimestamp: minute(60) / 1000 });
      await running.passMarker();
      expect(running.submissions(recipient)).toEqual([]);
      await setRules(running, "sendingHours", []);
      await running.untilStatus(id, 2);
      expect(running.submissions(recipient)).toHaveLength(1);
    }),
  );
});

it.concurrent("a message that an operator turns away for now stays in the window in which it was accepted", () =>
  withTestGateway({}, async (running) => {
    await setRules(running, "sendingHours", [hours(-60, 60)]);
    // Throttled, always.
    await running.send(recipientOf("0015"), fromLine);
    const ends = new Date(minute(60)).toISOString();
    await running.until("back in its window", async () => {
      const turnedAway = `exists (select from message m where m.id = message_id and m.turned_away > 0)`;
      return (await running.count("message_queue", `${turnedAway} and window_end = '${ends}'`)) === 1
        ? true
        : undefined;
    });
  }),
);

describe("content rules", () => {
  const everywhere = { lines: ["*"], accounts: ["*"] };
  const contentRules = [
    { ...everywhere, name: "links", words: [], links: "listed", domains: ["shop.example"], action: "review" },
    { ...everywhere, name: "games", words: ["کازینو*", "casino"], links: "any", domains: [], action: "refuse" },
  ];

  const decide = (running: TestGateway, decision: "allow" | "refuse", id: string): Promise<number> =>
    decideReview(running.db, { who: "test" }, { decision, choice: { messageIds: [id] } });

  it.concurrent("refuse with 1204 and the rule's name, in both languages, also in a preview", () =>
    withTestGateway({}, async (running) => {
      await setRules(running, "contentRules", contentRules);
      const body = {
        senderNumber: "10001234",
        recipientNumber: recipientOf("4106"),
        content: "The CASINO opens at evil.com",
      };
      for (const path of ["messages/send", "messages/preview"]) {
        const { status, body: answer } = await running.call("POST", path, { body });
        expect([status, answer.errorCode]).toEqual([400, 1204]);
        expect(answer.errorMessage).toContain("games");
      }
      const persian = await running.call("POST", "messages/send", { body, headers: { "accept-language": "fa" } });
      expect(persian.body.errorMessage).toMatch(/فیلتر محتوا.*games/);
      expect(await running.balance()).toBe(openingCredit);
    }),
  );

  it.concurrent("keep a message at 0 with 1308 until staff allow or refuse it", () =>
    withTestGateway({}, async (running) => {
      await setRules(running, "contentRules", contentRules);
      const [first, second] = [recipientOf("4107"), recipientOf("4108")];
      const content = "see evil\u200C.com";
      const preview = await running.call("POST", "messages/preview", {
        body: { senderNumber: "10001234", recipientNumber: first, content },
      });
      expect(preview.body.message).toMatchObject({ messageStatus: 0, errorCode: 1308 });
      const allowed = await running.send(first, { content });
      const refused = await running.send(second, { content });
      const free = await running.send(recipientOf("4109"), { content: "see shop.example" });
      await running.untilStatus(free.id, 2);
      expect(await running.status(allowed.id)).toMatchObject({ messageStatus: 0, errorCode: 1308 });
      expect(running.submissions(first)).toEqual([]);
      expect(await decide(running, "allow", allowed.id)).toBe(1);
      expect(await decide(running, "refuse", refused.id)).toBe(1);
      expect(await running.untilStatus(allowed.id, 2)).not.toHaveProperty("errorCode");
      expect(await running.status(refused.id)).toMatchObject({ messageStatus: 4, errorCode: 1309 });
      expect(await running.refundsOf(refused.id)).toHaveLength(1);
      expect(running.submissions(second)).toEqual([]);
    }),
  );

  it.concurrent("go by the sending hours that count when staff allow it", () =>
    withTestGateway({}, async (running) => {
      const both = async (sendingHours: readonly object[]): Promise<void> => {
        await setRules(running, "sendingHours", sendingHours);
        await addRules(running, "contentRules", contentRules);
      };
      await both([hours(60, 120)]);
      const [early, late, still] = [recipientOf("4111"), recipientOf("4112"), recipientOf("4113")];
      const held = { senderNumber: line, content: "evil.com" };
      const before = await running.send(early, held);
      const after = await running.send(late, held);
      expect(await running.status(before.id)).toMatchObject({ errorCode: 1308, sendTimestamp: minute(60) / 1000 });
      expect(await decide(running, "allow", before.id)).toBe(1);
      await both([]);
      await running.untilStatus(before.id, 2);
      expect(await decide(running, "allow", after.id)).toBe(1);
      await running.untilStatus(after.id, 2);
      await both([hours(60, 120)]);
      const waits = await running.send(still, held);
      expect(await decide(running, "allow", waits.id)).toBe(1);
      await running.until("in its window", async () =>
        (await running.count("message_queue", "due_at > now() and window_end > due_at")) === 1 ? true : undefined,
      );
      expect(await running.status(waits.id)).toMatchObject({ messageStatus: 0, sendTimestamp: minute(60) / 1000 });
      expect(running.submissions(still)).toEqual([]);
    }),
  );
});
