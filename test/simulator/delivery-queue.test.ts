import { afterEach, expect, it } from "vitest";
import { DelayLine, DeliveryQueue, type Delivery } from "../../src/simulator/delivery-queue.ts";
import { connectAndBind } from "../../src/smpp/client.ts";
import { commandStatus } from "../../src/smpp/constants.ts";
import type { DeliverSm, SmppAnswer } from "../../src/smpp/pdu.ts";
import { listenSmpp, type SmppServer } from "../../src/smpp/server.ts";
import { plainSubmitSm } from "../smpp/pdu-samples.ts";

let server: SmppServer | undefined;
afterEach(() => server?.close("destroy"));

interface Setup {
  readonly queue: DeliveryQueue;
  /** source_addr of what arrived, in order. */
  readonly arrived: string[];
  readonly push: (name: string) => Promise<number | undefined>;
  readonly bind: (answers?: readonly SmppAnswer[]) => Promise<{ destroy(): void }>;
}

async function setup(): Promise<Setup> {
  const queue = new DeliveryQueue(new DelayLine(), 10);
  const arrived: string[] = [];
  server = await listenSmpp({
    window: 2,
    onSession: (session) => session.once("bound", () => queue.addSession(session)),
  });
  const { port } = server;
  const push = (source_addr: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const delivery: Delivery = {
        build: () => ({ ...plainSubmitSm, command: "deliver_sm", source_addr }),
        onSettled: resolve,
        preferred: undefined,
        attempts: 0,
      };
      queue.push(delivery);
    });
  const bind = (answers: readonly SmppAnswer[] = []) => {
    const left = [...answers];
    const onRequest = (pdu: { command: string }): SmppAnswer | Promise<SmppAnswer> => {
      arrived.push((pdu as DeliverSm).source_addr);
      return left.shift() ?? { command_status: 0 };
    };
    return connectAndBind({ host: "127.0.0.1", port, systemId: "a", password: "b", bindType: "receiver", onRequest });
  };
  return { queue, arrived, push, bind };
}

it("keeps order within the window, and waits for a bind", async () => {
  const { queue, arrived, push, bind } = await setup();
  const names = Array.from({ length: 20 }, (_, index) => String(index));
  const settled = names.map(push);
  expect(queue.waiting).toBe(20);
  await bind();
  expect(await Promise.all(settled)).toEqual(names.map(() => 0));
  expect(arrived).toEqual(names);
  expect(queue.waiting).toBe(0);
});

it("repeats after a temporary error, not after a permanent one", async () => {
  const { arrived, push, bind } = await setup();
  await bind([{ command_status: commandStatus.ESME_RX_T_APPN }, { command_status: commandStatus.ESME_RX_P_APPN }]);
  expect(await push("1")).toBe(commandStatus.ESME_RX_P_APPN);
  expect(arrived).toEqual(["1", "1"]);
});

it("case 27: what was not acknowledged when the link broke is sent again on the next", async () => {
  const { arrived, push, bind } = await setup();
  const cut = await bind([{ command_status: 0 }]);
  expect(await push("1")).toBe(0);
  cut.destroy();
  const settled = push("2");
  await bind();
  expect(await settled).toBe(0);
  expect(arrived.slice(0, 2)).toEqual(["1", "2"]);
});
