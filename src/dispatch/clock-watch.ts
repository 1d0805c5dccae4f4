// Compares the wall clock of this node with the database's, and tells when they differ.
// Stored messages and charges do not depend on the wall clock; access tokens, webhooks,
// sendTimestamp and absolute validity periods do.
import type { DatabaseClock } from "../store/database-clock.ts";
import type { Telemetry } from "../platform/telemetry.ts";

const toleranceSeconds = 60;

export class ClockWatch {
  readonly #telemetry: Telemetry;
  #isRight = true;
  /** The last comparison differed from the reported state. The next one decides. */
  #isInDoubt = false;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  /**
   * Call it after each reading of the database's clock. Two comparisons in a row must agree,
   * because an answer that waited while the machine was suspended is old, and nothing shows how
   * old.
   */
  compare(clock: DatabaseClock): void {
    const offSeconds = (Date.now() - clock.now()) / 1000;
    this.#telemetry.emit("clock.compared", { offSeconds });
    const isRight = Math.abs(offSeconds) <= toleranceSeconds;
    const isNew = isRight !== this.#isRight;
    if (isNew && this.#isInDoubt) {
      this.#isRight = isRight;
      this.#telemetry.emit("node.clock", { isRight, offSeconds });
    }
    this.#isInDoubt = isNew && !this.#isInDoubt;
  }
}
