// Has the outcomes of claimed messages recorded, and knows which claims may still be open in the database.
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { PartTaken } from "../store/progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import type { BindWindow } from "./bind-window.ts";
import type { LinkState } from "./link-state.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { type Settlement, settlementOf } from "./settlement.ts";

export interface SettlerOptions {
  readonly connector: OperatorLink;
  readonly recorder: OutcomeRecorder;
  readonly telemetry: Telemetry;
  readonly state: LinkState;
  /** The window has capacity again. */
  readonly onFreed: (window: BindWindow) => void;
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
   * Until the outcome is on disk, or cannot be written, the message keeps its place in the window. A crash
   * before that leaves the message uncertain, and so the window limits how many messages can be
   * uncertain.
   */
  settle(window: BindWindow, active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken): void {
    const { claimId } = active;
    const left = (this.#unsettled.get(claimId) ?? 0) - 1;
    this.#unsettled.set(claimId, left);
    const isLast = left === 0;
    const settlement: Settlement = { taken, claimId, finishedClaim: isLast ? claimId : undefined };
    const whole = outcome.kind === "sent" ? settlement : { ...settlement, ...this.#settlementOf(active, outcome) };
    this.#options.recorder.enqueue(whole, {
      resolve: () => {
        // The recorder keeps a claim of which another outcome could not be written.
        if (isLast) this.#unsettled.delete(claimId);
        this.#free(window, active, outcome);
      },
      reject: (error) => {
        this.#reportFailure(error);
        this.#free(window, active, outcome);
      },
    });
  }

  #free(window: BindWindow, { message, claimedParts }: ActiveMessage, outcome: MessageOutcome): void {
    const { state, onFreed } = this.#options;
    if (outcome.kind === "deferred" || (outcome.kind === "held" && outcome.rest)) state.queue.note(message.parts);
    window.free(claimedParts);
    onFreed(window);
  }

  #settlementOf({ message, notTaken }: ActiveMessage, outcome: MessageOutcome): Settlement {
    const { id, settings } = this.#options.connector;
    const { statusErrors } = settings;
    return settlementOf(message, outcome, { connectorId: id, statusErrors, added: notTaken });
  }

  /** What settles no message. */
  record(settlement: Settlement): void {
    this.#options.recorder.record(settlement).catch((error: unknown) => this.#reportFailure(error));
  }

  #reportFailure(error: unknown): void {
    const { telemetry, connector } = this.#options;
    telemetry.emit("service.failed", { service: `dispatcher ${connector.name}`, error });
  }
}
