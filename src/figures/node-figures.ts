// What a node tells each second, as it stands in its row. Nodes of other versions may stand beside
// this one: fields are only added.
import type { Asked, Counts } from "./tally.ts";

export interface NodeFigures {
  readonly pid: number;
  /** A second. */
  readonly rates: Readonly<Counts>;
  /** From a submit_sm to its answer, in the last second. */
  readonly latency: { readonly answers: number; readonly medianMs: number; readonly slowMs: number };
  readonly binds: readonly BindFigures[];
  /** By connector, in the last five minutes. */
  readonly asked: Readonly<Record<string, Readonly<Asked>>>;
  /** As it was last measured, every 10 s or less often; only of nodes that dispatch. */
  readonly queue?: { readonly waiting: number; readonly scheduled: number };
  readonly lease: boolean;
  /** ISO 8601; only if it was lost in the last minutes. */
  readonly leaseLostAt?: string;
  /** Only if its clock is more than a minute from the database's, ahead or behind. */
  readonly clockOffSeconds?: number;
}

export interface BindFigures {
  readonly connector: string;
  readonly bind: number;
  readonly bound: boolean;
  /** ISO 8601: since when it is bound, or is not. */
  readonly since: string;
  /** Parts submitted and not answered yet. */
  readonly inFlight: number;
  readonly window: number;
  readonly partsPerSecond: number;
  readonly lastError?: string;
  readonly lastErrorAt?: string;
}
