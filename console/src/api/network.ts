// Nodes and the links to the operators, as they are now.

export interface Bind {
  readonly number: number;
  readonly state: string;
  readonly node?: string;
  readonly since?: string;
  /** Parts without an answer yet, and the most that may be. */
  readonly inFlight?: number;
  readonly window: number;
  readonly lastError?: string;
  readonly lastErrorAt?: string;
}

export interface Connector {
  readonly name: string;
  readonly enabled: boolean;
  readonly binds: readonly Bind[];
  readonly queue: Queue;
}

export interface Queue {
  readonly waiting: number;
  readonly scheduled: number;
  readonly oldestSeconds: number;
}

export interface GatewayNode {
  readonly id: string;
  readonly startedAt?: string;
  readonly alive: boolean;
}
