// An operator that staff switch off in the console of one node: every node refuses new calls to its
// numbers.
import { expect, it } from "vitest";
import { openDatabaseWire } from "../support/database-wire.ts";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { callGatewayConsole, signInAdministrator } from "../support/gateway-console.ts";

/** Reads the operator now, and changes it by `send`. */
async function prepareSwitch(
  gateway: TestGateway,
  cookie: string,
  enabled: boolean,
): Promise<{ send: () => Promise<void> }> {
  const { body: operator, headers } = await callGatewayConsole(gateway, "GET", "/operators/MCI", {
    headers: { cookie },
  });
  const send = async (): Promise<void> => {
    const { status } = await callGatewayConsole(gateway, "PUT", "/operators/MCI", {
      headers: { cookie, "if-match": headers.get("etag") ?? "" },
      body: { ...operator, enabled },
    });
    expect(status).toBe(200);
  };
  return { send };
}

async function codeOfSend(gateway: TestGateway, variant: number): Promise<number | undefined> {
  const { body } = await gateway.call("POST", "messages/send", {
    body: { senderNumber: "10001234", recipientNumber: recipientOf("6201", variant), content: "سلام" },
  });
  return body.errorCode ?? body.message?.errorCode;
}

const rounds = 5;

/**
 * The milliseconds from the switch, as it is sent, to the first 1048 of the last node, of each
 * round, sorted. Between them nobody calls: the nodes share this process.
 */
async function timesToOff(nodes: readonly TestGateway[], cookie: string): Promise<readonly number[]> {
  const [first] = nodes;
  if (first === undefined) throw new Error("no nodes");
  const times: number[] = [];
  let variant = 0;
  const change = async (enabled: boolean, code: number | undefined): Promise<number> => {
    const { send } = await prepareSwitch(first, cookie, enabled);
    const followed = Promise.all(nodes.map(({ telemetry }) => telemetry.next("configuration.reloaded")));
    const begunAt = performance.now();
    await send();
    await followed;
    for (const node of nodes) expect(await codeOfSend(node, (variant += 1))).toBe(code);
    return performance.now() - begunAt;
  };
  for (let round = 0; round < rounds; round += 1) {
    times.push(await change(false, 1048));
    await change(true, undefined);
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
      const times = await timesToOff([gateway, second], cookie);
      expect(times[Math.floor(rounds / 2)]).toBeLessThan(1000);
    } finally {
      await second.stopGateway();
      await wire.close();
    }
  }));
