// Cases in which a process dies while events of messages are sent to endpoints of a customer: each
// event reaches each endpoint, none tells what did not happen, and repetitions have the same id.
import { signalTo } from "../src/postgres/server.ts";
import {
  type CaseContext,
  type CaseCounts,
  type FaultCase,
  inWords,
  longestOf,
  must,
  underLoad,
  untilBack,
} from "./case.ts";
import { contradictionsOfLog, type EventCounts, EventReceiver, receiverSecret } from "./event-receiver.ts";
import type { World } from "./world.ts";

/** One endpoint gets single events, the other one batches. */
const batchSizes = [1, 20];
const busyMs = 20_000;
/** A rest after an outage, and the requests that failed in it. */
const deliveredMs = 60_000;

const endpointOf = ({ url }: EventReceiver, batchSize: number): object => ({
  name: `batches of ${batchSize}`,
  url: `${url}/hook`,
  events: ["*"],
  batchSize,
  secret: receiverSecret,
});

async function killWhileTelling(
  context: CaseContext,
  kill: (world: World) => Promise<void>,
  cutsOfOne: number,
): Promise<CaseCounts> {
  const receivers = await Promise.all(batchSizes.map(() => EventReceiver.start()));
  try {
    const webhooks = receivers.map((receiver, index) => endpointOf(receiver, batchSizes[index] ?? 1));
    const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };
    return await underLoad(context, { policy: "hold", webhooks, env }, async (world) => {
      const times = context.full ? 12 : 1;
      const backMs = await longestOf(times, async () => {
        await receivers[0]?.untilBusy(world, busyMs);
        const begunAt = performance.now();
        await kill(world);
        await untilBack(world);
        await world.load.accepts(50);
        return performance.now() - begunAt;
      });
      const counts: EventCounts[] = [];
      const atRest = async (): Promise<readonly string[]> => {
        for (const receiver of receivers) counts.push(await receiver.count(world, deliveredMs));
        return problemsOf(counts, await contradictionsOfLog(world));
      };
      const note = (): string => `${inWords(times)}; events to two endpoints: ${counts.map(inNumbers).join(", and ")}`;
      return { cuts: cutsOfOne * times, backMs, note, atRest };
    });
  } finally {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
}

const inNumbers = ({ happened, repeated }: EventCounts): string => `${happened} (${repeated} repeated)`;

function problemsOf(counts: readonly EventCounts[], contradictions: number): readonly string[] {
  return [
    ...must(contradictions === 0, `${contradictions} ends of messages that the log does not tell, or tells wrongly`),
    ...counts.flatMap(({ happened, missing, untrue, refused }, index) => {
      const of = `to the endpoint with batches of ${batchSizes[index]}`;
      return [
        ...must(happened > 0, "no event happened"),
        ...must(missing === 0, `${missing} events missing ${of}`),
        ...must(untrue === 0, `${untrue} events told ${of} that did not happen`),
        ...must(refused === 0, `${refused} requests with a wrong signature ${of}`),
      ];
    }),
  ];
}

export const webhookCases: readonly FaultCase[] = [
  {
    name: "kill-gateway-webhooks",
    title: "kill -9 of the gateway while events are sent to endpoints",
    run: (context) =>
      killWhileTelling(
        context,
        async (world) => {
          await world.node.kill();
          await world.node.start();
        },
        1,
      ),
  },
  {
    name: "kill-database-webhooks",
    title: "kill -9 of PostgreSQL while events are sent to endpoints",
    run: (context) =>
      killWhileTelling(
        context,
        async (world) => {
          signalTo(world.serverPid(), "SIGKILL");
        },
        0,
      ),
  },
];
