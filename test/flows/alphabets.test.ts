// Texts that the first link of a route cannot carry in its alphabet: another one that can takes
// them, else nobody says that the operator refused.
import { describe, expect, it } from "vitest";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { baseConnectors, openingCredit, price } from "../support/gateway-setup.ts";

const smsc = { receiptDelayMs: 20 };
/** Beyond ASCII and Latin-1, and too long for UCS-2 in the parts that were counted. */
const euros = "€".repeat(75);
/** Two parts: the first any link carries, the second is too long for UCS-2. */
const halfEuros = `${"a".repeat(153)}${"€".repeat(75)}`;

function withLinks(alphabets: readonly string[], flow: (running: TestGateway) => Promise<void>): Promise<void> {
  const setup = (ports: readonly number[]) => ({
    connectors: baseConnectors(ports).map((connector, index) => ({ ...connector, defaultAlphabet: alphabets[index] })),
  });
  return withTestGateway({ smsc: alphabets.map(() => smsc), setup }, flow);
}

const textsAt = (running: TestGateway, index: number, recipient: string): string[] =>
  (running.smscs[index]?.submitted ?? [])
    .filter(({ recipient: { address } }) => address === `98${recipient.slice(1)}`)
    .map(({ text }) => text);

describe("a text that a link cannot carry", () => {
  it.concurrent.each([
    ["one part", euros],
    ["two parts, of which it could carry the first", halfEuros],
  ])("goes to another connector of the route that can: %s", (_, content) =>
    withLinks(["ascii", "latin1", "gsm7"], async (running) => {
      const recipient = recipientOf("4567");
      const { id } = await running.send(recipient, { content });
      await running.untilStatus(id, 2);
      expect([0, 1].map((index) => textsAt(running, index, recipient))).toEqual([[], []]);
      expect(textsAt(running, 2, recipient).sort().join("")).toBe(content);
      // What the first can carry it does carry.
      const plain = recipientOf("4568");
      await running.untilStatus((await running.send(plain, { content: "plain" })).id, 2);
      expect(textsAt(running, 0, plain)).toEqual(["plain"]);
    }),
  );

  it.concurrent("ends at 4 with 1310 where none can, refunded, without a word of the operator", () =>
    withLinks(["ascii", "latin1"], async (running) => {
      const recipient = recipientOf("4567");
      const { id } = await running.send(recipient, { content: halfEuros });
      const { errorCode, errorMessage } = await running.untilStatus(id, 4);
      expect(errorCode).toBe(1310);
      expect(errorMessage).not.toMatch(/refused|ESME/);
      expect(running.submissions(recipient)).toEqual([]);
      expect(await running.refundsOf(id)).toEqual([2n * price.other]);
      expect(await running.balance()).toBe(openingCredit);
    }),
  );

  it.concurrent("waits while the one that can is down, and is sent when it is back", () =>
    withLinks(["ascii", "gsm7"], async (running) => {
      const recipient = recipientOf("4567");
      const able = running.smscs[1];
      able?.refuseBinds(13);
      able?.cutLinks();
      await running.until("the second link down", () => (able?.sessions.length === 0 ? true : undefined));
      const { id } = await running.send(recipient, { content: euros });
      await running.until("its own lane", async () =>
        (await running.count("message_queue", "route_id > 1000000")) === 1 ? true : undefined,
      );
      await running.passMarker();
      await running.runNow("reroute-waiting");
      expect(await running.status(id)).toMatchObject({ messageStatus: 0 });
      able?.refuseBinds(undefined);
      await running.untilStatus(id, 2);
      expect(textsAt(running, 0, recipient)).toEqual([]);
    }),
  );
});
