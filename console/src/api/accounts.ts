// Accounts and what moved their credit.

export interface Account {
  readonly name: string;
  readonly domain: string;
  readonly enabled: boolean;
  readonly tariff: string;
  /** Rials; absent where the credit is unlimited. */
  readonly credit?: number;
  readonly creditUnlimited?: boolean;
  readonly lines?: readonly string[];
  readonly permissions?: readonly string[];
  readonly requestsPerSecond?: number;
}

export interface StatementEntry {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  /** Rials; below 0 what was charged. */
  readonly amount: number;
  readonly balance?: number;
  readonly reference?: string;
  readonly batchId?: string;
  readonly messageId?: string;
}
