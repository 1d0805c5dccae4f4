// Connects the budgets with the sockets of a server: resources are counted per connection and given
// back with it. Requests of one connection are processed in order, a limited number at a time.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { stopParsingAfter } from "../raw-query.ts";
import { CallLine } from "./call-line.ts";
import { subjectOfConnection } from "./caller-share.ts";
import type { RequestBudgets, ShedReason } from "./request-limits.ts";
import { ReadTurns } from "./read-turns.ts";
import type { BudgetClaim, Subject } from "./shared-budget.ts";
import { onRead, SocketWatch } from "./socket-watch.ts";

/**
 * A request and its answer, from the end of the head until the answer is received or the connection
 * is closed.
 */
export class Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** The caller waits for 100 Continue before it sends the body. */
  awaitsContinue: boolean;
  isCounted = false;
  /** There were too many requests, so this one gets 503. */
  isRefused = false;
  /** The answer has been received, or the connection is closed. */
  isOver = false;
  /** The claim for its head, if the head is large. */
  head: BudgetClaim | undefined = undefined;
  body: BudgetClaim | undefined = undefined;
  answer: BudgetClaim | undefined = undefined;

  constructor(connection: Connection, request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    this.connection = connection;
    this.request = request;
    this.response = response;
    this.awaitsContinue = awaitsContinue;
  }
}

const callKey = Symbol("call");

/** Stored in the request itself, because a map costs more than everything else here. */
interface CountedRequest extends IncomingMessage {
  [callKey]?: Call;
}

export interface Connection {
  readonly socket: Socket;
  readonly subject: Subject;
  readonly line: CallLine<Call>;
  readonly place: BudgetClaim;
  readonly requests: BudgetClaim;
  readonly waiting: BudgetClaim;
  readonly watch: SocketWatch;
  /** The last answer is being sent. Further input is discarded. */
  isEnding: boolean;
  /** To be done when every request that arrived whole is answered. */
  afterAnswers: (() => void) | undefined;
  /** A call on it had a valid key, so its input is not read in turns. */
  isKnown: boolean;
}

export interface ConnectionGuardOptions {
  readonly budgets: RequestBudgets;
  readonly trustedProxies: readonly string[];
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Smaller heads are not counted: even the maximum number of them needs little memory. */
const headOctetsWorthCounting = 4 << 10;
/** How much a connection may send between two checks without being read in turns. */
const octetsBetweenTurns = 32 << 10;
/** The maximum share of time spent on checking connections. */
const lookingShare = 0.04;
const tellEveryMs = 1000;

export class ConnectionGuard {
  readonly budgets: RequestBudgets;
  readonly #trustedProxies: readonly string[];
  readonly #now: () => number;
  readonly #connections = new Map<Socket, Connection>();
  readonly #turns: ReadTurns<Connection>;
  #isLooking = false;
  #toldAt = 0;

  constructor({ budgets, trustedProxies, now = () => performance.now() }: ConnectionGuardOptions) {
    this.budgets = budgets;
    this.#trustedProxies = trustedProxies;
    this.#now = now;
    this.#turns = new ReadTurns({ now, resume: (connection) => this.#resume(connection) });
  }

  /** Passes every request of the server to `handle` in its turn. */
  watch(server: Server, handle: RequestListener): void {
    const arrive = (request: IncomingMessage, response: ServerResponse): void => this.#arrive(request, response, false);
    server.on("connection", (socket: Socket) => this.#open(socket, handle));
    server.on("request", arrive);
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      this.#arrive(request, response, true);
    });
    // Node.js would answer 417 without a body, bypassing this code. RFC 9110 §10.1.1 leaves the
    // choice to the server.
    server.on("checkExpectation", arrive);
  }

  /** Undefined for requests without a socket, as in tests. */
  callOf(request: CountedRequest): Call | undefined {
    return request[callKey];
  }

  /**
   * Call it when the body is wanted. Sends 100 Continue to a caller that waits for it; one that is
   * refused by its head never gets it.
   */
  letContinue(request: IncomingMessage): void {
    const call = this.callOf(request);
    if (call?.awaitsContinue !== true) return;
    call.awaitsContinue = false;
    call.response.writeContinue();
  }

  /** The caller has a valid key, so its input is not read in turns. */
  trust(request: IncomingMessage): void {
    const call = this.callOf(request);
    if (call !== undefined) call.connection.isKnown = true;
  }

  /**
   * Credentials were refused. From now on the connection's calls are processed one at a time,
   * because otherwise their delays would run in parallel.
   */
  distrust(request: IncomingMessage): void {
    this.callOf(request)?.connection.line.oneByOne();
  }

  shed({ socket }: Connection, reason: ShedReason): void {
    this.#shed(socket, reason);
  }

