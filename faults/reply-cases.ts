// Cases of automatic replies: machines that reply to each reply, and a gateway that is killed while
// it replies. What the operator took is held against what subscribers wrote.
import { setTimeout as delay } from "node:timers/promises";
import type { SubmittedMessage } from "../src/simulator/submitted-message.ts";
import { type CaseContext, type FaultCase, longestOf, timed, underLoad, untilBack } from "./case.ts";
import { senderLine } from "./load.ts";
import { holdsWithin, numberFrom } from "../bench/look.ts";
import { embedded } from "./process-cases.ts";
import type { World } from "./world.ts";

const reply = "thank you";
const setup = { inboundRules: [{ line: senderLine, any: true, account: "caller", reply }] };
const settleMs = 60_000;
const pollMs = 100;

/** No ending of it is one that the operator treats in its own way. */
const subscriber = (number: number): string => `98935${String(number).padStart(5, "0")}77`;

/** Until no reply is owed any more; then replies count among what the load was promised. */
async function untilSettled({ db }: World): Promise<void> {
  const owed = () => numberFrom(db, "select count(*) from inbound_reply where content is not null");
  if (!(await holdsWithin(settleMs, async () => (await owed()) === 0)))
    throw new Error(`${await owed()} replies are owed after ${settleMs / 1000} s`);
}

interface StoredReply {
  readonly sentMessageId: string;
  readonly recipientNumber: string;
  readonly parts: string;
  readonly cost: string;
}

/** Replies are promised to nobody by a call: the audit gets them from the database. */
async function promiseReplies(world: World): Promise<readonly StoredReply[]> {
  const replies = await world.db.query<StoredReply>(
    "readReplies",
    `select id as "sentMessageId", '0' || substr(recipient, 3) as "recipientNumber", parts::text, cost::text
  from message where content = $1`,
    [reply],
  );
  world.load.remember({ messages: replies });
  return replies;
}

interface Machine {
  /** What it answers to the reply of this number, counted from 1. */
  readonly answer: (replies: number) => string;
  /** How many replies it may get (docs/rules.md). */
  readonly replies: number;
  readonly messagesForEach: number;
}

/** Another text each time, the same, and two texts for each reply. */
const machines: readonly Machine[] = [
  { answer: (replies) => `out of office ${replies}`, replies: 3, messagesForEach: 1 },
  { answer: () => "out of office", replies: 2, messagesForEach: 1 },
  { answer: (replies) => `away ${replies}`, replies: 3, messagesForEach: 2 },
];

/** All the machines of one world: they write first, and then for each reply. */
class Machines {
  readonly taken = new Map<string, number>();
  written = 0;
  lastAt = performance.now();
  #writing = 0;
  readonly #world: World;

