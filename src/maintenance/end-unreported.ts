// Ends the wait for receipts (reason 1301) of sent messages whose connector's deadline has passed
// without a report.
import type { Directory } from "../directory/directory.ts";
import { tellUnreported } from "../events/message-ends.ts";
import { PeriodicService } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { endUnreported, listSweptConnectors } from "../store/receipts.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface EndUnreportedOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
}

const everyMs = 60_000;
/** For connectors that were removed: the default of the setup file. */
const removedConnectorHours = 72;

export function endUnreportedMessages(options: EndUnreportedOptions): PeriodicService {
  return new PeriodicService({
    name: "end-unreported",
    everyMs,
    runOnce: () => endUnreportedOnce(options),
    telemetry: options.telemetry,
  });
}

export async function endUnreportedOnce({
  db,
  telemetry,
  directory,
}: EndUnreportedOptions): Promise<Record<string, number>> {
  let ended = 0;
  const deadlines = new Map(
    directory.current.connectors.map(({ id, settings }) => [id, settings.receiptDeadlineHours]),
  );
  // Messages that a removed connector sent still wait for receipts, and end like any others.
  for (const connectorId of await listSweptConnectors(db)) {
    if (!deadlines.has(connectorId)) deadlines.set(connectorId, removedConnectorHours);
  }
  for (const [connectorId, deadlineHours] of deadlines)
    ended += await endUnreported(db, { connectorId, deadlineHours });
  tellUnreported(telemetry, ended);
  return { ended };
}
