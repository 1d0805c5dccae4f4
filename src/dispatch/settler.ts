// Records what became of the messages that a dispatcher has claimed, and finishes their claims.
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { PartTaken } from "../store/progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { type Settlement, settlementOf } from "./settlement.ts";

export interface SettlerOptions {
  readonly connector: OperatorLink;
  readonly recorder: OutcomeRecorder;
  readonly telemetry: Telemetry;
}

export class Settler {
  readonly #options: SettlerOptions;
  /** Claims that are stored in the database, with the number of messages that are not settled. */
  readonly #unsettled = new Map<string, number>();

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** Claims with messages that may not be settled on disk yet. */
  get openClaims(): readonly string[] {
    return [...this.#unsettled.keys()];
  }

  open(claimId: string, messages: number): void {
    this.#unsettled.set(claimId, messages);
  }

  /**
   * Resolves when the outcome is on disk, or cannot be written. Until then the message keeps its
   * place in the window. A crash before that leaves the message uncertain, and so the window limits
   * how many messages can be uncertain.
   */
  async settle(active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken): Promise<void> {
    const { claimId } = active;
    const left = (this.#unsettled.get(claimId) ?? 0) - 1;
    this.#unsettled.set(claimId, left);
    const isLast = left === 0;
    const isOnDisk = await this.record({
      taken,
      claimId,
      finishedClaim: isLast ? claimId : undefined,
      // Spread last, where it costs least.
      ...settlementOf(active.message, outcome, {
        connectorId: this.#options.connector.id,
        statusErrors: this.#options.connector.settings.statusErrors,
        added: active.notTaken,
      }),
    });
    // The recorder keeps a claim of which another outcome could not be written.
    if (isLast && isOnDisk) this.#unsettled.delete(claimId);
  }

  /** Returns whether it is on disk. */
  async record(settlement: Settlement): Promise<boolean> {
    try {
      await this.#options.recorder.record(settlement);
      return true;
    } catch (error) {
      this.#options.telemetry.emit("service.failed", { service: `dispatcher ${this.#options.connector.name}`, error });
      return false;
    }
  }
}
