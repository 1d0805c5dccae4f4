// Gives a new gateway the mobile operators of the country, so that it knows the operator of a
// number without a setup. Runs once; staff may change the table afterwards.
import { defaultOperators } from "../sms/numbering-plan.ts";
import { isConfigurationEmpty, lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import type { Database } from "../store/database.ts";
import { saveOperators } from "../store/setup-network.ts";
import type { SetupState } from "./sections.ts";

/**
 * Call it after the migrations. Safe on several nodes at once. Returns whether this call stored
 * them.
 */
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

/** The state that seedOperators would leave, for commands that may not write. */
export function withDefaultOperators(state: SetupState): SetupState {
  if (state.operators.size + state.accounts.size + state.connectors.size > 0) return state;
  const operators = defaultOperators.map(
    ({ name, prefixes }) => [name, { enabled: true, prefixes: prefixes.toSorted() }] as const,
  );
  return { ...state, operators: new Map(operators) };
}
