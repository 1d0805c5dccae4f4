// Assigns inbound messages without an account to the one that a rule of their line names now, or
// else to the one that owns the line. They get no reply.
// Safe to run on all nodes at once. A message from a connector that the line does not list is never
// assigned.
import { type Directory, destinationOf } from "../directory/directory.ts";
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

interface AssignReceivedOptions {
  readonly db: Database;
  readonly directory: { readonly current: Directory };
}

const recipientsPage = 1000;
/** The account's counter is locked while this many messages move. */
const messagesPage = 500;

interface Round {
  readonly db: Database;
  readonly directory: Directory;
  /** The messages up to here were judged by this configuration before. */
  readonly after: bigint;
  /** The latest message that there was when the round began. */
  readonly last: bigint;
}

export class AssignReceived {
  readonly #options: AssignReceivedOptions;
  /**
   * The configuration that judged all messages up to `#until`. Not its version: after a restore
   * another configuration may have the same.
   */
  #by: Directory | undefined;
  /**
   * Messages without an account are numbered in the order of their commits, so no later message
   * gets a lower number.
   */
  #until = 0n;

  constructor(options: AssignReceivedOptions) {
    this.#options = options;
  }

  async run(): Promise<{ assigned: number }> {
    const { db } = this.#options;
    const directory = this.#options.directory.current;
    const last = await lastUnassigned(db);
    const round: Round = { db, directory, last, after: this.#by === directory ? this.#until : 0n };
    let assigned = 0;
    for (let after = ""; ;) {
      const recipients = await listUnassignedRecipients(db, { after, limit: recipientsPage });
      for (const recipient of recipients) assigned += await assignTo(round, recipient);
      after = recipients.at(-1) ?? "";
      if (recipients.length < recipientsPage) break;
    }
    this.#by = directory;
    this.#until = last;
    return { assigned };
  }
}

async function assignTo(round: Round, recipient: string): Promise<number> {
  const { db, directory, after, last } = round;
  const line = findLine(recipient, directory.lines)?.number;
  if (line === undefined) return 0;
  const listed = directory.inboundConnectorsOf(line);
  const connectorIds = listed === undefined ? null : [...listed];
  if (connectorIds !== null && after < last) await markStrays(db, { recipient, connectorIds, after });
  if (directory.inboundRules.hasRulesOf(line)) return assignByRules(round, { recipient, line, connectorIds });
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
async function assignByRules({ db, directory, ...round }: Round, waiting: WaitingOfLine): Promise<number> {
  let assigned = 0;
  let { after } = round;
  while (after < round.last) {
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
    if (page.length < messagesPage) break;
    after = page.at(-1)?.sequence ?? round.last;
  }
  return assigned;
}
