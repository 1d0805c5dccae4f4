// Reports violations of a link's protocol by the operator. They explain missing answers. An
// operator may repeat the same fault in everything it sends, so reports are rare.
import type { Telemetry } from "../platform/telemetry.ts";

const tellEveryMs = 60_000;

export class LinkFaults {
  readonly #telemetry: Telemetry;
  /** By connector and bind, so the configuration bounds its size. */
  readonly #binds = new Map<string, { toldAt: number; untold: number }>();

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  /**
   * `fault` is in the words of the protocol. A report names the latest fault since the one before.
   */
  note(connector: string, bindNumber: number, fault: string): void {
    const key = `${connector} ${bindNumber}`;
    const bind = this.#binds.get(key) ?? { toldAt: -Infinity, untold: 0 };
    this.#binds.set(key, bind);
    bind.untold += 1;
    const now = performance.now();
    if (now - bind.toldAt < tellEveryMs) return;
    this.#telemetry.emit("link.fault", { connector, bindNumber, fault, count: bind.untold });
    Object.assign(bind, { toldAt: now, untold: 0 });
  }
}
