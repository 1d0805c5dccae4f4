// Warns that an edited `credit` of an existing account has no effect: it was booked when the
// account was created. Pure.
import { formatRials } from "../sms/money.ts";
import type { SetupFault } from "./fault.ts";
import type { AccountSetup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

/** Existing accounts for which the file gives a credit amount. */
export function accountsWithSpentCredit({ accounts }: SetupState, given: readonly AccountSetup[]): readonly string[] {
  return given.flatMap(({ name, credit }) => (typeof credit === "bigint" && accounts.has(name) ? [name] : []));
}

/** `openings`: the credit booked when each account was created; null if that is no longer known. */
export function creditWarnings(
  given: readonly AccountSetup[],
  openings: ReadonlyMap<string, bigint | null>,
): readonly SetupFault[] {
  return given.flatMap(({ name, path, credit }) => {
    const opening = openings.get(name);
    if (typeof credit !== "bigint" || typeof opening !== "bigint" || credit === opening) return [];
    const was = opening === 0n ? "without credit" : `with ${formatRials(opening)} rials`;
    const message = `is the opening credit and is not booked again: the account was created ${was}, and its balance stays as it is`;
    return [{ path: [...path, "credit"], message, hint: `use hodhod credit ${name} AMOUNT --ref ID` }];
  });
}
