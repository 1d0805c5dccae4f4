// What a worker and its parent ask and tell each other.
import type { Config } from "../platform/config.ts";
import type { SiblingNews } from "./siblings.ts";

/** All that a worker needs to begin. */
export interface Task {
  readonly number: number;
  /** The same for all workers. */
  readonly gatewayId: string;
  /** Its share of what is divided among the workers. */
  readonly config: Config;
  readonly databaseUrl: string;
  readonly parentPid: number;
}

/** Asked by a worker. */
export type WorkerQuestion =
  /** Answered with the text of the metrics of all workers. */
  | { readonly kind: "metrics" }
  /** Answered with the checks of GET health/ready. */
  | { readonly kind: "readiness" };

export type WorkerNews =
  /** For all other workers. */
  | { readonly kind: "siblings"; readonly news: readonly SiblingNews[] }
  /** It listens; what it was told before is lost. */
  | { readonly kind: "here" }
  | { readonly kind: "ready"; readonly address: string }
  /** It cannot start, and ends. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "progress"; readonly line: string }
  /** Its metrics when it ends in order. */
  | { readonly kind: "lastMetrics"; readonly text: string };

/** Asked by the parent: the same of this worker alone, and whether it answers at all. */
export type ParentQuestion =
  { readonly kind: "metrics" } | { readonly kind: "readiness" } | { readonly kind: "presence" };

export type ParentNews =
  | { readonly kind: "begin"; readonly task: Task }
  | { readonly kind: "stop" }
  /** From another worker. */
  | { readonly kind: "siblings"; readonly news: readonly SiblingNews[] };
