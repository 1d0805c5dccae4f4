// Tells what operators do against the protocols of their links. Such faults explain answers that
// are missed. An operator may commit one with everything that it sends, so they are told rarely.
import type { Telemetry } from "../telemetry.ts";

const tellEveryMs = 60_000;

export class LinkFaults {
  readonly #telemetry: Telemetry;
  /** By connector and bind, so the configuration bounds its size. */
  readonly #binds = new Map<string, { toldAt: number; untold: number }>();

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  /** `fault`: in the words of the protocol. The latest stands for all since the last telling. */
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
