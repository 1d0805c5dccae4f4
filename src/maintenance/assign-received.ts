// Assigns inbound messages without an account to the one that a rule of their line names now, or
// else to the one that owns the line (decisions §3, events-and-rules §7). They get no reply.
// Safe to run on all nodes at once. A message from a connector that the line does not list is never
// assigned.
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../platform/service.ts";
import { destinationOf } from "../directory/inbound-destination.ts";
import { findLine } from "../sms/sender-line.ts";
import type { Database } from "../store/database.ts";
import {
  assignMessages,
  lastUnassigned,
  listUnassignedMessages,
  listUnassignedRecipients,
  markStrays,
  type MessagesToAssign,
} from "../store/inbound.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface AssignReceivedOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
}

const everyMs = 2000;
/**
 * Many recipients may never match a line, and each round reads them all: 1 % of the time at most.
 */
const restFactor = 100;
const recipientsPage = 1000;
/** The account's counter is locked while this many messages move. */
const messagesPage = 500;

/**
 * Remembers for each recipient up to which message there is nothing to do under one configuration.
 * Messages without an account are numbered in the order of their commits, so no later message gets
 * a lower number. A recipient that a whole round has not named is forgotten.
 */
export class JudgedMessages {
  /** Not its version: after a restore another configuration may have the same. */
  #by: Directory | undefined;
  #before: ReadonlyMap<string, bigint> = new Map();
  #now = new Map<string, bigint>();

  until(directory: Directory, recipient: string): bigint {
    if (this.#by !== directory) return 0n;
    return this.#now.get(recipient) ?? this.#before.get(recipient) ?? 0n;
  }

  note(directory: Directory, recipient: string, sequence: bigint): void {
    if (this.#by !== directory) {
      this.#before = new Map();
      this.#now = new Map();
    }
    this.#by = directory;
    this.#now.set(recipient, sequence);
  }

  /** All recipients were named. */
  endRound(): void {
    this.#before = this.#now;
    this.#now = new Map();
    // An old configuration is not kept for nothing.
    if (this.#before.size === 0) this.#by = undefined;
  }
}

export function assignReceived(options: AssignReceivedOptions): PeriodicService {
  const known = { judged: new JudgedMessages(), sifted: new JudgedMessages() };
  return new PeriodicService({
    name: "assign-received",
    everyMs,
    restFactor,
    runOnce: () => assignReceivedOnce({ ...options, ...known }),
    telemetry: options.telemetry,
  });
}

export async function assignReceivedOnce({
  db,
  directory,
  judged = new JudgedMessages(),
  sifted = new JudgedMessages(),
}: Pick<AssignReceivedOptions, "db" | "directory"> & Partial<KnownMessages>): Promise<Record<string, number>> {
  let assigned = 0;
  const last = await lastUnassigned(db);
  for (let after = ""; ;) {
    const recipients = await listUnassignedRecipients(db, { after, limit: recipientsPage });
    for (const recipient of recipients) {
      assigned += await assignTo({ db, directory: directory.current, last, judged, sifted }, recipient);
    }
    after = recipients.at(-1) ?? "";
    if (recipients.length < recipientsPage) break;
  }
  judged.endRound();
  sifted.endRound();
  return { assigned };
}

interface KnownMessages {
  /** Up to here no message fits a rule. */
  readonly judged: JudgedMessages;
  /** Up to here all strays are marked. */
  readonly sifted: JudgedMessages;
}

interface Assigning extends KnownMessages {
  readonly db: Database;
  readonly directory: Directory;
  /** The latest message that there was when the round began. */
  readonly last: bigint;
}

async function assignTo(assigning: Assigning, recipient: string): Promise<number> {
  const { db, directory } = assigning;
  const line = findLine(recipient, directory.lines)?.number;
  if (line === undefined) return 0;
  const listed = directory.inboundConnectorsOf(line);
  const connectorIds = listed === undefined ? null : [...listed];
  if (connectorIds !== null) await sift(assigning, { recipient, connectorIds });
  if (directory.inboundRules.hasRulesOf(line)) return assignByRules(assigning, { recipient, line, connectorIds });
  const accountId = directory.inboundAccountOf(line);
  if (accountId === 0) return 0;
  for (let assigned = 0; ;) {
    const moved = await assignMessages(db, { recipient, line, accountId, connectorIds, limit: messagesPage });
    assigned += moved;
    if (moved < messagesPage) return assigned;
  }
}

async function sift(
  { db, directory, last, sifted }: Assigning,
  waiting: { readonly recipient: string; readonly connectorIds: readonly number[] },
): Promise<void> {
  const after = sifted.until(directory, waiting.recipient);
  if (after < last) await markStrays(db, { ...waiting, after });
  sifted.note(directory, waiting.recipient, after < last ? last : after);
}

type WaitingOfLine = Pick<MessagesToAssign, "recipient" | "line" | "connectorIds">;

/** Those that no rule fits stay where the line has no account of its own. */
async function assignByRules({ db, directory, last, judged }: Assigning, waiting: WaitingOfLine): Promise<number> {
  let assigned = 0;
  let after = judged.until(directory, waiting.recipient);
  while (after < last) {
    const page = await listUnassignedMessages(db, { ...waiting, after, limit: messagesPage });
    const idsOf = new Map<number, string[]>();
    for (const { id, content } of page) {
      const { accountId } = destinationOf(directory, waiting.line, content);
      if (accountId === 0) continue;
      const ids = idsOf.get(accountId) ?? [];
      ids.push(id);
      idsOf.set(accountId, ids);
    }
    for (const [accountId, ids] of idsOf) {
      assigned += await assignMessages(db, { ...waiting, accountId, ids, limit: messagesPage });
    }
    const reached = page.at(-1)?.sequence ?? after;
    // After a page that is not full, all messages up to `last` have been judged.
    after = page.length < messagesPage && reached < last ? last : reached;
  }
  judged.note(directory, waiting.recipient, after);
  return assigned;
}
