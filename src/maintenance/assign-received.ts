// Assigns inbound messages without an account to the account that now owns their line (decisions
// §3). Safe to run on all nodes at once. A message from a connector that the line does not list is
// never assigned.
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../service.ts";
import { findLine } from "../sms/sender-line.ts";
import type { Database } from "../store/database.ts";
import { assignMessages, listUnassignedRecipients, markStrays } from "../store/inbound.ts";
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

export function assignReceived(options: AssignReceivedOptions): PeriodicService {
  return new PeriodicService({
    name: "assign-received",
    everyMs,
    restFactor,
    runOnce: () => assignReceivedOnce(options),
    telemetry: options.telemetry,
  });
}

export async function assignReceivedOnce({
  db,
  directory,
}: Pick<AssignReceivedOptions, "db" | "directory">): Promise<Record<string, number>> {
  let assigned = 0;
  for (let after = ""; ;) {
    const recipients = await listUnassignedRecipients(db, { after, limit: recipientsPage });
    for (const recipient of recipients) assigned += await assignTo(db, directory.current, recipient);
    after = recipients.at(-1) ?? "";
    if (recipients.length < recipientsPage) return { assigned };
  }
}

async function assignTo(db: Database, directory: Directory, recipient: string): Promise<number> {
  const line = findLine(recipient, directory.lines)?.number;
  if (line === undefined) return 0;
  const listed = directory.inboundConnectorsOf(line);
  const connectorIds = listed === undefined ? null : [...listed];
  if (connectorIds !== null) await markStrays(db, { recipient, connectorIds });
  const accountId = directory.inboundAccountOf(line);
  if (accountId === 0) return 0;
  for (let assigned = 0; ;) {
    const moved = await assignMessages(db, { recipient, line, accountId, connectorIds, limit: messagesPage });
    assigned += moved;
    if (moved < messagesPage) return assigned;
  }
}
