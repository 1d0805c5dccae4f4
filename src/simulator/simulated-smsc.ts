/**
 * A simulated operator: a real SMSC over TCP whose behaviour per recipient is scripted (see
 * behaviours.ts). Used by the tests, the demo, the benchmark and `hodhod simulate`. Everything it
 * sees and does is an event that can be awaited.
 */
import { EventEmitter } from "node:events";
import { commandStatus } from "../smpp/constants.ts";
import type { BindPdu, DataSm, SmppAnswer, SubmitSm } from "../smpp/pdu.ts";
import type { BindAnswer } from "../smpp/session-state.ts";
import { listenSmpp, type SmppServer } from "../smpp/server.ts";
import type { SmppSession } from "../smpp/session.ts";
import { BehaviourChoice, decideBind, decideSubmit } from "./behaviour-choice.ts";
import { type ReceiptPlan, type SubmitPlan, writeMessageId } from "./behaviours.ts";
import { DelayLine, SubmitRate, DeliveryQueue } from "./delivery-queue.ts";
import { MessageNumbers, MessageLog } from "./message-log.ts";
import {
  mobileOriginated,
  type Counters,
  type MobileOriginatedOptions,
  type SimulatedSmscEvents,
  type SimulatedSmscOptions,
} from "./simulator-options.ts";
import { buildReceipt } from "./receipts.ts";
import { SubmittedMessage } from "./submitted-message.ts";

const { ESME_ROK, ESME_RTHROTTLED, ESME_RINVCMDID } = commandStatus;

const defaultDeadlineMs = 60_000;
const defaultMemory = 100_000;
/** For "after the receipt": how long the answer waits for the receipt's own answer. */
const receiptFirstTimeoutMs = 500;
/** The unit of a behaviour's delays if receipts are normally sent at once. */
const smallestDelayUnitMs = 20;
const receiptTextOctets = 20;
/** From an early PDU to the answer of the bind. */
const earlyMs = 50;
const never = new Promise<never>(() => undefined);

/** Resolves when it listens. Rejects if the port cannot be opened. */
export async function startSimulatedSmsc(options: SimulatedSmscOptions = {}): Promise<SimulatedSmsc> {
  const smsc = new SimulatedSmsc(options);
  return smsc.listen().then(() => smsc);
}

export class SimulatedSmsc extends EventEmitter<SimulatedSmscEvents> {
  readonly #options: SimulatedSmscOptions;
  readonly #choice: BehaviourChoice;
  readonly #log: MessageLog;
  readonly #delays = new DelayLine();
  readonly #queues = new Map<string, DeliveryQueue>();
  #server: SmppServer | undefined;
  readonly #numbers: MessageNumbers;
  #receiptsAcknowledged = 0;
  #bindRefusal: number | "silent" | undefined;
  #isThrottled = false;
  readonly #rate: SubmitRate;
  /** Answers that are held back while paused. */
  #held: (() => void)[] | undefined;

  constructor(options: SimulatedSmscOptions) {
    super();
    // A test may wait for any number of events at once.
    this.setMaxListeners(0);
    this.#options = options;
    this.#choice = new BehaviourChoice(options.behaviours);
    this.#rate = new SubmitRate(options.submitsPerSecond ?? 0);
    this.#log = new MessageLog(options.memory ?? defaultMemory);
    // Decimal ids of 13 digits and more, beyond 32 bits.
    this.#numbers = new MessageNumbers(options.firstMessageId ?? Date.now() * 1000);
  }

