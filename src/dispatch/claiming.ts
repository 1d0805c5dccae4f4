// Claims due messages for the binds of one connector. Each bind makes one claim at a time, and only
// when a claim is worth a commit. After a failure the next claim waits.
import type { OperatorLink } from "../connectors/link-settings.ts";
import { FailureLatch } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { DatabaseUnavailable } from "../store/database-errors.ts";
import { takeBackClaims, takeBackLostClaims } from "../store/claims.ts";
import { claimDueMessages, type ClaimedMessage } from "../store/message-queue.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { BindWindow } from "./bind-window.ts";
import type { LinkState } from "./link-state.ts";
import type { Membership } from "./membership.ts";
import { flushTimeoutMs, type OutcomeRecorder } from "./outcome-recorder.ts";

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
  readonly state: LinkState;
  /** Routes that the connector serves at the moment. */
  readonly routeIds: () => readonly number[];
  readonly onClaimed: (window: BindWindow, claim: Claim) => void;
}

/** After a claim that failed, and after many. */
const [firstPauseMs, longestPauseMs] = [200, 5000];

export class Claiming {
  readonly #options: ClaimingOptions;
  readonly #latch: FailureLatch;
  readonly #underWay = new Set<Promise<void>>();
  /**
   * Claims whose answers from the database were lost. They may be stored. None of their messages
   * was or will be written.
   */
  readonly #inDoubt = new Set<string>();

  constructor(options: ClaimingOptions) {
    this.#options = options;
    this.#latch = new FailureLatch(`dispatcher ${options.connector.name}`, options.telemetry);
  }

  /** Resolves when no claim is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Claims for the bind if that is worthwhile now. */
  claimFor(window: BindWindow): void {
    const { state, routeIds } = this.#options;
    const { waiting } = state.queue;
    if (window.isClaiming || (waiting === 0 && !window.urgent)) return;
    if (window.capacity < window.worthwhileCapacity(waiting)) return;
    const now = performance.now();
    if (!state.mayTake(now) || !state.isBound(window)) return;
    // Half a burst of the rate, so that each claim of a busy bind is worth its commit.
    const leastPace = window.isBusy ? state.pace.worthwhile : 1;
    const paced = state.pace.available(now);
    if (paced < leastPace) {
      state.awaitPace(leastPace);
      return;
    }
    const routes = routeIds();
    if (routes.length === 0) return;
    const claim = this.#claim(window, Math.min(window.capacity, paced), routes).finally(() => {
      this.#underWay.delete(claim);
      if (window.endClaim()) this.claimFor(window);
    });
    this.#underWay.add(claim);
  }

  async #claim(window: BindWindow, mostParts: number, routeIds: readonly number[]): Promise<void> {
    const { db, membership, connector, state, onClaimed } = this.#options;
    const claimId = uuidv7();
    const asking = state.queue.ask(mostParts);
    window.beginClaim(asking.asked);
    const askedAt = performance.now();
    const ranges = window.order.ranges(routeIds, askedAt);
    try {
      if (this.#inDoubt.size > 0) await this.#takeBack();
      const messages = await claimDueMessages(db, {
        claimId,
        nodeId: membership.nodeId,
        connectorId: connector.id,
        bindNumber: window.bindNumber,
        ranges,
        partsLimit: asking.asked,
      });
      this.#latch.worked();
      window.order.served(messages);
      // The parts of a message that an SMSC took before are counted, too: the queue counts less.
      const taken = messages.reduce((sum, { parts }) => sum + parts, 0);
      if (taken < asking.asked && ranges.some(({ since }) => since !== undefined)) {
        window.order.startOver();
        window.noteDue();
        state.queue.note(Infinity);
      }
      state.queue.answered(asking, taken);
      if (messages.length > 0) onClaimed(window, { claimId, messages, askedAt });
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.inDoubt) this.#inDoubt.add(claimId);
      // The claims of other binds skipped the rows that this claim had locked.
      state.queue.note(Infinity);
      this.#latch.failed(error);
      state.rest(performance.now() + this.#latch.pauseMs(firstPauseMs, longestPauseMs));
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
    this.#options.state.queue.note(Infinity);
  }
}

// Looks for claims that this node stored without learning of it: the answer of the database was
// lost. Nothing of them was written, so their messages go back to the queue.

/** Longer than any statement's time limit: the answer to a younger one may still arrive. */
const lostClaimSeconds = 30;

export interface LostClaimsSearch {
  readonly db: Database;
  readonly recorder: OutcomeRecorder;
  readonly nodeId: string;
  /** The claims that the dispatchers of this node know, asked when all outcomes are on disk. */
  readonly knownIds: () => readonly string[];
}

export async function requeueLostClaims({ db, recorder, nodeId, knownIds }: LostClaimsSearch): Promise<void> {
  // Dispatchers may have forgotten a claim whose last outcomes are not on disk yet. It is not lost.
  if (!(await recorder.flushedWithin(flushTimeoutMs))) return;
  // A dispatcher is forgotten when its connector is closed, and with it the claims that it kept.
  await db.transaction(async (tx) => {
    const known = [...knownIds(), ...recorder.unfinishable];
    await takeBackLostClaims(tx, { nodeId, knownIds: known, ageSeconds: lostClaimSeconds });
  });
}
