// Looks for claims that this node stored without learning of it: the answer of the database was
// lost. Nothing of them was written, so their messages go back to the queue.
import type { Database } from "../store/database.ts";
import { takeBackLostClaims } from "../store/lost-claims.ts";
import { requeueMessages } from "../store/message-queue.ts";
import { flushTimeoutMs, type OutcomeRecorder } from "./outcome-recorder.ts";

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
    const lost = await takeBackLostClaims(tx, { nodeId, knownIds: known, ageSeconds: lostClaimSeconds });
    if (lost.length > 0) await requeueMessages(tx, lost);
  });
}
