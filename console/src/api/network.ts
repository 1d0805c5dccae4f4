// Nodes and the links to the operators, as they are now.

export interface Bind {
  readonly bind: number;
  readonly state: string;
  /** Host name. */
  readonly node?: string;
  readonly since?: string;
  /** Parts without an answer yet, and the most that may be. */
  readonly inFlight: number;
  readonly window: number;
  readonly lastError?: string;
  readonly lastErrorAt?: string;
}

export interface Queue {
  /** Messages that wait and may go. */
  readonly due: number;
  readonly scheduled: number;
  readonly oldestSeconds: number;
}

export interface Connector extends Queue {
  readonly name: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly bindStates: readonly Bind[];
}

export interface ConnectorList {
  readonly items: readonly Connector[];
  /** Messages of routes whose connectors are all disabled or removed. */
  readonly unroutable?: Queue;
}

export interface GatewayNode {
  readonly id: string;
  readonly host: string;
  readonly pid?: number;
  /** Whether it holds links to operators. */
  readonly dispatches: boolean;
  readonly startedAt: string;
  readonly alive: boolean;
  readonly binds: number;
  readonly boundBinds: number;
}