  #open(socket: Socket, handle: RequestListener): void {
    const connection = this.#connect(socket, handle);
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#close(connection));
    // Node.js resumes the socket itself, for instance to read the rest of a body.
    socket.on("resume", () => {
      if (connection.line.waiting > 0 || this.#turns.isWaiting(connection)) socket.pause();
    });
    onRead(socket, () => this.#readMore(connection));
    connection.place.set(1);
    this.#lookSoon();
  }

  #connect(socket: Socket, handle: RequestListener): Connection {
    const { limits, connections, requests, waiting, heads } = this.budgets;
    const subject = subjectOfConnection(socket.remoteAddress ?? "", this.#trustedProxies);
    const shed = (reason: ShedReason) => () => this.#shed(socket, reason);
    const connection: Connection = {
      socket,
      subject,
      line: new CallLine({
        atOnce: limits.requestsUnderWayOfConnection,
        begin: (call) => this.#begin(call, handle),
        countWaiting: (change) => void connection.waiting.add(change),
        pause: () => socket.pause(),
        resume: () => this.#resume(connection),
      }),
      place: connections.claim(subject, shed("connections")),
      requests: requests.claim(subject, shed("requests")),
      waiting: waiting.claim(subject, shed("waiting")),
      watch: new SocketWatch(socket, heads.claim(subject, shed("heads"))),
      isEnding: false,
      afterAnswers: undefined,
      isKnown: false,
    };
    return connection;
  }

  /** Does nothing while there is another reason for the pause. */
  #resume(connection: Connection): void {
    if (connection.line.waiting === 0 && !this.#turns.isWaiting(connection)) connection.socket.resume();
  }

  /** Called after each read: counts an unfinished head before more of it is read. */
  #readMore(connection: Connection): void {
    const { socket, watch } = connection;
    if (watch.unseen < octetsBetweenTurns) return;
    watch.lookAtHead();
    if ((connection.isKnown && !watch.holdsHead) || socket.destroyed) return;
    socket.pause();
    this.#turns.wait(connection);
  }

  #shed(socket: Socket, reason: ShedReason): void {
    this.budgets.shed(reason);
    socket.destroy();
  }

  #arrive(request: CountedRequest, response: ServerResponse, awaitsContinue: boolean): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.isEnding) return;
    const call = new Call(connection, request, response, awaitsContinue);
    request[callKey] = call;
    connection.watch.countRequest();
    this.#countHead(call);
    connection.line.arrive(call);
    if (connection.line.waiting >= this.budgets.limits.requestsWaitingOfConnection) stopParsingAfter(request.socket);
  }

  /** The head stays counted until its request is answered. */
  #countHead(call: Call): void {
    const octets = octetsOfHead(call.request);
    if (octets < headOctetsWorthCounting) return;
    const { socket, subject } = call.connection;
    call.head = this.budgets.heads.claim(subject, () => this.#shed(socket, "heads"));
    call.head.set(octets);
  }

  #begin(call: Call, handle: RequestListener): void {
    const { request, response, connection } = call;
    const { requests, place } = connection;
    if (connection.socket.destroyed) return;
    place.refresh();
    response.once("close", () => this.#finish(call));
    if (this.budgets.requests.hasRoom(requests)) call.isCounted = requests.add(1);
    else call.isRefused = !isAboutHealth(request);
    if (call.isRefused) this.budgets.shed("requests");
    handle(request, response);
  }

  /**
   * No further request of the connection is processed. `then` runs once: when those that arrived
   * whole are answered, unless the connection is closed before.
   */
  afterAnswers(socket: Socket, then: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) then();
    if (connection === undefined || connection.afterAnswers !== undefined) return;
    connection.isEnding = true;
    connection.afterAnswers = then;
    socket.pause();
    endIfAnswered(connection);
  }

  #finish(call: Call): void {
    if (!call.connection.line.finish(call)) return;
    if (call.isCounted) call.connection.requests.add(-1);
    giveBack(call);
    endIfAnswered(call.connection);
  }

  #close(connection: Connection): void {
    this.#connections.delete(connection.socket);
    this.#turns.leave(connection);
    for (const call of connection.line.end()) giveBack(call);
    for (const claim of [connection.place, connection.requests, connection.waiting]) claim.release();
    connection.watch.end();
  }

  #lookSoon(pauseMs = this.budgets.limits.lookEveryMs): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => {
      this.#isLooking = false;
      this.#look();
    }, pauseMs).unref();
  }

  /**
   * Node.js has no events for incomplete heads or for answers that nobody reads, so connections are
   * checked periodically.
   */
  #look(): void {
    const begunAt = this.#now();
    const { untakenMs, lookEveryMs } = this.budgets.limits;
    for (const { socket, line, watch } of this.#connections.values()) {
      watch.lookAtHead();
      if (line.underWay.size === 0) watch.forgetAnswers();
      else if (watch.lookAtAnswers(begunAt) > untakenMs) this.#shed(socket, "answers");
    }
    if (begunAt - this.#toldAt >= tellEveryMs || this.#connections.size === 0) {
      this.#toldAt = begunAt;
      this.budgets.tell();
    }
    if (this.#connections.size > 0) this.#lookSoon(Math.max(lookEveryMs, (this.#now() - begunAt) / lookingShare));
  }
}

function endIfAnswered(connection: Connection): void {
  const { line, afterAnswers } = connection;
  if (afterAnswers === undefined || line.some(({ request }) => request.complete)) return;
  connection.afterAnswers = () => undefined;
  afterAnswers();
}

function giveBack(call: Call): void {
  call.isOver = true;
  call.head?.release();
  call.body?.release();
  call.answer?.release();
}

function octetsOfHead({ url = "", rawHeaders }: IncomingMessage): number {
  let octets = url.length;
  for (const text of rawHeaders) octets += text.length;
  return octets;
}

/** Health probes are not refused for lack of room. */
function isAboutHealth({ url = "" }: IncomingMessage): boolean {
  return /^\/+health\//i.test(url);
}
