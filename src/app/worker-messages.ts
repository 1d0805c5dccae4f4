// What the parent of workers and a worker tell each other. Both are the same program, so messages
// are not checked.
import type { Config } from "../platform/config.ts";
import type { MetricFamilies } from "../platform/metrics.ts";

/** All that a worker needs to begin. */
export interface Task {
  readonly number: number;
  /** Its share of what is divided among the workers. */
  readonly config: Config;
  readonly databaseUrl: string;
}

export type FromWorker =
  /** It listens; what it was told before is lost. */
  | { readonly kind: "here" }
  | { readonly kind: "ready"; readonly address: string }
  /** It cannot start, and ends. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "progress"; readonly line: string }
  | { readonly kind: "metrics"; readonly families: MetricFamilies }
  /** Somebody asks for the metrics of all workers. */
  | { readonly kind: "sumWanted"; readonly id: number };

export type FromParent =
  | { readonly kind: "begin"; readonly task: Task }
  | { readonly kind: "stop" }
  /** Asked every few seconds: a worker that does not answer is killed. */
  | { readonly kind: "metricsWanted" }
  | { readonly kind: "sum"; readonly id: number; readonly text: string };
