// One SMPP session over one socket, in either role. It moves octets and applies the pure modules:
// session-state decides what is allowed, session-timers what is due. Whatever the peer sends, the
// session either answers as the standard requires or ends with a reason. Every request that it
// accepts gets exactly one reply.

import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { Alarm, SessionClock, ReadingGate } from "./session-clock.ts";
import { closeSocket, type Unsent, disconnectedBy } from "./socket.ts";
import { commandStatus } from "./constants.ts";
import { type FramingLost, IncomingStream, type Unreadable } from "./incoming-stream.ts";
import { IncomingRequests, type IncomingRequest } from "./incoming-requests.ts";
import { OutgoingRequests } from "./outgoing-requests.ts";
import { PduWriter } from "./pdu-writer.ts";
import {
  buildResponse,
  type BindPdu,
  type NoticePdu,
  type OutgoingRequest,
  type RequestPdu,
  type ResponsePdu,
  type SmppAnswer,
} from "./pdu.ts";
import {
  answerBind,
  answerInWrongState,
  describeFault,
  answerUnreadable,
  genericNack,
  type BindAnswer,
  isBound,
  mayIssue,
  mayServe,
  stateAfterBind,
  type SessionRole,
  type SessionState,
} from "./session-state.ts";
import { isAcceptance, type Requester, type SmppReply } from "./request-window.ts";
import {
  defaultSettings,
  timerSettings,
  type CloseReason,
  type OutgoingBind,
  type SessionEvents,
  type SessionOptions,
  type SessionSettings,
} from "./session-options.ts";
import { dueAction, isDoubtful, nextEnquiryAt, startTimes, type TimerSettings } from "./session-timers.ts";

const { ESME_ROK, ESME_RSYSERR, ESME_RINVCMDLEN } = commandStatus;

const longestUnbindMs = 5000;

export class SmppSession extends EventEmitter<SessionEvents> {
  readonly role: SessionRole;
  /** Resolves when the session has ended, like the event `close`. */
  readonly closed: Promise<CloseReason>;
  readonly #socket: Socket;
  readonly #handlers: SessionOptions<SmppSession>;
  readonly #settings: SessionSettings;
  readonly #timerSettings: TimerSettings;
  readonly #outgoing: OutgoingRequests;
  readonly #clock = new SessionClock();
  readonly #times = startTimes(this.#clock.now());
  readonly #writer: PduWriter;
  #state: SessionState = "open";
  #bind: OutgoingBind | undefined;
  readonly #incoming: IncomingRequests;
  readonly #reading: ReadingGate;
  readonly #stream: IncomingStream;
  readonly #alarm = new Alarm(this.#clock, () => this.#checkTimers());
  #unbound: Promise<void> | undefined;