  async listen(): Promise<void> {
    const { window = 1000, enquireLinkSeconds = 0 } = this.#options;
    this.#server = await listenSmpp({
      ...this.#options,
      window,
      enquireLinkSeconds,
      inactivitySeconds: 0,
      maximumUnanswered: Infinity,
      onBind: (bind, session) => this.#answerBind(bind, session),
      // A deliver_sm goes to ESMEs only, and is refused by the session.
      onRequest: (pdu, session) =>
        pdu.command === "deliver_sm" ? { command_status: ESME_RINVCMDID } : this.#take(pdu, session),
      onSession: (session) => this.#watch(session),
    });
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  /** The latest messages in order of arrival, including refused ones. */
  get submitted(): readonly SubmittedMessage[] {
    return this.#log.latest;
  }

  get counters(): Counters {
    const { submits, accepted } = this.#log;
    const receiptsWaiting = [...this.#queues.values()].reduce((sum, queue) => sum + queue.waiting, 0);
    const receiptsAcknowledged = this.#receiptsAcknowledged;
    return { submits, accepted, refused: submits - accepted, receiptsAcknowledged, receiptsWaiting };
  }

  get sessions(): readonly SmppSession[] {
    return (this.#server?.sessions ?? []).filter(({ bound }) => bound !== undefined);
  }

  /** Idempotent. `unbind` sends unbind first; `destroy` is like a power failure. */
  async stop(manner: "unbind" | "close" | "destroy" = "close"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#delays.clear();
    await server?.close(manner);
  }

  /** Breaks every connection. Unacknowledged deliveries are sent again on the next bind. */
  cutLinks(): void {
    for (const session of this.#server?.sessions ?? []) session.destroy();
  }

  /** Keeps the connections but stops reading, like half-open links. `thawLinks` undoes it. */
  freezeLinks(): void {
    for (const session of this.#server?.sessions ?? []) session.setReading(false);
  }

  thawLinks(): void {
    for (const session of this.#server?.sessions ?? []) session.setReading(true);
  }

  /** "silent": binds get no answer. undefined: binds are accepted again. */
  refuseBinds(status: number | "silent" | undefined): void {
    this.#bindRefusal = status;
  }

  setThrottled(isThrottled: boolean): void {
    this.#isThrottled = isThrottled;
  }

  /** Accepts submit_sm but holds back the answers until `resumeAnswers`. */
  pauseAnswers(): void {
    this.#held ??= [];
  }

  resumeAnswers(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const release of held) release();
  }

  /** Sends raw octets on every link. */
  sendRaw(octets: Buffer): void {
    for (const session of this.#server?.sessions ?? []) session.sendRaw(octets);
  }

  /**
   * Sends a subscriber's message. Resolves with the command_status of the answer; rejects if nobody
   * can receive or answer.
   */
  async sendMo(options: MobileOriginatedOptions): Promise<number> {
    const queues = options.systemId === undefined ? [...this.#queues.values()] : [this.#queueOf(options.systemId)];
    const session = queues.find((queue) => queue.receivers.length > 0)?.receivers[options.bind ?? 0];
    if (session === undefined) throw new Error("no bind can receive");
    const reply = await session.request(mobileOriginated(options, this.#options));
    if (reply.kind !== "response") throw new Error(`the message was not answered: ${reply.kind}`);
    return reply.pdu.command_status;
  }

  /** The next matching event. Rejects if none arrives in time. Call it before causing the event. */
  next<Name extends keyof SimulatedSmscEvents>(
    name: Name,
    fits: (value: SimulatedSmscEvents[Name][0]) => boolean = () => true,
    deadlineMs = defaultDeadlineMs,
  ): Promise<SimulatedSmscEvents[Name][0]> {
    // The typed emitter cannot resolve the type parameter.
    const on = this.on.bind(this) as EventEmitter["on"];
    const off = this.off.bind(this) as EventEmitter["off"];
    return new Promise((resolve, reject) => {
      const listener = (value: SimulatedSmscEvents[Name][0]): void => {
        if (fits(value)) settle(() => resolve(value));
      };
      const timer = setTimeout(() => settle(() => reject(new Error(`no ${name} within ${deadlineMs} ms`))), deadlineMs);
      const settle = (action: () => void): void => {
        clearTimeout(timer);
        off(name, listener);
        action();
      };
      on(name, listener);
    });
  }

  #watch(session: SmppSession): void {
    session.once("bound", (bind) => {
      this.#queueOf(bind.system_id).addSession(session);
      this.emit("bind", bind);
    });
    session.once("close", (reason) => {
      if (session.bound !== undefined) this.emit("unbind", { systemId: session.bound.system_id, reason });
    });
  }

  #answerBind(bind: BindPdu, session: SmppSession): BindAnswer | Promise<BindAnswer> {
    if (this.#bindRefusal === "silent") return never;
    const { name: systemId = "simulator", early } = this.#options;
    const commandStatus = this.#bindRefusal ?? decideBind(bind, this.#options);
    if (commandStatus !== ESME_ROK) this.emit("bindRefused", bind);
    const answer = { commandStatus, systemId };
    if (early === undefined) return answer;
    session.sendRaw(early);
    return new Promise((resolve) => this.#delays.after(earlyMs, () => resolve(answer)));
  }

  #take(pdu: SubmitSm | DataSm, session: SmppSession): SmppAnswer | Promise<SmppAnswer> {
    const message = new SubmittedMessage(pdu, session.bound?.system_id ?? "", this.#options);
    const refusal =
      this.#isThrottled || this.#rate.isTooFast(performance.now())
        ? ESME_RTHROTTLED
        : decideSubmit(pdu, this.#options.requiredTlvs);
    if (refusal !== ESME_ROK) {
      message.commandStatus = refusal;
      this.#record(message, session);
      return { command_status: refusal };
    }
    const plan = this.#choice.planFor(message);
    const number = plan.answerId === "of the first part" ? this.#numbers.ofWhole(message) : this.#numbers.next();
    this.#admit(message, plan, session, number);
    const answer = {
      command_status: message.commandStatus,
      message_id: message.messageId,
      ...(plan.cut === "after the answer" && { onWritten: () => session.close() }),
    };
    if (plan.cut === "before the answer") session.destroy();
    const isAnswerFirst = plan.cut !== "before the answer" && plan.answer !== "after the receipt";
    const { submitDelayMs = 0 } = this.#options;
    if (isAnswerFirst && plan.answer === "at once" && submitDelayMs === 0 && this.#held === undefined) {
      this.#scheduleReceipts(message, plan, number, session);
      return answer;
    }
    if (plan.answer === "never") return never;
    return this.#answerLater(answer, plan, (settled) =>
      this.#scheduleReceipts(message, plan, number, session, settled),
    );
  }

  /** `schedule` sends the receipts. It calls its argument when the first one is acknowledged. */
  #answerLater(answer: SmppAnswer, plan: SubmitPlan, schedule: (settled?: () => void) => void): Promise<SmppAnswer> {
    const { submitDelayMs = 0, lateAnswerMs = 15_000 } = this.#options;
    return new Promise((resolve) => {
      if (plan.answer === "after the receipt") {
        schedule(() => resolve(answer));
        this.#delays.after(receiptFirstTimeoutMs, () => resolve(answer));
        return;
      }
      const release = (): void => {
        resolve(answer);
        // After the answer, which is written in the next turn.
        setImmediate(() => schedule());
      };
      this.#delays.after(plan.answer === "late" ? lateAnswerMs : submitDelayMs, () => {
        if (this.#held === undefined) release();
        else this.#held.push(release);
      });
    });
  }

  #admit(message: SubmittedMessage, plan: SubmitPlan, session: SmppSession, number: number): void {
    const { answerId } = plan;
    message.commandStatus = plan.commandStatus;
    if (plan.commandStatus === ESME_ROK && answerId !== "empty") {
      const format = answerId === "of the first part" ? undefined : answerId;
      message.messageId = writeMessageId(number, format ?? this.#options.messageIdFormat ?? "decimal");
    }
    this.#record(message, session);
  }

  #record(message: SubmittedMessage, session: SmppSession): void {
    this.#log.add(message);
    this.emit("submit", message, session);
  }

  #scheduleReceipts(
    message: SubmittedMessage,
    plan: SubmitPlan,
    number: number,
    session: SmppSession,
    settled?: () => void,
  ): void {
    if (plan.commandStatus !== ESME_ROK) return;
    const { receiptDelayMs = 0 } = this.#options;
    for (const receipt of plan.receipts) {
      const unitMs = receipt.delays === undefined ? receiptDelayMs : Math.max(receiptDelayMs, smallestDelayUnitMs);
      this.#delays.after(unitMs * (receipt.delays ?? 1), () =>
        this.#sendReceipt(message, receipt, number, session, settled),
      );
    }
    if (plan.mobileOriginated !== undefined) {
      const { address: to } = message.sender;
      const mo = { from: message.recipient.address, to, text: plan.mobileOriginated, systemId: message.systemId };
      this.#delays.after(receiptDelayMs, () => this.#queueMo(mo));
    }
  }

  #sendReceipt(
    message: SubmittedMessage,
    plan: ReceiptPlan,
    number: number,
    session: SmppSession,
    settled?: () => void,
  ): void {
    if (!message.wantsReceipt(plan.state)) return;
    const { messageIdFormat = "decimal" } = this.#options;
    const messageId =
      plan.idFormat === undefined && message.messageId !== ""
        ? message.messageId
        : writeMessageId(number, plan.idFormat ?? messageIdFormat);
    const text = message.pdu.data_coding === 0 ? message.userData.toString("latin1", 0, receiptTextOctets) : "";
    const { sender, recipient, receivedAt: submittedAt } = message;
    this.#queueOf(message.systemId).push({
      build: () => buildReceipt({ plan, messageId, sender, recipient, submittedAt, doneAt: Date.now(), text }),
      onSettled: (status) => {
        if (status === ESME_ROK) this.#receiptsAcknowledged += 1;
        settled?.();
        this.emit("receiptAnswered", { message, state: plan.state, commandStatus: status });
      },
      preferred: session,
      attempts: 0,
    });
  }

  #queueMo(options: MobileOriginatedOptions): void {
    this.#queueOf(options.systemId ?? "").push({
      build: () => mobileOriginated(options, this.#options),
      onSettled: (status) => this.emit("moAnswered", { text: options.text ?? "", commandStatus: status }),
      preferred: undefined,
      attempts: 0,
    });
  }

  #queueOf(systemId: string): DeliveryQueue {
    let queue = this.#queues.get(systemId);
    if (queue === undefined) {
      queue = new DeliveryQueue(this.#delays, this.#options.retryDelayMs ?? 500);
      this.#queues.set(systemId, queue);
    }
    return queue;
  }
}
