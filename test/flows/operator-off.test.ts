// An operator that staff switch off in the console of one node: every node refuses new calls to its
// numbers.
import { expect, it } from "vitest";
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
