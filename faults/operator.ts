// The operator's side of the books: a simulated SMSC that remembers for each part how often it was
// taken, and which receipts the gateway acknowledged. What it saw is the truth that the gateway's
// statuses are held against.
import { behaviours } from "../src/simulator/behaviours.ts";
import { SimulatedSmsc } from "../src/simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../src/simulator/simulator-options.ts";
import type { SubmittedMessage } from "../src/simulator/submitted-message.ts";
import { commandStatus } from "../src/smpp/constants.ts";
import { holdsWithin } from "../bench/look.ts";

export interface PartFacts {
  /** How often it was answered ESME_ROK, or would have been. */
  taken: number;
  /** Refused for good. */
  refused: boolean;
  /** Receipts that the gateway acknowledged. */
  delivered: boolean;
  undelivered: boolean;
}

/** SMPP 3.4 §7.1.1.2, of less than a month: days, hours, minutes, seconds. */
const relativeTime = /^0000(\d\d)(\d\d)(\d\d)(\d\d)000R$/;
const undeliveredStates: ReadonlySet<string> = new Set(["UNDELIV", "EXPIRED", "DELETED", "REJECTD"]);
const timeoutMs = 90_000;
const nothing: PartFacts = { taken: 0, refused: false, delivered: false, undelivered: false };

export class Operator {
  readonly smsc: SimulatedSmsc;
  /** Parts taken more than once, each extra time counted. */
  doubled = 0;
  mostBinds = 0;
  /** How many submit_sm came, taken or not. */
  submits = 0;
  /** The shortest and the longest validity that came with one. */
  readonly validitySeconds = { least: Infinity, most: 0 };
  readonly #parts = new Map<string, PartFacts>();

  constructor(endings: readonly string[], options: SimulatedSmscOptions) {
    const table = behaviours.filter(({ suffix }) => endings.includes(suffix));
    this.smsc = new SimulatedSmsc({ receiptDelayMs: 20, retryDelayMs: 200, behaviours: table, ...options });
    this.smsc.on("bind", () => (this.mostBinds = Math.max(this.mostBinds, this.smsc.sessions.length)));
    this.smsc.on("submit", (message) => {
      this.submits += 1;
      this.#noteValidity(message);
      const facts = this.#factsOf(message.recipient.address, message.part.number);
      if (message.commandStatus === commandStatus.ESME_RINVDSTADR) facts.refused = true;
      if (message.commandStatus !== 0) return;
      facts.taken += 1;
      if (facts.taken > 1) this.doubled += 1;
    });
    this.smsc.on("receiptAnswered", ({ message, state, commandStatus: status }) => {
      if (status !== 0) return;
      const facts = this.#factsOf(message.recipient.address, message.part.number);
      if (state === "DELIVRD") facts.delivered = true;
      if (undeliveredStates.has(state)) facts.undelivered = true;
    });
  }

  /** Of all parts, in order. */
  facts(recipient: string, parts: number): readonly PartFacts[] {
    return Array.from({ length: parts }, (_, index) => this.#parts.get(`${recipient}/${index + 1}`) ?? nothing);
  }

  /** Resolves when it has taken a part for this recipient. */
  async untilTaken(recipient: string): Promise<void> {
    const isTaken = (): boolean => this.facts(recipient, 1).some(({ taken }) => taken > 0);
    if (!(await holdsWithin(timeoutMs, isTaken, 10))) throw new Error("a message accepted after the fault is not sent");
  }

  /**
   * Answers nothing more; over when no submit_sm has come for so long: under load, the windows are
   * full then.
   */
  async holdAnswers(quietMs = 500): Promise<void> {
    this.smsc.pauseAnswers();
    while (await this.smsc.next("submit", undefined, quietMs).catch(() => undefined));
  }

  async untilBinds(count: number): Promise<void> {
    if (!(await holdsWithin(timeoutMs, () => this.smsc.sessions.length === count, 10)))
      throw new Error(`${this.smsc.sessions.length} binds stand, not ${count}`);
  }

  #noteValidity({ pdu }: SubmittedMessage): void {
    const match = pdu.command === "submit_sm" ? relativeTime.exec(pdu.validity_period) : null;
    if (!match) return;
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
    const total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
    this.validitySeconds.least = Math.min(this.validitySeconds.least, total);
    this.validitySeconds.most = Math.max(this.validitySeconds.most, total);
  }

  #factsOf(recipient: string, part: number): PartFacts {
    const key = `${recipient}/${part}`;
    const known = this.#parts.get(key);
    if (known) return known;
    const facts = { ...nothing };
    this.#parts.set(key, facts);
    return facts;
  }
}
