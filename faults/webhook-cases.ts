// Cases in which a process dies while events of messages are sent to endpoints of a customer: each
// event reaches each endpoint, none tells what did not happen, and repetitions have the same id.
import { type FaultCase, longestOf, timed, underLoad, untilBack } from "./case.ts";
import { contradictionsOfLog, EventReceiver, receiverSecret } from "./event-receiver.ts";
import { embedded, killDatabase } from "./process-cases.ts";
import type { World } from "./world.ts";

/** One endpoint gets single events, the other one batches. */
const batchSizes = [1, 20];
const busyMs = 20_000;
const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };

/** `cutsOfOne`: how many windows' answers it costs to kill it once. */
function killed(name: string, what: string, kill: (world: World) => Promise<void>, cutsOfOne: number): FaultCase {
  return {
    name,
    title: `kill -9 of ${what} while events are sent to endpoints`,
    run: async (context) => {
      const receivers = await Promise.all(batchSizes.map(() => EventReceiver.start()));
      const wordsOf = (index: number): string => `the endpoint with batches of ${batchSizes[index]}`;
      const webhooks = receivers.map(({ url }, index) => ({
        ...{ name: wordsOf(index), url: `${url}/hook`, events: ["*"], secret: receiverSecret },
        batchSize: batchSizes[index],
      }));
      try {
        return await underLoad(context, { ...embedded, policy: "hold", account: { webhooks }, env }, async (world) => {
          const times = context.full ? 12 : 1;
          const backMs = await longestOf(times, async () => {
            await receivers[0]?.untilBusy(world, busyMs);
            const back = await timed(async () => {
              await kill(world);
              await untilBack(world);
            });
            await world.load.accepts(50);
            return back;
          });
          const atRest = async (): Promise<void> => {
            for (const [index, receiver] of receivers.entries())
              world.notes.push(await receiver.checkEvents(world, wordsOf(index)));
            const wrong = await contradictionsOfLog(world);
            world.check(wrong === 0, `${wrong} ends of messages that the log lacks, or has wrongly`);
          };
          return { cuts: cutsOfOne * times, backMs, note: `${times} ×`, atRest };
        });
      } finally {
        await Promise.all(receivers.map((receiver) => receiver.stop()));
      }
    },
  };
}

async function restart(world: World): Promise<void> {
  await world.node().kill();
  await world.node().start();
}

export const webhookCases: readonly FaultCase[] = [
  killed("kill-gateway-webhooks", "the gateway", restart, 1),
  killed("kill-database-webhooks", "PostgreSQL", async (world) => killDatabase(world), 0),
];
