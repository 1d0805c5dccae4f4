// Accounts and what moved their credit.
import type { Answers } from "./endpoints.ts";

export type Account = Answers["GET /accounts"]["items"][number];

export type StatementEntry = Answers["GET /accounts/{name}/statement"]["items"][number];
