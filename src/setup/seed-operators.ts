// Gives a fresh gateway the operators of the country, so that it knows whose a number is before anybody describes them. Once:
// what staff make of the table afterwards stays.
import { defaultOperators } from "../sms/default-operators.ts";
import { isConfigurationEmpty, lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import type { Database } from "../store/database.ts";
import { saveOperators } from "../store/setup-network.ts";
import type { SetupState } from "./setup-state.ts";

/** To be awaited after the migrations. Safe on several nodes at once. Answers whether it was this call that did it. */
export async function seedOperators(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    if (!(await isConfigurationEmpty(tx))) return false;
    const operators = defaultOperators.map(({ name, prefixes }) => ({ name, prefixes, enabled: true }));
    await saveOperators(tx, operators);
    await raiseConfigurationVersion(tx);
    return true;
  });
}

/** The state that seedOperators would leave, for those who may not write. */
export function withDefaultOperators(state: SetupState): SetupState {
  if (state.operators.size + state.accounts.size + state.connectors.size > 0) return state;
  const operators = defaultOperators.map(
    ({ name, prefixes }) => [name, { enabled: true, prefixes: prefixes.toSorted() }] as const,
  );
  return { ...state, operators: new Map(operators) };
}
