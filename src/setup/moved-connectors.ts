// Connectors that shall go elsewhere without their password. Pure.
import { movedBy } from "../connectors/connector-settings.ts";
import type { SetupFault } from "./fault.ts";
import type { Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

export function findMovedConnectors(
  stored: SetupState,
  desired: SetupState,
  { connectors }: Setup,
): readonly SetupFault[] {
  return connectors.flatMap(({ path, name, settings: { password } }) => {
    const old = stored.connectors.get(name)?.settings;
    const now = desired.connectors.get(name)?.settings;
    if (old === undefined || now === undefined || password !== undefined) return [];
    const moved = movedBy(old, now);
    if (moved.length === 0) return [];
    const message = `is needed again, because ${moved.join(", ")} ${moved.length === 1 ? "changes" : "change"}`;
    return [{ path: [...path, "password"], message }];
  });
}
