// Accounts and what moved their credit.
import type { Answers } from "./endpoints.ts";

export type Account = Answers["GET /accounts"]["items"][number];

/**
 * One account, with the keys of the setup file. What only those see who may manage it is absent for
 * others.
 */
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

export type StatementPage = Answers["GET /accounts/{name}/statement"];
export type StatementEntry = StatementPage["items"][number];
