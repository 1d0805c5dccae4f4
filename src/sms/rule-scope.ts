// For which messages a rule counts: sender lines and accounts.
import type { SenderLine } from "./sender-line.ts";

export interface RuleScope {
  /** Line numbers, kinds of lines, or "*". */
  readonly lines: readonly string[];
  /** Names, or "*". */
  readonly accounts: readonly string[];
}

export function coversAccount({ accounts }: RuleScope, name: string): boolean {
  return accounts.includes("*") || accounts.includes(name);
}

export function coversLine({ lines }: RuleScope, line: Pick<SenderLine, "number" | "kind">): boolean {
  return lines.includes("*") || lines.includes(line.number) || lines.includes(line.kind);
}
