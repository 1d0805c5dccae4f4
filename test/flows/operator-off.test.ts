// An operator that staff switch off in the console of one node: every node refuses new calls to its
// numbers.
import { expect, it } from "vitest";
import { openDatabaseWire } from "../support/database-wire.ts";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { callGatewayConsole, signInAdministrator } from "../support/gateway-console.ts";

async function setEnabled(gateway: TestGateway, cookie: string, enabled: boolean): Promise<void> {
  const { body: operator, headers } = await callGatewayConsole(gateway, "GET", "/operators/MCI", {
    headers: { cookie },
  });
  const { status } = await callGatewayConsole(gateway, "PUT", "/operators/MCI", {
    headers: { cookie, "if-match": headers.get("etag") ?? "" },
    body: { ...operator, enabled },
  });
  expect(status).toBe(200);
}

async function codeOfSend(gateway: TestGateway, variant: number): Promise<number | undefined> {
  const { body } = await gateway.call("POST", "messages/send", {
    body: { senderNumber: "10001234", recipientNumber: recipientOf("6201", variant), content: "سلام" },
  });
  return body.errorCode ?? body.message?.errorCode;
}

it("an operator that the console of one node switches off is 1048 on both nodes, and what was accepted is still sent", () =>
  withTestGateway({ smsc: { behaviours: [], receiptDelayMs: 10 } }, async (gateway) => {
    const second = gateway.join();
    await second.start();
    const nodes = [gateway, second];
    const cookie = await signInAdministrator(gateway);
    gateway.smsc.pauseAnswers();
    const before = await gateway.send(recipientOf("6202"));

    const follow = () => Promise.all(nodes.map(({ telemetry }) => telemetry.next("configuration.reloaded")));
    const off = follow();
    await setEnabled(gateway, cookie, false);
    await off;
    for (const [index, node] of nodes.entries()) expect(await codeOfSend(node, index)).toBe(1048);
    gateway.smsc.resumeAnswers();
    await gateway.untilStatus(before.id, 2);
    // Others are not concerned.
    expect((await second.send("09351234567")).id).toBeDefined();

    const on = follow();
    await setEnabled(second, cookie, true);
    await on;
    for (const [index, node] of nodes.entries()) expect(await codeOfSend(node, index)).toBeUndefined();
  }));

const rounds = 5;

/** The milliseconds from the switch to the first 1048 of the last node, of each round, sorted. */
async function timesToOff(nodes: readonly TestGateway[], cookie: string): Promise<readonly number[]> {
  const [first] = nodes;
  if (first === undefined) throw new Error("no nodes");
  let variant = 0;
  const untilCode = async (node: TestGateway, code: number | undefined): Promise<void> => {
    while ((await codeOfSend(node, variant)) !== code) variant = (variant + 1) % 1000;
  };
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begunAt = performance.now();
    await setEnabled(first, cookie, false);
    await Promise.all(nodes.map((node) => untilCode(node, 1048)));
    times.push(performance.now() - begunAt);
    await setEnabled(first, cookie, true);
    await Promise.all(nodes.map((node) => untilCode(node, undefined)));
  }
  return times.toSorted((one, other) => one - other);
}

it("new calls are 1048 on both nodes within a second of the switch, also where a pooler swallows notifications", () =>
  withTestGateway({}, async (gateway) => {
    const cookie = await signInAdministrator(gateway);
    const wire = await openDatabaseWire(gateway.db.url);
    wire.deafen();
    const second = gateway.join({ databaseUrl: wire.url });
    try {
      await second.start();
      // That of the middle: a busy machine may delay some of them, but not most.
      expect((await timesToOff([gateway, second], cookie))[Math.floor(rounds / 2)]).toBeLessThan(1000);
    } finally {
      await second.stopGateway();
      await wire.close();
    }
  }));
