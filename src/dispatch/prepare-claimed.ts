// Makes claimed messages ready to be written: counts them in the window of their bind, sends back what the
// link cannot carry, and gives long messages their references.
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { Directory } from "../directory/directory.ts";
import { carriesAll, type TextDemand, unmetDemand } from "../sms/data-coding.ts";
import { type ReferenceSpace, referenceSpaceOf } from "../sms/concatenation.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { ActiveMessage } from "./active-message.ts";
import type { BindWindow } from "./bind-window.ts";
import type { Claim } from "./claiming.ts";
import { numberMessages } from "./reference-counter.ts";
import type { Settler } from "./settler.ts";

export interface ClaimPreparerOptions {
  readonly db: Database;
  readonly connector: OperatorLink;
  readonly telemetry: Telemetry;
  /**
   * The route variant in which a message waits for a link of its route that can carry it; undefined when no
   * link can.
   */
  readonly variantElsewhere: (routeId: number, demand: TextDemand) => number | undefined;
  readonly directory: { readonly current: Pick<Directory, "accounts"> };
  readonly settler: Settler;
  /** Messages wait in the window to be written. */
  readonly onReady: (window: BindWindow) => void;
}

export class ClaimPreparer {
  readonly #options: ClaimPreparerOptions;
  readonly #numbering = new Set<Promise<void>>();

  constructor(options: ClaimPreparerOptions) {
    this.#options = options;
  }

  /** Resolves when no message waits for the database to get a reference. */
  async ended(): Promise<void> {
    await Promise.all(this.#numbering);
  }

  // The database reports how long a message is still valid; from then on the monotonic clock
  // counts.
  take(window: BindWindow, { claimId, messages, askedAt }: Claim): void {
    const { telemetry, connector, variantElsewhere, directory, settler, onReady } = this.#options;
    telemetry.emit("message.claimed", { connector: connector.name, count: messages.length });
    settler.open(claimId, messages.length);
    const { longMessages } = connector.settings;
    const options = { claimId, bindNumber: window.bindNumber, asOnePayload: longMessages === "payload", now: askedAt };
    const carriesEverything = carriesAll(connector.settings);
    const unnumbered: ActiveMessage[] = [];
    let space: ReferenceSpace | undefined;
    for (const message of messages) {
      const { accountId, templateId } = message;
      // Optional parameters of the template that the message was made from.
      const tlvs =
        (templateId ?? "") === ""
          ? undefined
          : directory.current.accounts.get(accountId)?.terms.template(templateId ?? "")?.tlvs;
      const active = new ActiveMessage(message, tlvs === undefined ? options : { ...options, tlvs });
      window.hold(active.claimedParts);
      const unmet = carriesEverything ? undefined : unmetDemand(connector.settings, message);
      const needed = message.parts === 1 ? undefined : referenceSpaceOf(message, longMessages);
      if (unmet !== undefined) {
        const variantId = variantElsewhere(message.routeId, unmet);
        settler.settle(window, active, { kind: "uncarriable", variantId });
      } else if (needed !== undefined) {
        space = needed;
        unnumbered.push(active);
      } else if (active.nextPart === undefined) settler.settle(window, active, { kind: "sent" });
      else window.put(active);
    }
    if (space !== undefined) this.#await(this.#number(window, unnumbered, space));
    onReady(window);
  }

  // The other messages of the claim do not wait for these.
  async #number(window: BindWindow, messages: readonly ActiveMessage[], space: ReferenceSpace): Promise<void> {
    const { db, telemetry, connector, settler, onReady } = this.#options;
    const { ready, others, error } = await numberMessages(db, messages, space);
    if (error !== undefined) telemetry.emit("service.failed", { service: `dispatcher ${connector.name}`, error });
    for (const { active, outcome } of others) settler.settle(window, active, outcome);
    for (const active of ready) window.put(active);
    onReady(window);
  }

  #await(numbering: Promise<void>): void {
    this.#numbering.add(numbering);
    void numbering.finally(() => this.#numbering.delete(numbering));
  }
}