  constructor(world: World, count: number) {
    this.#world = world;
    world.operator.smsc.on("submit", (message) => this.#onReply(message));
    for (let index = 0; index < count; index += 1) this.taken.set(subscriber(index), 0);
  }

  kindOf(number: string): Machine {
    const kind = machines[[...this.taken.keys()].indexOf(number) % machines.length];
    if (!kind) throw new Error(`${number} is no machine`);
    return kind;
  }

  async begin(): Promise<void> {
    await Promise.all([...this.taken.keys()].map((number) => this.#write(number, this.kindOf(number).answer(0))));
  }

  get isWriting(): boolean {
    return this.#writing > 0;
  }

  #onReply({ recipient, commandStatus }: SubmittedMessage): void {
    const before = this.taken.get(recipient.address);
    if (before === undefined || commandStatus !== 0) return;
    const replies = before + 1;
    this.taken.set(recipient.address, replies);
    this.lastAt = performance.now();
    const { answer, messagesForEach } = this.kindOf(recipient.address);
    for (let each = 0; each < messagesForEach; each += 1) {
      const text = messagesForEach === 1 ? answer(replies) : `${answer(replies)}, ${each}`;
      void this.#write(recipient.address, text);
    }
  }

  async #write(from: string, text: string): Promise<void> {
    this.#writing += 1;
    this.written += 1;
    try {
      const status = await this.#world.operator.smsc.sendMo({ from, to: senderLine, text }).catch(String);
      this.#world.check(status === 0, `a message of a machine was answered ${status}`);
    } finally {
      this.#writing -= 1;
    }
  }
}

function machinesReply(context: CaseContext) {
  return underLoad(context, { policy: "hold", setup }, async (world) => {
    const begunAt = performance.now();
    const count = context.full ? 300 : 60;
    const all = new Machines(world, count);
    await all.begin();
    await untilEnded(world, all);
    const stored = await promiseReplies(world);
    const taken = [...all.taken.values()].reduce((sum, replies) => sum + replies, 0);
    const seconds = ((all.lastAt - begunAt) / 1000).toFixed(1);
    return {
      furtherToOneNumber: () => stored.length - count,
      note: `${count} machines wrote ${all.written}, got ${taken} replies; the last after ${seconds} s`,
      atRest: async () => {
        world.check(taken === stored.length, `${taken} replies at the operator, ${stored.length} stored`);
        for (const [number, replies] of all.taken) {
          const right = all.kindOf(number).replies;
          world.check(replies === right, `${number} got ${replies} of ${right}`);
        }
        await checkReceived(world, all.written);
      },
    };
  });
}

async function checkReceived({ db, problems }: World, written: number): Promise<void> {
  const received = await numberFrom(db, "select count(*) from inbound_message");
  if (received !== written) problems.push(`${received} messages received of ${written} written`);
}

/**
 * Nothing is owed, all that is stored was submitted, nobody writes, and it was so long enough for a
 * machine to have written again.
 */
async function untilEnded(world: World, all: Machines): Promise<void> {
  const quietMs = 3_000;
  const isOver = async (): Promise<boolean> => {
    await untilSettled(world);
    return !all.isWriting && performance.now() - all.lastAt > quietMs;
  };
  if (!(await holdsWithin(settleMs, isOver)))
    throw new Error(`gateway and machines still reply to each other after ${settleMs / 1000} s`);
}

/** Subscribers who each write once. What has no answer is delivered again, as an operator does. */
class Subscribers {
  written = 0;
  answered = 0;
  repeated = 0;
  readonly #world: World;
  readonly #running: Promise<void>[] = [];
  #isStopping = false;

  constructor(world: World) {
    this.#world = world;
  }

  start(writers: number): void {
    for (let index = 0; index < writers; index += 1) this.#running.push(this.#work());
  }

  /** Over when all that was written is answered. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  async untilAnswered(more: number): Promise<void> {
    const goal = this.answered + more;
    if (!(await holdsWithin(settleMs, () => this.answered >= goal, 10)))
      throw new Error(`only ${this.answered} of ${goal} messages were answered`);
  }

  async #work(): Promise<void> {
    while (!this.#isStopping) {
      const from = subscriber(this.written);
      this.written += 1;
      await this.#write(from);
      await delay(20);
    }
  }

  async #write(from: string): Promise<void> {
    const until = performance.now() + settleMs;
    for (;;) {
      const message = { from, to: senderLine, text: `a question of ${from}` };
      const status = await this.#world.operator.smsc.sendMo(message).catch(() => undefined);
      if (status === 0) {
        this.answered += 1;
        return;
      }
      if (performance.now() > until) throw new Error(`a message of ${from} is never answered`);
      this.repeated += 1;
      await delay(pollMs);
    }
  }
}

function killedWhileReplying(context: CaseContext) {
  return underLoad(context, { ...embedded, policy: "hold", setup }, async (world) => {
    const times = context.full ? 6 : 2;
    const subscribers = new Subscribers(world);
    subscribers.start(6);
    const backMs = await longestOf(times, async () => {
      await subscribers.untilAnswered(60);
      return timed(async () => {
        await world.node().kill();
        await world.node().start();
        await untilBack(world);
      });
    });
    await subscribers.untilAnswered(60);
    await subscribers.stop();
    await untilSettled(world);
    const replies = await promiseReplies(world);
    const answered = new Set(replies.map(({ recipientNumber }) => recipientNumber)).size;
    const { written, repeated } = subscribers;
    const note = `${times} ×; ${written} messages of subscribers (${repeated} delivered again), ${replies.length} replies`;
    // The audit holds that each reply came to the operator once, or is open because of the kill.
    const atRest = async (): Promise<void> => {
      world.check(answered === written, `${answered} of ${written} subscribers have a reply`);
      world.check(replies.length === written, `${replies.length} replies to ${written} messages of subscribers`);
      await checkReceived(world, written);
    };
    return { cuts: times, backMs, note, atRest };
  });
}

export const replyCases: readonly FaultCase[] = [
  { name: "reply-machine", title: "machines that answer each reply", run: machinesReply },
  {
    name: "kill-gateway-replies",
    title: "kill -9 of the gateway while it replies to subscribers, hold",
    run: killedWhileReplying,
  },
];
