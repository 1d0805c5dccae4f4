// Reports on links: violations of the protocol by the operator, which explain missing answers, and how
// full the windows of this node's binds are.
import { ReportLimiter, type Telemetry } from "../platform/telemetry.ts";
import type { ConnectorLink } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { Database } from "../store/database.ts";
import { markWindows, type WindowUse } from "../store/nodes.ts";

export class LinkFaults {
  readonly #telemetry: Telemetry;
  /** By connector and bind: an operator may repeat the same fault in everything it sends. */
  readonly #limiter = new ReportLimiter();

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  /**
   * `fault` is in the words of the protocol. A report names the latest fault since the one before.
   */
  note(connector: string, bindNumber: number, fault: string): void {
    const key = `${connector} ${bindNumber}`;
    this.#limiter.add(key);
    const count = this.#limiter.take(key);
    if (count > 0) this.#telemetry.emit("link.fault", { connector, bindNumber, fault, count });
  }
}

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
