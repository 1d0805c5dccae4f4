// Connectors that shall go elsewhere without their password. Pure.
import type { SetupFault } from "./fault.ts";
import type { Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

const whereToGo = ["host", "port", "tls"] as const;

/** Who may change a connector but does not know its password shall not have it sent to a place of their own. */
export function findMovedConnectors(
  stored: SetupState,
  desired: SetupState,
  { connectors }: Setup,
): readonly SetupFault[] {
  return connectors.flatMap(({ path, name, settings: { password } }) => {
    const old = stored.connectors.get(name)?.settings;
    const now = desired.connectors.get(name)?.settings;
    if (old === undefined || now === undefined || password !== undefined) return [];
    const textOf = (value: unknown): string => JSON.stringify(value ?? false);
    const moved = whereToGo.filter((key) => textOf(old[key]) !== textOf(now[key]));
    if (moved.length === 0) return [];
    const message = `is needed again, because ${moved.join(", ")} ${moved.length === 1 ? "changes" : "change"}`;
    return [{ path: [...path, "password"], message }];
  });
}
