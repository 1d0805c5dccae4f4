// Records what became of the messages that a dispatcher has claimed, and finishes their claims.
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { PartTaken } from "../store/progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import { OpenClaims } from "./open-claims.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { type Settlement, settlementOf } from "./settlement.ts";

export interface SettlerOptions {
  readonly connector: OperatorLink;
  readonly recorder: OutcomeRecorder;
  readonly telemetry: Telemetry;
}

export class Settler {
  readonly claims = new OpenClaims();
  readonly #options: SettlerOptions;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the outcome is on disk, or cannot be written. Until then the message keeps its
   * room at the bind. A crash before that leaves the message uncertain, and so the window limits
   * how many messages can be uncertain.
   */
  async settle(active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken): Promise<void> {
    const { connector } = this.#options;
    const { claimId } = active;
    const isLast = this.claims.settle(claimId);
    const isOnDisk = await this.record({
      taken,
      claimId,
      finishedClaim: isLast ? claimId : undefined,
      // Spread last, where it costs least.
      ...settlementOf(active.message, outcome, { connectorId: connector.id, added: active.notTaken }),
    });
    if (isLast && isOnDisk) this.claims.finish(claimId);
  }

  /** Returns whether it is on disk. */
  async record(settlement: Settlement): Promise<boolean> {
    try {
      await this.#options.recorder.record(settlement);
      return true;
    } catch (error) {
      this.#options.telemetry.emit("service.failed", { service: `dispatcher ${this.#options.connector.name}`, error });
      if (settlement.claimId !== undefined) this.claims.keep(settlement.claimId);
      return false;
    }
  }
}
