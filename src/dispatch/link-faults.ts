// Reports violations of a link's protocol by the operator. They explain missing answers.
import { ReportLimiter, type Telemetry } from "../platform/telemetry.ts";

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
