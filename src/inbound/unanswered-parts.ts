// The parts from subscribers that this process has not answered yet, in order of arrival. A
// confirmation counts here at once, and in the database a moment later. A part stays until its
// answer is sent or its session is over, so the number of parts is bounded by what the sessions
// hold unanswered.
import type { InboundArrival, InboundSession } from "../connectors/connector.ts";
import { isRepetition } from "../sms/concatenation.ts";
import { isRetriable } from "../store/database-errors.ts";

export interface UnansweredPart {
  readonly key: string;
  /** The latest arrival; a repetition replaces it. */
  arrival: InboundArrival;
  /** Monotonic, milliseconds. */
  arrivedAt: number;
  /** Known once the row is written, which may be before the commit. */
  id: bigint | undefined;
  isStored: boolean;
  /** Settles when the part is on disk, or will not be. */
  storing: Promise<unknown> | undefined;
}

/**
 * The last requests of a session, by number. Some SMSCs give all requests the same number, or a few
 * in turn: once two different ones had the same, numbers of that session prove nothing.
 */
interface Numbering {
  readonly keys: Map<number, string>;
  isReused: boolean;
}

const mostNumbers = 1_000;

export class UnansweredParts {
  /** Called with a stored part that will not be acknowledged: its session is over, or it failed. */
  readonly #onReleased: (id: bigint) => void;
  readonly #byKey = new Map<string, UnansweredPart[]>();
  readonly #byId = new Map<bigint, UnansweredPart>();
  readonly #watched = new WeakSet<InboundSession>();
  readonly #ended = new WeakSet<InboundSession>();
  readonly #numbering = new WeakMap<InboundSession, Numbering>();

  constructor(onReleased: (id: bigint) => void) {
    this.#onReleased = onReleased;
  }

  get size(): number {
    let size = 0;
    for (const parts of this.#byKey.values()) size += parts.length;
    return size;
  }

  /** The part that this arrival repeats. From now on this arrival carries it. */
  takeRepeated(key: string, arrival: InboundArrival, now: number): UnansweredPart | undefined {
    this.#watch(arrival.session);
    const hasProof = this.#noteNumber(key, arrival);
    const repeated = this.#byKey.get(key)?.find((part) =>
      isRepetition({
        hasSessionEnded: this.#ended.has(part.arrival.session),
        isSameRequest:
          hasProof &&
          part.arrival.session === arrival.session &&
          part.arrival.sequenceNumber === arrival.sequenceNumber,
        owedForMs: now - part.arrivedAt,
      }),
    );
    if (repeated === undefined) return undefined;
    repeated.arrival = arrival;
    repeated.arrivedAt = now;
    return repeated;
  }

  add(key: string, arrival: InboundArrival, now: number): UnansweredPart {
    this.#watch(arrival.session);
    const part: UnansweredPart = { key, arrival, arrivedAt: now, id: undefined, isStored: false, storing: undefined };
    const equal = this.#byKey.get(key);
    if (equal === undefined) this.#byKey.set(key, [part]);
    else equal.push(part);
    return part;
  }

  has(id: bigint): boolean {
    return this.#byId.has(id);
  }

  identify(part: UnansweredPart, id: bigint): void {
    if (part.id !== undefined) this.#byId.delete(part.id);
    part.id = id;
    this.#byId.set(id, part);
  }

  /** Notes that the part is on disk. If its session has ended meanwhile, no answer is owed. */
  noteStored(part: UnansweredPart): void {
    part.isStored = true;
    if (this.#ended.has(part.arrival.session)) this.#release(part);
  }

  /** Notes that the answer to the part was sent. */
  answered(id: bigint): void {
    const part = this.#byId.get(id);
    if (part !== undefined) this.remove(part);
  }

  /**
   * Notes that this arrival of a stored part gets an error for its answer: when the part comes
   * again, it is the same one.
   */
  giveUp(part: UnansweredPart, arrival: InboundArrival): void {
    const isOpen = part.id !== undefined && this.#byId.get(part.id) === part;
    if (isOpen && part.arrival === arrival) this.#release(part);
  }

  remove(part: UnansweredPart): void {
    if (part.id !== undefined) this.#byId.delete(part.id);
    const rest = (this.#byKey.get(part.key) ?? []).filter((other) => other !== part);
    if (rest.length === 0) this.#byKey.delete(part.key);
    else this.#byKey.set(part.key, rest);
  }

  /** Whether the number of this arrival identifies a request of its session. */
  #noteNumber(key: string, { session, sequenceNumber }: InboundArrival): boolean {
    const numbering = this.#numbering.get(session) ?? { keys: new Map<number, string>(), isReused: false };
    this.#numbering.set(session, numbering);
    const { keys } = numbering;
    numbering.isReused ||= (keys.get(sequenceNumber) ?? key) !== key;
    keys.delete(sequenceNumber);
    keys.set(sequenceNumber, key);
    const [oldest = 0] = keys.keys();
    if (keys.size > mostNumbers) keys.delete(oldest);
    return sequenceNumber !== 0 && !numbering.isReused;
  }

  #watch(session: InboundSession): void {
    if (this.#watched.has(session)) return;
    this.#watched.add(session);
    void session.closed.then(() => this.#end(session));
  }

  #end(session: InboundSession): void {
    this.#ended.add(session);
    for (const parts of [...this.#byKey.values()]) {
      for (const part of parts) if (part.arrival.session === session && part.isStored) this.#release(part);
    }
  }

  #release(part: UnansweredPart): void {
    this.remove(part);
    if (part.id !== undefined) this.#onReleased(part.id);
  }
}

// Stores what one subscriber writes to one line in the order in which it came, because a later text
// may take an earlier one back: somebody who writes a stop word and then a resume word is not opted
// out. Texts of other subscribers, and texts that other nodes receive, do not wait.

export class SubscriberOrder {
  /**
   * The latest work for each subscriber and line, until it ends. So there are at most as many as
   * unanswered messages.
   */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Begins when all earlier work of this subscriber for this line has ended. If the work before
   * failed because of the database, this one fails with the same error. The SMSC then sends both
   * again, in their order, and the wait for a database that is away does not add up.
   */
  run<Result>(
    { sender, recipient }: { readonly sender: string; readonly recipient: string },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([sender, recipient]);
    const before = this.#last.get(key);
    const afterFailed = (error: unknown): Promise<Result> => {
      if (isRetriable(error)) throw error;
      return work();
    };
    const done = before === undefined ? work() : before.then(work, afterFailed);
    this.#last.set(key, done);
    const leave = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(leave, leave);
    return done;
  }
}
