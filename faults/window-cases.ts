// A case of sending hours: a window ends in the middle of a backlog, and the gateway's wall clock
// is stepped around its end and around the beginning of the next one. What the operator receives
// is held against the true clock, which is the database's.
import { setTimeout as delay } from "node:timers/promises";
import { onlyOf } from "../src/store/database.ts";
import { type FaultCase, type FaultReport, underLoad } from "./case.ts";
import { senderLine } from "./load.ts";
import type { World } from "./world.ts";
import { holdsWithin } from "../bench/look.ts";

const minuteMs = 60_000;
/** Within which nothing goes out any more (docs/rules.md). */
const graceMs = 2_000;
/** The move is of up to 2,000 messages at a time; a claim that comes back is of one window. */
const fewestInATransaction = 50;
const movedWithinMs = 30_000;
const sentWithinMs = 240_000;

interface Form {
  readonly messages: number;
  /** At least so long before the end of the window the backlog begins. */
  readonly leadMs: number;
  readonly submitDelayMs: number;
  /** One message in so many has an ending of its own; there are only thousands of such numbers. */
  readonly everyNth: number;
}

const shortForm: Form = { messages: 10_000, leadMs: 15_000, submitDelayMs: 50, everyNth: 15 };
const longForm: Form = { messages: 100_000, leadMs: 60_000, submitDelayMs: 20, everyNth: 150 };

/** The two windows, and how many parts the operator received when. */
class Watch {
  readonly endsAt: number;
  readonly beginsAt: number;
  within = 0;
  outside = 0;

  constructor(world: World, endsAt: number) {
    this.endsAt = endsAt;
    this.beginsAt = endsAt + minuteMs;
    world.operator.smsc.on("submit", () => this.#note(Date.now()));
  }

  #note(now: number): void {
    if (now < this.endsAt) this.within += 1;
    else if (now >= this.endsAt + graceMs && now < this.beginsAt) this.outside += 1;
  }
}

const until = (at: number): Promise<void> => delay(Math.max(0, at - Date.now()));

const onTheWall = (at: number): string => new Date(at).toISOString().slice(11, 16);

/** Two windows of the day, a minute apart. */
async function setHours(world: World, { endsAt, beginsAt }: Watch): Promise<void> {
  const hourMs = 60 * minuteMs;
  const windows = [
    { from: onTheWall(endsAt - hourMs), to: onTheWall(endsAt) },
    { from: onTheWall(beginsAt), to: onTheWall(beginsAt + hourMs) },
  ];
  const sendingHours = [{ name: "day", lines: [senderLine], timeZone: "UTC", windows }];
  await world.apply({ sendingHours });
}

interface Queue {
  readonly waiting: number;
  readonly moved: number;
  /** That wrote what waits for the next window. */
  readonly transactions: number;
}

interface Backlog {
  readonly watch: Watch;
  /** The id of its last message. */
  readonly upTo: string;
}

function readQueue({ db }: World, { watch, upTo }: Backlog): Promise<Queue> {
  return onlyOf(
    db.query<Queue>(
      "readMoved",
      `select count(*)::int as waiting, (count(*) filter (where due_at >= $1))::int as moved,
       count(distinct xmin::text)::int as transactions
  from message_queue where message_id <= $2::uuid`,
      [new Date(watch.beginsAt), upTo],
    ),
  );
}

async function untilQueue(
  world: World,
  backlog: Backlog,
  deadlineMs: number,
  isReached: (queue: Queue) => boolean,
): Promise<Queue> {
  let queue: Queue | undefined;
  const reached = await holdsWithin(deadlineMs, async () => isReached((queue = await readQueue(world, backlog))));
  if (!reached || queue === undefined) throw new Error(`not reached within ${deadlineMs} ms: ${JSON.stringify(queue)}`);
  return queue;
}

/** By the gateway's clock the window ends early, and then late. */
async function passEnd(world: World, backlog: Backlog): Promise<{ queue: Queue; movedMs: number }> {
  const { watch } = backlog;
  await until(watch.endsAt - 5_000);
  world.node().stepClock(20_000);
  await until(watch.endsAt - 4_000);
  world.node().stepClock(0);
  await until(watch.endsAt - 2_000);
  world.node().stepClock(-30_000);
  const queue = await untilQueue(world, backlog, movedWithinMs, ({ waiting, moved }) => waiting === moved);
  const movedMs = Date.now() - watch.endsAt;
  await until(watch.endsAt + graceMs + 5_000);
  world.node().stepClock(0);
  return { queue, movedMs };
}

/** By the gateway's clock the next window begins early, and then late. */
async function passBeginning(world: World, { beginsAt }: Watch): Promise<void> {
  await until(beginsAt - 20_000);
  world.node().stepClock(30_000);
  await until(beginsAt - 2_000);
  world.node().stepClock(-10_000);
  await until(beginsAt + 2_000);
  world.node().stepClock(0);
}

async function endInBacklog(world: World, { messages, leadMs }: Form): Promise<FaultReport> {
  const watch = new Watch(world, Math.ceil((Date.now() + leadMs) / minuteMs) * minuteMs);
  await setHours(world, watch);
  await until(watch.endsAt - leadMs);
  await world.load.fill(messages);
  const upTo = world.load.promised.map(({ id }) => id).reduce((one, other) => (one > other ? one : other));
  const backlog = { watch, upTo };
  if (Date.now() > watch.endsAt - 6_000) throw new Error("the backlog was not accepted before the end of the window");
  const { queue, movedMs } = await passEnd(world, backlog);
  await passBeginning(world, watch);
  await untilQueue(world, backlog, sentWithinMs, ({ waiting }) => waiting === 0);
  const { within, outside } = watch;
  const { moved, transactions } = queue;
  const movement = `${moved} moved in ${transactions} transactions`;
  world.check(outside === 0, `${outside} parts outside of the windows`);
  world.check(within > 0, "nothing was sent in the first window");
  world.check(moved > messages / 10, `only ${moved} messages waited at the end: it was not within a backlog`);
  world.check(transactions <= Math.ceil(moved / fewestInATransaction), movement);
  world.notes.push(`${messages} messages, ${within} parts before the end, ${outside} outside; ${movement}`);
  return { backMs: movedMs };
}

export const windowCases: readonly FaultCase[] = [
  {
    name: "window-end",
    title: "window of sending hours ends within a backlog, the gateway's clock stepped around it, hold",
    needsQuiet: true,
    run: (context) => {
      const form = context.full ? longForm : shortForm;
      const { submitDelayMs, everyNth } = form;
      const options = { policy: "hold", smsc: { submitDelayMs }, everyNth, clockOffsetsMs: [0] } as const;
      return underLoad(context, options, (world) => endInBacklog(world, form));
    },
  },
];
