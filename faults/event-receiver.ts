// A customer's receiver of webhooks, in a process of its own that verifies with the reference
// library, and the comparison of what it took with what happened.
import { run, type RunningProcess } from "../bench/processes.ts";
import { eventIdOfNumber } from "../src/sms/event-types.ts";
import { messageStatus } from "../src/sms/message-status.ts";
import type { World } from "./world.ts";
import { holdsWithin, numberFrom } from "../bench/look.ts";

export const receiverSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;

interface TakenEvent {
  readonly id: string;
  readonly type: string;
  /** From when it happened until it was taken. */
  readonly afterMs: number;
}

interface Taken {
  readonly taken: readonly TakenEvent[];
  /** Requests whose signature was wrong. */
  readonly refused: number;
}

/** Slow enough that events wait for it. */
const slowMs = 40;
/** A rest after an outage, and the requests that failed in it. */
const deliveredMs = 60_000;

export class EventReceiver {
  readonly url: string;
  readonly #process: RunningProcess;

  /** `answerMs`: how long it takes for an answer. `judged`: whether requests must be of now. */
  static async start(answerMs = slowMs, judged: "now" | "any-time" = "now"): Promise<EventReceiver> {
    const args = ["test/support/receiver-process.js", receiverSecret, String(answerMs), judged];
    const started = run({ command: process.execPath, args });
    const [, url = ""] = await started.line(/receiving on (http\S+)/);
    return new EventReceiver(started, url);
  }

  private constructor(started: RunningProcess, url: string) {
    this.#process = started;
    this.url = url;
  }

  async take(): Promise<Taken> {
    return (await fetch(this.url)).json() as Promise<Taken>;
  }

  async stop(): Promise<void> {
    await this.#process.stop("SIGKILL");
  }

  /** Until it has taken some events, and others that happened are still on their way to it. */
  async untilBusy({ db }: World, deadlineMs: number): Promise<void> {
    const isBusy = async (): Promise<boolean> => {
      const ids = new Set((await this.take()).taken.map(({ id }) => id));
      return ids.size > 0 && (await numberFrom(db, "select count(*) from event")) > ids.size;
    };
    if (!(await holdsWithin(deadlineMs, isBusy, 10)))
      throw new Error("no event was on its way: the case would prove nothing");
  }

  /** Waits for all events, checks that no other came, and answers a note of them. */
  async checkEvents(world: World, whom: string): Promise<string> {
    const happened = await idsInLog(world);
    let { taken, refused } = await this.take();
    const missing = (): number => {
      const ids = new Set(taken.map(({ id }) => id));
      return [...happened].filter((id) => !ids.has(id)).length;
    };
    await holdsWithin(deliveredMs, async () => {
      ({ taken, refused } = await this.take());
      return missing() === 0;
    });
    const ids = new Set(taken.map(({ id }) => id));
    const untrue = [...ids].filter((id) => !happened.has(id)).length;
    world.check(happened.size > 0, "no event happened");
    world.check(missing() === 0, `${missing()} events missing to ${whom}`);
    world.check(untrue === 0, `${untrue} events sent to ${whom} that did not happen`);
    world.check(refused === 0, `${refused} requests with a wrong signature to ${whom}`);
    return `${happened.size} events to ${whom} (${taken.length - ids.size} repeated)`;
  }
}

export async function idsInLog(world: World): Promise<ReadonlySet<string>> {
  const rows = await world.db.query<{ type: number; subjectId: string }>(
    "readEventIds",
    `select type, subject_id as "subjectId" from event`,
  );
  return new Set(rows.map(({ type, subjectId }) => eventIdOfNumber(type, subjectId)));
}

/**
 * Messages at their end without the event of it, and events of an end that no message has.
 * Delivered and undelivered never change again, and each has an event of the same number.
 */
export async function contradictionsOfLog(world: World): Promise<number> {
  const { delivered, undelivered, unsent } = messageStatus;
  return numberFrom(
    world.db,
    `(select count(*) from message m where m.status in (${delivered}, ${undelivered}, ${unsent})
         and not exists (select from event e where e.subject_id = m.id and e.type = m.status))
     + (select count(*) from event e where e.type in (${delivered}, ${undelivered})
         and not exists (select from message m where m.id = e.subject_id and m.status = e.type))`,
  );
}
