// Tells how full the windows of this node's binds are: the metrics, and through the database staff
// on any machine.
import type { ConnectorLink } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { Database } from "../store/database.ts";
import { markWindows, type WindowUse } from "../store/nodes.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface HeldBinds {
  readonly connector: OperatorLink;
  readonly link: ConnectorLink;
  readonly binds: ReadonlySet<number>;
}

export class WindowReport {
  readonly #db: Database;
  readonly #telemetry: Telemetry;
  /** What was last written to the database. */
  #reported = "[]";

  constructor({ db, telemetry }: { readonly db: Database; readonly telemetry: Telemetry }) {
    this.#db = db;
    this.#telemetry = telemetry;
  }

  /** Writes to the database only what has changed. */
  async tell(nodeId: string, held: Iterable<HeldBinds>): Promise<void> {
    const uses: WindowUse[] = [];
    for (const { connector, link, binds } of held) {
      const ofConnector = [...binds].map((bindNumber) => ({
        connectorId: connector.id,
        bindNumber,
        inFlight: link.inFlight(bindNumber),
      }));
      const inFlight = ofConnector.reduce((sum, use) => sum + use.inFlight, 0);
      const size = binds.size * connector.settings.window;
      this.#telemetry.emit("window.use", { connector: connector.name, inFlight, size });
      uses.push(...ofConnector);
    }
    const text = JSON.stringify(uses);
    if (text === this.#reported) return;
    await markWindows(this.#db, nodeId, uses);
    this.#reported = text;
  }
}
