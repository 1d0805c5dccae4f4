// Takes a request's body off the wire whole, within bounds. Never holds more than the budget in memory, however many
// slow callers there are.
import type { IncomingMessage } from "node:http";
import { ApiError } from "../errors.ts";

/** Octets of bodies that are being received or wait for their answer, over all connections. */
const maximumOctetsUnderWay = 256 << 20;

/**
 * How much of an overlong body is read off and thrown away before the 413 is sent: a caller that is still writing when the connection closes
 * would never see it.
 */
const maximumOctetsDiscarded = 8 << 20;

const octetsWorthFollowing = 16 << 10;

type BodyTaken = (error: Error | null, body?: Buffer) => void;

/** Collects bodies for one server. */
export class BodyReader {
  readonly #maximumOctets: number;
  readonly #held = new WeakMap<IncomingMessage, number>();
  #octetsUnderWay = 0;

  constructor(maximumOctets: number) {
    this.#maximumOctets = maximumOctets;
  }

  read(request: IncomingMessage, done: BodyTaken): void {
    const encoding = request.headers["content-encoding"];
    if (encoding !== undefined && encoding.toLowerCase() !== "identity")
      discardThen(request, () => done(new ApiError("unsupportedMediaType")));
    else if (Number(request.headers["content-length"] ?? 0) > this.#maximumOctets)
      discardThen(request, () => done(new ApiError("tooLarge")));
    else this.#collect(request, done);
  }

  /** To be called when a request has its answer, or its caller is gone. */
  release(request: IncomingMessage): void {
    const octets = this.#held.get(request);
    if (octets === undefined) return;
    this.#held.delete(request);
    this.#octetsUnderWay -= octets;
  }

  #collect(request: IncomingMessage, done: BodyTaken): void {
    const chunks: Buffer[] = [];
    let octets = 0;
    // The listeners stay where they are: taking them off each request costs more than to ignore what comes after.
    let isOver = false;
    const release = (): void => {
      this.#octetsUnderWay -= octets;
    };
    const refuse = (error: ApiError): void => {
      isOver = true;
      chunks.length = 0;
      release();
      discardThen(request, () => done(error));
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      octets += chunk.length;
      this.#octetsUnderWay += chunk.length;
      if (octets > this.#maximumOctets) refuse(new ApiError("tooLarge"));
      else if (this.#octetsUnderWay > maximumOctetsUnderWay) refuse(ApiError.unavailable(1));
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      // What is small is gone soon; only what could add up is followed until its answer.
      if (octets < octetsWorthFollowing) release();
      else this.#held.set(request, octets);
      done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, octets));
    };
    const onBroken = (): void => {
      if (isOver) return;
      isOver = true;
      release();
      done(new ApiError("malformedRequest"));
    };
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  }
}

function discardThen(request: IncomingMessage, next: () => void): void {
  let octets = 0;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    next();
  };
  const onData = (chunk: Buffer): void => {
    octets += chunk.length;
    if (octets > maximumOctetsDiscarded) end();
  };
  request.on("data", onData).on("end", end).on("error", end).on("close", end);
}
