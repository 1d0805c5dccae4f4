// Counts the memory of a call: a body that is large enough, and an answer until the client has
// received it. Known callers are counted by account, others by address.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { requestAddress } from "../client-address.ts";
import { subjectOfAccount, subjectOfAddress } from "./caller-share.ts";
import type { Call, ConnectionGuard } from "./connection-guard.ts";
import { SharedBudget, type BudgetClaim, type Subject } from "./shared-budget.ts";

/** Smaller answers are not counted: even the maximum number of them needs little memory. */
const answerOctetsWorthCounting = 4 << 10;
/** How much a stream may have read ahead. */
const octetsOfStream = 128 << 10;
/** Requests without a socket, as in tests, are not counted. */
const uncounted = new SharedBudget(Number.MAX_SAFE_INTEGER);

export interface CallMemoryOptions {
  readonly guard: ConnectionGuard;
  readonly trustedProxies: readonly string[];
  /** The account whose valid key is in the head of the request. */
  readonly findAccount: (request: FastifyRequest) => number | undefined;
}

export class CallMemory {
  readonly #options: CallMemoryOptions;

  constructor(options: CallMemoryOptions) {
    this.#options = options;
  }

  /** Opens a claim for the body. */
  claimBody(request: FastifyRequest, lose: () => void): BudgetClaim {
    const { guard, findAccount } = this.#options;
    const call = guard.callOf(request.raw);
    if (call === undefined) return uncounted.claim(subjectOfAddress(""), lose);
    const { callers, strangers } = guard.budgets;
    const accountId = findAccount(request);
    const isKnown = accountId !== undefined;
    const subject = isKnown ? subjectOfAccount(accountId) : this.#subjectOfAddress(request.raw);
    call.body = (isKnown ? callers : strangers).claim(subject, () => {
      guard.budgets.shed("bodies");
      lose();
    });
    return call.body;
  }

  /** Call it just before the answer is sent. */
  countAnswer(request: FastifyRequest, payload: unknown): void {
    const octets = octetsOf(payload);
    if (octets < answerOctetsWorthCounting) return;
    const { guard } = this.#options;
    const call = guard.callOf(request.raw);
    if (call !== undefined && !call.isOver) this.#openAnswer(call, request).set(octets);
  }

  #openAnswer(call: Call, request: FastifyRequest): BudgetClaim {
    const { guard } = this.#options;
    call.answer?.release();
    const accountId = request.identity?.account.id;
    const subject = accountId === undefined ? this.#subjectOfAddress(request.raw) : subjectOfAccount(accountId);
    call.answer = guard.budgets.callers.claim(subject, () => guard.shed(call.connection, "answers"));
    return call.answer;
  }

  #subjectOfAddress(request: IncomingMessage): Subject {
    return subjectOfAddress(requestAddress(request, this.#options.trustedProxies));
  }
}

function octetsOf(payload: unknown): number {
  if (typeof payload === "string") return Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  return payload === null || payload === undefined ? 0 : octetsOfStream;
}
