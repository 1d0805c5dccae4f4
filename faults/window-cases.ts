// A case of sending hours: a window ends in the middle of a backlog, and the gateway's wall clock
// is stepped around its end and around the beginning of the next one. What the operator receives
// is held against the true clock, which is the database's.
import { setTimeout as delay } from "node:timers/promises";
import { type CaseContext, type CaseCounts, type FaultCase, type FaultReport, must, underLoad } from "./case.ts";
import { senderLine } from "./load.ts";
import type { World } from "./world.ts";
import { holdsWithin } from "./look.ts";

const minuteMs = 60_000;
/** Within which nothing goes out any more (docs/rules.md). */
const graceMs = 2_000;
/** The move is of up to 2,000 messages at a time; a claim that comes back is of one window. */
const fewestInATransaction = 50;

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
  /** After the end, as long as that is allowed. */
  inGrace = 0;
  lastInGraceMs = 0;
  outside = 0;
  inNext = 0;

  constructor(world: World, endsAt: number) {
    this.endsAt = endsAt;
    this.beginsAt = endsAt + minuteMs;
    world.operator.smsc.on("submit", () => this.#note(Date.now()));
  }

  #note(now: number): void {
    if (now >= this.beginsAt) this.inNext += 1;
    else if (now < this.endsAt) this.within += 1;
    else if (now < this.endsAt + graceMs) {
      this.inGrace += 1;
      this.lastInGraceMs = now - this.endsAt;
    } else this.outside += 1;
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

async function readQueue({ db }: World, { watch, upTo }: Backlog): Promise<Queue> {
  const [row] = await db.query<Queue>({
    name: "readMoved",
    text: `select count(*)::int as waiting, (count(*) filter (where due_at >= $1))::int as moved,
       count(distinct xmin::text)::int as transactions
  from message_queue where message_id <= $2::uuid`,
    values: [new Date(watch.beginsAt), upTo],
  });
  return row ?? { waiting: 0, moved: 0, transactions: 0 };
}

interface Goal {
  readonly withinMs: number;
  readonly isReached: (queue: Queue) => boolean;
}

async function untilQueue(world: World, backlog: Backlog, { withinMs, isReached }: Goal): Promise<Queue> {
  let queue: Queue | undefined;
  const reached = await holdsWithin(withinMs, async () => isReached((queue = await readQueue(world, backlog))));
  if (!reached || queue === undefined) throw new Error(`not reached within ${withinMs} ms: ${JSON.stringify(queue)}`);
  return queue;
}

const allMoved: Goal = { withinMs: 30_000, isReached: ({ waiting, moved }) => waiting === moved };
const allSent: Goal = { withinMs: 240_000, isReached: ({ waiting }) => waiting === 0 };

/** By the gateway's clock the window ends early, and then late. */
async function passEnd(world: World, backlog: Backlog): Promise<{ queue: Queue; movedMs: number }> {
  const { watch } = backlog;
  await until(watch.endsAt - 5_000);
  world.stepClock(20_000);
  await until(watch.endsAt - 4_000);
  world.stepClock(0);
  await until(watch.endsAt - 2_000);
  world.stepClock(-30_000);
  const queue = await untilQueue(world, backlog, allMoved);
  const movedMs = Date.now() - watch.endsAt;
  await until(watch.endsAt + graceMs + 5_000);
  world.stepClock(0);
  return { queue, movedMs };
}

/** By the gateway's clock the next window begins early, and then late. */
async function passBeginning(world: World, { beginsAt }: Watch): Promise<void> {
  await until(beginsAt - 20_000);
  world.stepClock(30_000);
  await until(beginsAt - 2_000);
  world.stepClock(-10_000);
  await until(beginsAt + 2_000);
  world.stepClock(0);
}

async function endInBacklog(world: World, { messages, leadMs }: Form): Promise<FaultReport> {
  const watch = new Watch(world, Math.ceil((Date.now() + leadMs) / minuteMs) * minuteMs);
  await setHours(world, watch);
  await until(watch.endsAt - leadMs);
  await world.load.fill(messages);
  const upTo = world.load.promised.map(({ id }) => id).reduce((one, other) => (one > other ? one : other));
  const backlog = { watch, upTo };
  if (Date.now() > watch.endsAt - 6_000) throw new Error("the backlog was not accepted before the end of the window");
  const moved = await passEnd(world, backlog);
  await passBeginning(world, watch);
  await untilQueue(world, backlog, allSent);
  return report({ watch, ...moved, messages });
}

function report(seen: { watch: Watch; queue: Queue; movedMs: number; messages: number }): FaultReport {
  const { watch, queue, movedMs, messages } = seen;
  const { within, inGrace, outside, inNext, lastInGraceMs } = watch;
  return {
    backMs: movedMs,
    note:
      `${messages} messages; ${within} parts before the end, ${inGrace} up to ${lastInGraceMs} ms after it, ` +
      `${outside} outside, ${inNext} in the next window; ${queue.moved} moved in ${queue.transactions} transactions`,
    problems: [
      ...must(outside === 0, `${outside} parts outside of the windows`),
      ...must(within > 0, "nothing was sent in the first window"),
      ...must(
        queue.moved > messages / 10,
        `only ${queue.moved} messages waited at the end: it was not within a backlog`,
      ),
      ...must(
        queue.transactions <= Math.ceil(queue.moved / fewestInATransaction),
        `${queue.moved} messages were moved in ${queue.transactions} transactions`,
      ),
    ],
  };
}

function windowEnd(context: CaseContext): Promise<CaseCounts> {
  const form = context.full ? longForm : shortForm;
  const { submitDelayMs, everyNth } = form;
  const options = {
    policy: "hold",
    server: context.server,
    smsc: { submitDelayMs },
    everyNth,
    clockOffsetsMs: [0],
  } as const;
  return underLoad(context, options, (world) => endInBacklog(world, form));
}

export const windowCases: readonly FaultCase[] = [
  {
    name: "window-end",
    title: "window of sending hours ends within a backlog, the gateway's clock stepped around it, hold",
    isAlone: true,
    needsQuiet: true,
    run: windowEnd,
  },
];
