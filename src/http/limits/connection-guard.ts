// Ties the budgets to the sockets of a server: what a connection holds is counted with it and given back with it. Requests of one
// connection are let through so many at once, in their order.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { CallLine } from "./call-line.ts";
import { subjectOfConnection } from "./caller-share.ts";
import type { DoorBudgets, ShedReason } from "./door-limits.ts";
import { ReadTurns } from "./read-turns.ts";
import type { Claim, Subject } from "./shared-budget.ts";
import { onRead, SocketWatch } from "./socket-watch.ts";

/** A request with its answer, from the end of its head until the answer is taken or the connection is gone. */
export class Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Its caller waits for 100 Continue before the body. */
  awaitsContinue: boolean;
  isCounted = false;
  /** There were too many requests: to be answered 503. */
  isRefused = false;
  /** The answer is taken, or the connection gone. */
  isOver = false;
  /** Octets of its head, where that is large. */
  head: Claim | undefined = undefined;
  body: Claim | undefined = undefined;
  answer: Claim | undefined = undefined;

  constructor(connection: Connection, request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    this.connection = connection;
    this.request = request;
    this.response = response;
    this.awaitsContinue = awaitsContinue;
  }
}

const callKey = Symbol("call");

/** The request itself knows its call: a map beside it costs more than all the rest here. */
interface CountedRequest extends IncomingMessage {
  [callKey]?: Call;
}

export interface Connection {
  readonly socket: Socket;
  readonly subject: Subject;
  readonly line: CallLine<Call>;
  readonly place: Claim;
  readonly requests: Claim;
  readonly waiting: Claim;
  readonly watch: SocketWatch;
  /** Its last answer is on its way: what comes now is thrown away. */
  isEnding: boolean;
  /** A call on it had a valid key: what it sends is not read in turns. */
  isKnown: boolean;
}

export interface ConnectionGuardOptions {
  readonly budgets: DoorBudgets;
  readonly trustedProxies: readonly string[];
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Heads below it are no burden, even of as many requests as may be under way. */
const headOctetsWorthCounting = 4 << 10;
/** What a connection may send between two looks at it without being read in turns. */
const octetsBetweenTurns = 32 << 10;
/** Looking at connections takes no more than this share of the time. */
const lookingShare = 0.04;
const tellEveryMs = 1000;

export class ConnectionGuard {
  readonly budgets: DoorBudgets;
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

  /** Every request of the server reaches `handle`, in its turn. */
  watch(server: Server, handle: RequestListener): void {
    const arrive = (request: IncomingMessage, response: ServerResponse): void => this.#arrive(request, response, false);
    server.on("connection", (socket: Socket) => this.#open(socket, handle));
    server.on("request", arrive);
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      this.#arrive(request, response, true);
    });
    // Node.js would answer a 417 without a body, past everything here; RFC 9110 §10.1.1 leaves it to the server.
    server.on("checkExpectation", arrive);
  }

  /** Undefined for requests that came by no socket, as in tests. */
  callOf(request: CountedRequest): Call | undefined {
    return request[callKey];
  }

  /** To be called when the body is wanted: a caller that waits for 100 Continue is told so. One that is refused by its head never is. */
  letContinue(request: IncomingMessage): void {
    const call = this.callOf(request);
    if (call?.awaitsContinue !== true) return;
    call.awaitsContinue = false;
    call.response.writeContinue();
  }

  /** A caller with a valid key: what it sends is not read in turns. */
  trust(request: IncomingMessage): void {
    const call = this.callOf(request);
    if (call !== undefined) call.connection.isKnown = true;
  }

  /** Credentials were refused: from now on the calls of the connection are worked on one after the other, or each would wait at the same time. */
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
    // Node.js resumes by itself, for instance to read a body to its end.
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
      isKnown: false,
    };
    return connection;
  }

  /** Unless something else holds it. */
  #resume(connection: Connection): void {
    if (connection.line.waiting === 0 && !this.#turns.isWaiting(connection)) connection.socket.resume();
  }

  /** Called with each read: an unfinished head is counted before more of it is read. */
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
  }

  /** A large head is held until its request is answered, as it was while it came. */
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

  #finish(call: Call): void {
    if (!call.connection.line.finish(call)) return;
    if (call.isCounted) call.connection.requests.add(-1);
    giveBack(call);
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

  /** Node.js tells nothing of heads that are not complete, nor of answers that nobody takes: they are looked for. */
  #look(): void {
    const begunAt = this.#now();
    const { untakenMs, lookEveryMs } = this.budgets.limits;
    for (const { socket, line, watch } of this.#connections.values()) {
      watch.lookAtHead();
      if (line.underWay.size > 0 && watch.lookAtAnswers(begunAt) > untakenMs) this.#shed(socket, "answers");
    }
    if (begunAt - this.#toldAt >= tellEveryMs || this.#connections.size === 0) {
      this.#toldAt = begunAt;
      this.budgets.tell();
    }
    if (this.#connections.size > 0) this.#lookSoon(Math.max(lookEveryMs, (this.#now() - begunAt) / lookingShare));
  }
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

/** Probes of the machine's own are outside of every limit. */
function isAboutHealth({ url = "" }: IncomingMessage): boolean {
  return /^\/+health\//i.test(url);
}
