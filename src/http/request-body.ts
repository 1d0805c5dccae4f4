// Reads the whole body of a request, within limits. Small bodies always find room. A larger body is
// counted under its caller until the caller has the answer.
import type { IncomingMessage } from "node:http";
import { ApiError } from "../texts/errors.ts";
import type { BudgetClaim } from "./limits/shared-budget.ts";

/** Bodies up to this size are not counted: even the maximum number of them needs little memory. */
export const octetsWorthCounting = 16 << 10;
/** Smaller chunks are copied together, because each chunk costs about 200 octets of overhead. */
const smallPiece = 4 << 10;
const largestBlock = 64 << 10;

type BodyTaken = (error: Error | null, body?: Buffer) => void;

export interface BodyWish {
  /** Called before reading begins. */
  readonly want?: () => void;
  /**
   * Opens the claim for the body once it is large enough to count. `lose` is called when others
   * need the room.
   */
  readonly claim: (lose: () => void) => BudgetClaim;
  readonly done: BodyTaken;
}

/** Collects bodies for one server. */
export class BodyReader {
  readonly #maximumOctets: number;

  constructor(maximumOctets: number) {
    this.#maximumOctets = maximumOctets;
  }

  /** Refuses at once and leaves the rest unread. */
  read(request: IncomingMessage, wish: BodyWish): void {
    const { done } = wish;
    const encoding = request.headers["content-encoding"];
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") done(new ApiError("unsupportedMediaType"));
    else if (Number(request.headers["content-length"] ?? 0) > this.#maximumOctets) done(new ApiError("tooLarge"));
    else {
      wish.want?.();
      this.#collect(request, wish);
    }
  }

  #collect(request: IncomingMessage, { claim: openClaim, done }: BodyWish): void {
    const pieces = new Pieces();
    let claim: BudgetClaim | undefined;
    // The listeners stay attached: removing them from each request costs more than ignoring later
    // events.
    let isOver = false;
    const refuse = (error: ApiError): void => {
      if (isOver) return;
      isOver = true;
      pieces.clear();
      claim?.release();
      done(error);
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      pieces.add(chunk);
      if (pieces.octets > this.#maximumOctets) refuse(new ApiError("tooLarge"));
      else if (pieces.octets > octetsWorthCounting) {
        claim ??= openClaim(() => refuse(ApiError.unavailable(1)));
        claim.set(pieces.octets);
      }
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      claim?.setLosable(false);
      done(null, pieces.join());
    };
    // "close" comes after each request, also a whole one, and an error costs more than all the rest
    // here.
    const onBroken = (): void => {
      if (!isOver) refuse(new ApiError("malformedRequest"));
    };
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  }
}

/** The chunks of a body. Usually there is one, which is kept without copying. */
class Pieces {
  octets = 0;
  #pieces: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;

  add(piece: Buffer): void {
    this.octets += piece.length;
    if (this.#pieces.length === 0 || piece.length >= smallPiece) {
      this.#closeBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#block === undefined || this.#used + piece.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(Math.min(largestBlock, Math.max(smallPiece, this.octets)));
    }
    piece.copy(this.#block, this.#used);
    this.#used += piece.length;
  }

  join(): Buffer | undefined {
    this.#closeBlock();
    return this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces, this.octets);
  }

  clear(): void {
    this.#pieces = [];
    this.#block = undefined;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
