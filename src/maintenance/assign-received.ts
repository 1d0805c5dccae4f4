// Assigns inbound messages without an account to the one that a rule of their line names now, or
// else to the one that owns the line (decisions §3, events-and-rules §7). They get no reply.
// Safe to run on all nodes at once. A message from a connector that the line does not list is never
// assigned.
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../service.ts";
import { destinationOf } from "../directory/inbound-destination.ts";
import { findLine } from "../sms/sender-line.ts";
import type { Database } from "../store/database.ts";
import {
  assignMessages,
  listUnassignedMessages,
  listUnassignedRecipients,
  markStrays,
  type MessagesToAssign,
} from "../store/inbound.ts";
import type { Telemetry } from "../telemetry.ts";

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
 * Up to which message of each recipient no rule fits, by one configuration. Messages without an
 * account get their numbers in the order of their commits, so no later one comes before it. What a
 * whole round has not named is forgotten.
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
  const judged = new JudgedMessages();
  return new PeriodicService({
    name: "assign-received",
    everyMs,
    restFactor,
    runOnce: () => assignReceivedOnce({ ...options, judged }),
    telemetry: options.telemetry,
  });
}

export async function assignReceivedOnce({
  db,
  directory,
  judged = new JudgedMessages(),
}: Pick<AssignReceivedOptions, "db" | "directory"> & { judged?: JudgedMessages }): Promise<Record<string, number>> {
  let assigned = 0;
  for (let after = ""; ;) {
    const recipients = await listUnassignedRecipients(db, { after, limit: recipientsPage });
    for (const recipient of recipients) {
      assigned += await assignTo({ db, directory: directory.current, judged }, recipient);
    }
    after = recipients.at(-1) ?? "";
    if (recipients.length < recipientsPage) break;
  }
  judged.endRound();
  return { assigned };
}

interface Assigning {
  readonly db: Database;
  readonly directory: Directory;
  readonly judged: JudgedMessages;
}

async function assignTo(assigning: Assigning, recipient: string): Promise<number> {
  const { db, directory } = assigning;
  const line = findLine(recipient, directory.lines)?.number;
  if (line === undefined) return 0;
  const listed = directory.inboundConnectorsOf(line);
  const connectorIds = listed === undefined ? null : [...listed];
  if (connectorIds !== null) await markStrays(db, { recipient, connectorIds });
  if (directory.inboundRules.hasRulesOf(line)) return assignByRules(assigning, { recipient, line, connectorIds });
  const accountId = directory.inboundAccountOf(line);
  if (accountId === 0) return 0;
  for (let assigned = 0; ;) {
    const moved = await assignMessages(db, { recipient, line, accountId, connectorIds, limit: messagesPage });
    assigned += moved;
    if (moved < messagesPage) return assigned;
  }
}

type WaitingOfLine = Pick<MessagesToAssign, "recipient" | "line" | "connectorIds">;

/** Those that no rule fits stay where the line has no account of its own. */
async function assignByRules({ db, directory, judged }: Assigning, waiting: WaitingOfLine): Promise<number> {
  let assigned = 0;
  for (let after = judged.until(directory, waiting.recipient); ;) {
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
    after = page.at(-1)?.sequence ?? after;
    judged.note(directory, waiting.recipient, after);
    if (page.length < messagesPage) return assigned;
  }
}
