// Accounts and what moved their credit.
import type { Page } from "./types.ts";

export interface Account {
  readonly name: string;
  readonly domain: string;
  readonly tariff: string;
  /** Rials. */
  readonly balance: number;
  /** The balance may be below zero. */
  readonly unlimited: boolean;
  /** How many it has. */
  readonly lines: number;
  readonly users: number;
  readonly apiKeys: number;
}

/** One account, with the keys of the setup file. What only those see who may manage it is absent for others. */
export interface AccountDetails extends Omit<Account, "lines" | "users" | "apiKeys"> {
  readonly credit?: "unlimited";
  readonly lines: readonly string[];
  readonly permissions: readonly string[];
  readonly requestsPerSecond: number;
  readonly allowedIps?: readonly string[];
  readonly blockedRecipients?: readonly string[];
  readonly users?: readonly { readonly username: string; readonly passwordSet: boolean }[];
  readonly apiKeys?: readonly { readonly name: string; readonly allowedIps: readonly string[] }[];
}

export interface StatementEntry {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  /** Rials; below zero for a charge. */
  readonly amount: number;
  /** After this entry. */
  readonly balance: number;
  readonly messages?: number;
  readonly messageId?: string;
  readonly batchId?: string;
  readonly reference?: string;
}

export interface StatementPage extends Page<StatementEntry> {
  readonly openingBalance: number;
  readonly closingBalance: number;
  readonly balance: number;
}
