/**
 * The SMSC's deliveries for one system_id, both receipts and subscribers' messages. They are sent
 * in order on any binds that can receive, within their windows, kept until acknowledged, and sent
 * again after a temporary error or a lost link.
 */

import { commandStatus } from "../smpp/constants.ts";
import type { SmppReply } from "../smpp/request-window.ts";
import type { SmppSession } from "../smpp/session.ts";
import type { OutgoingDelivery } from "./receipts.ts";

export interface Delivery {
  build(): OutgoingDelivery;
  /** Called once with the final command_status; undefined if the delivery was given up. */
  onSettled(status: number | undefined): void;
  /** The bind that submitted the message. Others are used if it cannot receive. */
  readonly preferred: SmppSession | undefined;
  attempts: number;
}

const { ESME_RX_T_APPN, ESME_RMSGQFUL, ESME_RTHROTTLED, ESME_RSYSERR } = commandStatus;
const temporaryStatuses: ReadonlySet<number> = new Set([ESME_RX_T_APPN, ESME_RMSGQFUL, ESME_RTHROTTLED, ESME_RSYSERR]);

const mostAttempts = 100;

export class DeliveryQueue {
  readonly #delays: DelayLine;
  readonly #retryDelayMs: number;
  readonly #sessions: SmppSession[] = [];
  /** Waiting deliveries start at #head. Those before it are done and are removed now and then. */
  #waiting: Delivery[] = [];
  #head = 0;
  #isPumping = false;

  constructor(delays: DelayLine, retryDelayMs: number) {
    this.#delays = delays;
    this.#retryDelayMs = retryDelayMs;
  }

  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /** Adds a bound session, until it closes. */
  addSession(session: SmppSession): void {
    this.#sessions.push(session);
    session.on("windowFree", () => this.#schedule());
    session.once("close", () => this.#sessions.splice(this.#sessions.indexOf(session), 1));
    this.#schedule();
  }

  push(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.#schedule();
  }

  #receiver(preferred: SmppSession | undefined): SmppSession | undefined {
    if (preferred !== undefined && canReceive(preferred)) return preferred;
    return this.#sessions.find(canReceive);
  }

  /** Binds that can receive, with or without room. */
  get receivers(): readonly SmppSession[] {
    return this.#sessions.filter(({ state }) => state === "bound_rx" || state === "bound_trx");
  }

  /** Runs after the answers of this turn, so that a receipt follows its submit_sm_resp. */
  #schedule(): void {
    if (this.#isPumping || this.waiting === 0) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (;;) {
      const next = this.#waiting[this.#head];
      if (next === undefined) break;
      const session = this.#receiver(next.preferred);
      if (session === undefined) break;
      this.#head += 1;
      next.attempts += 1;
      session.submit(next.build(), { onReply: (reply) => this.#settle(next, reply) });
    }
    if (this.#head > 1024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
  }

  #settle(delivery: Delivery, reply: SmppReply): void {
    const status = reply.kind === "response" ? reply.pdu.command_status : undefined;
    const mayRetry = delivery.attempts < mostAttempts;
    if (reply.kind === "closed") {
      this.push(delivery);
    } else if ((status === undefined || temporaryStatuses.has(status)) && mayRetry) {
      this.#delays.after(this.#retryDelayMs, () => this.push(delivery));
    } else {
      delivery.onSettled(status);
    }
  }
}

function canReceive(session: SmppSession): boolean {
  return (session.state === "bound_rx" || session.state === "bound_trx") && session.windowFree > 0;
}

/**
 * Runs actions later with few timers: those due within the same few milliseconds share one.
 * Thousands of receipts per second would otherwise need a timer each.
 */

const tickMs = 5;

export class DelayLine {
  readonly #ticks = new Map<number, { readonly timer: NodeJS.Timeout; readonly actions: (() => void)[] }>();

  /** At once if `delayMs` is not above 0. */
  after(delayMs: number, action: () => void): void {
    if (delayMs <= 0) {
      action();
      return;
    }
    const tick = Math.ceil((performance.now() + delayMs) / tickMs);
    const waiting = this.#ticks.get(tick);
    if (waiting !== undefined) {
      waiting.actions.push(action);
      return;
    }
    const actions = [action];
    const timer = setTimeout(
      () => {
        this.#ticks.delete(tick);
        for (const due of actions) due();
      },
      tick * tickMs - performance.now(),
    );
    this.#ticks.set(tick, { timer, actions });
  }

  /** Drops everything that is not due yet. */
  clear(): void {
    for (const { timer } of this.#ticks.values()) clearTimeout(timer);
    this.#ticks.clear();
  }
}

/** How many submissions an SMSC takes in a second before it throttles. */

export class SubmitRate {
  readonly #perSecond: number;
  #taken = 0;
  #second = 0;

  /** 0: no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts one more. `now` in milliseconds. */
  isTooFast(now: number): boolean {
    if (this.#perSecond === 0) return false;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) this.#taken = 0;
    this.#second = second;
    this.#taken += 1;
    return this.#taken > this.#perSecond;
  }
}