  /** Takes over a connected socket. */
  constructor(socket: Socket, options: SessionOptions<SmppSession>) {
    super();
    this.#socket = socket;
    this.#handlers = options;
    this.#settings = { ...defaultSettings, ...options };
    const { window, lastSequenceNumber } = this.#settings;
    const { role, onRequest } = options;
    this.role = role;
    this.#timerSettings = timerSettings(role, this.#settings);
    this.#incoming = new IncomingRequests({
      role,
      maximumUnanswered: this.#settings.maximumUnanswered,
      decide: onRequest && ((pdu) => onRequest(pdu, this)),
      respond: (pdu, answer) => this.#answer(pdu, answer),
      onFault: (pdu, error) => this.#reportFault(`the handler of ${pdu.command} failed: ${String(error)}`, pdu),
    });
    this.#reading = new ReadingGate(socket);
    this.#writer = new PduWriter({
      socket,
      reading: this.#reading,
      mayRequest: options.mayRequest,
      onForbidden: () => this.destroy(),
    });
    this.#outgoing = new OutgoingRequests({
      window,
      lastSequenceNumber,
      writer: this.#writer,
      clock: this.#clock,
      alarm: this.#alarm,
      isOpen: () => isBound(this.#state) && !this.#times.isDoubted,
      onAnswered: this.#noteResponse,
      onFree: () => this.emit("windowFree"),
      onIdle: () => this.emit("idle"),
    });
    this.#stream = new IncomingStream({
      reading: this.#reading,
      clock: this.#clock,
      onResponse: (pdu) => {
        if (!this.#outgoing.settle(pdu)) this.#reportFault(`unexpected ${pdu.command}`, pdu);
      },
      onUnreadable: (pdu) => this.#refuse(pdu),
      hasRoom: (octets) => this.#incoming.hasRoom(octets),
      serve: (pdu, octets) => this.#serve(pdu, octets),
      onFramingLost: (lost) => this.#giveUp(lost),
    });
    this.closed = new Promise((resolve) => this.once("close", resolve));
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      if (this.#state === "unbound") return;
      this.#times.lastReceivedAt = this.#clock.now();
      this.#stream.take(chunk);
      this.#outgoing.announceFreed();
    });
    socket.on("drain", () => this.#unblock());
    socket.on("error", (error) => this.#end(disconnectedBy(error), "abandon"));
    socket.on("end", () => this.#end({ kind: "disconnected", message: "closed by the peer" }, "abandon"));
    socket.on("close", () => this.#end({ kind: "disconnected", message: "closed" }, "abandon"));
    this.#checkTimers();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The accepted bind; undefined before. */
  get bound(): OutgoingBind | undefined {
    return this.#bind;
  }

  /**
   * How many requests `submit` accepts now. 0 while the socket is blocked, the link is in doubt, or
   * the session is not bound or is ending. A link in doubt gets no second window, so if it is dead,
   * at most one window of requests is uncertain.
   */
  get windowFree(): number {
    return this.#outgoing.free;
  }

  /** Without requests about the session itself, such as enquire_link. */
  get inFlight(): number {
    return this.#outgoing.inFlight;
  }

  /**
   * The hot path: sends now or not at all. Returns false if the window is full or the state forbids
   * it; then the requester gets no reply. Throws a RangeError for values that cannot be encoded.
   */
  submit(request: OutgoingRequest, requester: Requester): boolean {
    const { command } = request;
    if (!mayIssue(this.role, command, this.#state) || !this.#outgoing.hasRoomFor(command)) return false;
    this.#outgoing.send(request, requester, this.#settings.responseTimeoutMs);
    return true;
  }

  /** Waits for a place in the window if necessary. Rejects for values that cannot be encoded. */
  request(
    request: OutgoingRequest,
    options: { readonly timeoutMs?: number } & Pick<Requester, "onLate"> = {},
  ): Promise<SmppReply> {
    return new Promise((resolve, onInvalid) => {
      const { timeoutMs = this.#settings.responseTimeoutMs, ...onLate } = options;
      const requester = { onReply: resolve, ...onLate };
      if (!mayIssue(this.role, request.command, this.#state)) resolve({ kind: "closed", written: false });
      else this.#outgoing.sendOrAwait({ request, requester, timeoutMs, onInvalid });
    });
  }

  /** ESME role. The session is bound when the reply is a response with ESME_ROK. */
  bind(bind: OutgoingBind): Promise<SmppReply> {
    if (!mayIssue(this.role, bind.command, this.#state)) return Promise.resolve({ kind: "closed", written: false });
    return new Promise((resolve) => {
      const onReply = (reply: SmppReply): void => {
        if (isAcceptance(reply)) this.#becomeBound(bind);
        resolve(reply);
        for (const { pdu, octets } of this.#incoming.takeEarly()) this.#serve(pdu, octets);
      };
      this.#outgoing.send(bind, { onReply }, this.#settings.responseTimeoutMs);
    });
  }

  /**
   * Accepts no more requests, sends unbind, waits a bounded time for the answer, and closes. Never
   * rejects.
   */
  unbind(): Promise<void> {
    this.#unbound ??= this.#unbindAndClose();
    return this.#unbound;
  }

  /** Ends the session now. Requests in flight get their replies before this returns. */
  close(): void {
    this.#end({ kind: "closed_here" }, "flush");
  }

  /** Ends the session without sending anything more, like a broken connection. */
  destroy(): void {
    this.#end({ kind: "closed_here" }, "abandon");
  }

  /** False stops reading: this side looks dead to the peer, though the connection is open. */
  setReading(isReading: boolean): void {
    this.#reading.set("asked", !isReading);
  }

  /** Sends raw octets, for a peer that misbehaves on purpose. */
  sendRaw(octets: Buffer): void {
    if (this.#state === "unbound") return;
    this.#writer.octets(octets);
  }

  async #unbindAndClose(): Promise<void> {
    if (mayIssue(this.role, "unbind", this.#state)) {
      const timeoutMs = Math.min(this.#settings.responseTimeoutMs, longestUnbindMs);
      const unbound = this.request({ command: "unbind" }, { timeoutMs });
      this.#issueNoMore();
      await unbound;
    }
    this.close();
  }

  /** The answers that the peer owes may be on their way: its unbind is answered after them. */
  #followUnbind(unbind: Extract<RequestPdu, { readonly command: "unbind" }>): void {
    this.#issueNoMore();
    this.#outgoing.whenAnswered(longestUnbindMs, () => {
      this.#writer.response(buildResponse(unbind, { command_status: ESME_ROK }));
      this.#end({ kind: "unbound_by_peer" }, "flush");
    });
  }

  #issueNoMore(): void {
    this.#state = "unbinding";
    this.#stream.letTimeRun();
    this.#outgoing.refuseWaiting();
  }

  #giveUp({ sequenceNumber, commandLength }: FramingLost): void {
    this.#writer.response(genericNack(sequenceNumber, ESME_RINVCMDLEN));
    this.#end({ kind: "framing_lost", commandLength }, "flush");
  }

  #refuse(pdu: Unreadable): void {
    const answer = answerUnreadable(pdu);
    if (answer !== undefined) this.#writer.response(answer);
    this.#reportFault(pdu.reason, pdu, answer?.command_status);
  }

  readonly #noteResponse = (): void => {
    const { isDoubted, lastReceivedAt, lastResponseAt, enquirySentAt = -Infinity } = this.#times;
    this.#times.lastResponseAt = lastReceivedAt;
    if (!isDoubted && lastResponseAt >= enquirySentAt) return;
    this.#times.isDoubted = false;
    if (isDoubted) this.#outgoing.noteFreed();
    // The alarm may have been set to wait only for this answer.
    this.#alarm.bringForward(nextEnquiryAt(this.#timerSettings, this.#times));
  };

  #becomeBound(bind: OutgoingBind): void {
    this.#bind = bind;
    this.#state = stateAfterBind(bind.command);
    this.#times.boundAt = this.#clock.now();
    this.#checkTimers();
  }

  #serve(pdu: RequestPdu | NoticePdu, octets: number): void {
    if (this.#state === "unbound") return;
    if (!mayServe(this.role, pdu.command, this.#state, this.#bind?.command)) {
      if (this.#state === "open" && this.#incoming.keepEarly(pdu, octets)) return;
      const answer = answerInWrongState(pdu, { role: this.role, isBound: this.#times.boundAt !== undefined });
      this.#writer.response(answer);
      this.#reportFault(`${pdu.command} in state ${this.#state}`, pdu, answer.command_status);
      return;
    }
    switch (pdu.command) {
      case "enquire_link":
        this.#writer.response(buildResponse(pdu, { command_status: ESME_ROK }));
        return;
      case "unbind":
        this.#followUnbind(pdu);
        return;
      case "outbind":
        this.emit("outbind", pdu);
        return;
      case "alert_notification":
        this.emit("alertNotification", pdu);
        return;
      case "bind_receiver":
      case "bind_transmitter":
      case "bind_transceiver":
        void this.#serveBind(pdu);
        return;
      default:
        this.#incoming.serve(pdu, octets);
    }
  }

  /**
   * Answers at once if `onBind` does, so that requests sent right after the bind find a bound
   * session.
   */
  async #serveBind(pdu: BindPdu): Promise<void> {
    try {
      const decided = this.#handlers.onBind?.(pdu, this) ?? { commandStatus: ESME_ROK, systemId: "" };
      this.#answerBind(pdu, decided instanceof Promise ? await decided : decided);
    } catch (error) {
      this.#reportFault(`onBind failed: ${String(error)}`, pdu);
      this.#answerBind(pdu, { commandStatus: ESME_RSYSERR, systemId: "" });
    }
  }

  #answerBind(pdu: BindPdu, answer: BindAnswer): void {
    if (this.#state === "unbound") return;
    const isFirst = this.#state === "open";
    this.#writer.response(
      isFirst ? answerBind(pdu, answer) : answerInWrongState(pdu, { role: this.role, isBound: true }),
    );
    if (!isFirst || answer.commandStatus !== ESME_ROK) return;
    this.#becomeBound(pdu);
    this.emit("bound", pdu);
  }

  #answer(pdu: IncomingRequest, answer: SmppAnswer): void {
    if (this.#state === "unbound") return;
    this.#writer.response(buildResponse(pdu, answer), answer.onWritten);
    this.#stream.resume();
  }

  #reportFault(reason: string, pdu: RequestPdu | NoticePdu | ResponsePdu | Unreadable, answered?: number): void {
    this.emit("protocolFault", describeFault(reason, pdu, answered));
  }

  #unblock(): void {
    this.#writer.unblock();
    this.#outgoing.noteFreed();
    this.#outgoing.announceFreed();
  }

  #checkTimers(): void {
    if (this.#state === "unbound") return;
    const now = this.#clock.now();
    const expired = this.#outgoing.expire(now);
    // Comes first, because the reply handlers may submit more.
    this.#times.isDoubted ||= isDoubtful(this.#timerSettings, this.#times, expired);
    this.#outgoing.giveUp(expired);
    const action = dueAction(this.#timerSettings, this.#times, now);
    if (action.kind === "close") {
      this.#end({ kind: "timer", timer: action.reason }, "abandon");
    } else if (action.kind === "enquire") {
      this.#times.enquirySentAt = now;
      this.#outgoing.enquire(this.#settings.responseTimeoutMs);
      this.#alarm.set(now + 1);
    } else {
      this.#alarm.set(Math.min(action.until, this.#outgoing.nextDeadline));
    }
    this.#outgoing.announceFreed();
  }

  /**
   * The only way a session ends; runs once. Sets the state first, so that the reply handlers find a
   * closed session.
   */
  #end(reason: CloseReason, unsent: Unsent): void {
    if (this.#state === "unbound") return;
    if (unsent === "flush") this.#writer.flush();
    this.#state = "unbound";
    this.#writer.close();
    this.#alarm.stop();
    this.#stream.end();
    closeSocket(this.#socket, unsent);
    this.#outgoing.close();
    this.emit("close", reason);
  }
}
