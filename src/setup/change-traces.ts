// Where the audit tells who has changed what a setup file changes again. Pure.
import type { TraceOfChange } from "../store/audit-last-changes.ts";
import { apiKeyDetails, endpointDetails, type SetupChange, userDetails } from "./setup-changes.ts";
import type { SetupState } from "./setup-state.ts";

/**
 * Returns where the audit may name the last change of each object. For an account this includes
 * each of its users, API keys and endpoints that changes: the console changes these one by one, but
 * a setup file changes them with their account. New objects have no traces.
 */
export function tracesOf(
  stored: SetupState,
  desired: SetupState,
  changes: readonly SetupChange[],
): readonly TraceOfChange[] {
  return changes.flatMap(({ action, kind, name }, change) => {
    if (action === "create") return [];
    const own: TraceOfChange[] = [{ change, object: "", kind, name }];
    return kind === "account" ? [...own, ...tracesOfPeople(stored, desired, { change, account: name })] : own;
  });
}

function tracesOfPeople(
  stored: SetupState,
  desired: SetupState,
  { change, account }: { readonly change: number; readonly account: string },
): TraceOfChange[] {
  const [old, now] = [stored.accounts.get(account), desired.accounts.get(account)];
  const traces = (kind: string, names: readonly string[], keys: readonly string[]): TraceOfChange[] =>
    names.flatMap((name) => [
      { change, object: `${kind} ${name}`, kind, name, account },
      { change, object: `${kind} ${name}`, kind: "account", name: account, keys },
    ]);
  return [
    ...traces("user", differing(old?.users, now?.users, userDetails), ["users", "roles", "passwordsChanged"]),
    ...traces("apiKey", differing(old?.apiKeys, now?.apiKeys, apiKeyDetails), ["apiKeys", "keysChanged"]),
    ...traces("webhookEndpoint", differing(old?.endpoints, now?.endpoints, endpointDetails), [
      ...["webhooks", "secretsChanged"],
    ]),
  ];
}

function differing<State>(
  old: ReadonlyMap<string, State> | undefined,
  now: ReadonlyMap<string, State> | undefined,
  describe: (name: string, now: State, old: State | undefined) => readonly string[],
): string[] {
  const gone = [...(old?.keys() ?? [])].filter((name) => !now?.has(name));
  const others = [...(now ?? [])].filter(
    ([name, state]) => !old?.has(name) || describe(name, state, old.get(name)).length > 0,
  );
  return [...gone, ...others.map(([name]) => name)];
}
