// Claims due messages for the binds of one connector. Each bind makes one claim at a time, and only
// when a claim is worth a commit. After a failure the next claim waits.
import type { OperatorLink } from "../connectors/link-settings.ts";
import { FailureLatch } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { DatabaseUnavailable } from "../store/database-errors.ts";
import { takeBackClaims } from "../store/lost-claims.ts";
import { claimDueMessages, type ClaimedMessage } from "../store/message-queue.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { BindLane } from "./bind-lane.ts";
import type { LinkGate } from "./link-gate.ts";
import type { LinkPace } from "./link-pace.ts";
import type { Membership } from "./membership.ts";
import { QueueHint } from "./queue-hint.ts";

export interface Claim {
  readonly claimId: string;
  readonly messages: readonly ClaimedMessage[];
  /** Before the claim was sent to the database, in milliseconds of the monotonic clock. */
  readonly askedAt: number;
}

export interface ClaimingOptions {
  readonly db: Database;
  readonly membership: Membership;
  readonly telemetry: Telemetry;
  readonly connector: OperatorLink;
  readonly gate: LinkGate;
  readonly pace: LinkPace;
  /** Routes that the connector serves at the moment. */
  readonly routeIds: () => readonly number[];
  readonly isBound: (lane: BindLane) => boolean;
  readonly onClaimed: (lane: BindLane, claim: Claim) => void;
  /** A claim has ended: it is known how much room is left, and whether the queue is empty. */
  readonly onClaimEnded: () => void;
  /** The pace allows too little now: `claimFor` is to be called when it allows so many parts. */
  readonly onTooFast: (parts: number) => void;
}

/** A queue that holds more than this many claims in a row could take will not empty soon. */
const fewClaims = 20;
/** After a claim that failed, and after many. */
const [firstPauseMs, longestPauseMs] = [200, 5000];

export class Claiming {
  readonly queue = new QueueHint();
  readonly #options: ClaimingOptions;
  readonly #latch: FailureLatch;
  readonly #underWay = new Set<Promise<void>>();
  /**
   * Claims whose answers from the database were lost. They may be stored. None of their messages
   * was or will be written.
   */
  readonly #inDoubt = new Set<string>();
  /** Consecutive claims that had no room for all that waits. */
  #fullClaims = 0;

  constructor(options: ClaimingOptions) {
    this.#options = options;
    this.#latch = new FailureLatch(`dispatcher ${options.connector.name}`, options.telemetry);
  }

  /** The queue is too long to empty soon. */
  get isBehind(): boolean {
    return this.#fullClaims > fewClaims;
  }

  /** Resolves when no claim is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Claims for the bind if that is worthwhile now. */
  claimFor(lane: BindLane): void {
    const { gate, pace, isBound, onTooFast, routeIds } = this.#options;
    const now = performance.now();
    if (lane.isClaiming || !gate.isOpen(now) || !isBound(lane)) return;
    if (!this.queue.mayHold && !lane.urgent) return;
    const { room } = lane;
    if (room < lane.worthwhileRoom) return;
    // Half a burst of the rate, so that each claim of a busy bind is worth its commit.
    const leastPace = lane.isBusy ? pace.worthwhile : 1;
    const paced = pace.available(now);
    if (paced < leastPace) {
      onTooFast(leastPace);
      return;
    }
    const routes = routeIds();
    if (routes.length === 0) return;
    // A poll leaves the room to the messages that are being accepted.
    const parts = this.queue.mayHold ? Math.min(room, paced) : 1;
    lane.beginClaim(parts);
    const claim = this.#claim(lane, parts, routes).finally(() => {
      this.#underWay.delete(claim);
      if (lane.endClaim()) this.claimFor(lane);
      this.#options.onClaimEnded();
    });
    this.#underWay.add(claim);
  }

  async #claim(lane: BindLane, partsLimit: number, routeIds: readonly number[]): Promise<void> {
    const { db, membership, connector, gate, onClaimed } = this.#options;
    const claimId = uuidv7();
    const asked = this.queue.ask();
    const askedAt = performance.now();
    try {
      if (this.#inDoubt.size > 0) await this.#takeBack();
      const messages = await claimDueMessages(db, {
        claimId,
        nodeId: membership.nodeId,
        connectorId: connector.id,
        bindNumber: lane.bindNumber,
        stretches: lane.turns.stretches(routeIds),
        partsLimit,
      });
      this.#latch.worked();
      lane.turns.served(messages);
      // The parts of a message that an SMSC took before are counted, too: the queue counts less.
      const tookAll = messages.reduce((sum, { parts }) => sum + parts, 0) < partsLimit;
      this.queue.answered(tookAll, asked);
      this.#fullClaims = tookAll ? 0 : this.#fullClaims + 1;
      if (messages.length > 0) onClaimed(lane, { claimId, messages, askedAt });
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.inDoubt) this.#inDoubt.add(claimId);
      // The claims of other binds skipped the rows that this claim had locked.
      this.queue.note();
      this.#latch.failed(error);
      gate.rest(performance.now() + this.#latch.pauseMs(firstPauseMs, longestPauseMs));
    }
  }

  /**
   * Puts the messages of these claims back. The database may still be working on one of them and
   * store it afterwards. The supervisor then finds it among the claims that no dispatcher knows.
   */
  async #takeBack(): Promise<void> {
    const claimIds = [...this.#inDoubt];
    await this.#options.db.transaction((tx) => takeBackClaims(tx, claimIds));
    for (const claimId of claimIds) this.#inDoubt.delete(claimId);
    this.queue.note();
  }
}
