// The settings of a connector (decisions §6, the keys of the setup file): a union of the settings
// of each kind of link, told apart by `type`. Another kind is one more member and one more entry of
// the table. Pure.
import type { Check } from "./setting-checks.ts";
import {
  requiredSmppKeys,
  type RequiredSmppKey,
  type SmppAccount,
  smppAccountKey,
  smppChecks,
  smppDefaults,
  smppMovedBy,
  type SmppSettings,
  type SmppSettingsGiven,
} from "./smpp/smpp-settings.ts";

export type ConnectorSettings = SmppSettings;
export type ConnectorSettingsGiven = SmppSettingsGiven;
export type ConnectorType = ConnectorSettings["type"];
export type ConnectorKey = keyof ConnectorSettings;
export type RequiredConnectorKey = RequiredSmppKey;

const kinds = {
  smpp: {
    required: requiredSmppKeys,
    defaults: smppDefaults,
    checks: smppChecks,
    accountKey: smppAccountKey,
    movedBy: smppMovedBy,
  },
} as const satisfies Readonly<Record<ConnectorType, unknown>>;

/**
 * Settings without a known `type` are read as this type. The missing type is reported separately.
 */
const firstType: ConnectorType = "smpp";

function kindOf({ type }: { readonly type?: unknown }): (typeof kinds)[ConnectorType] {
  return Object.entries(kinds).find(([name]) => name === type)?.[1] ?? kinds[firstType];
}

export function requiredKeysOf(given: { readonly type?: unknown }): readonly RequiredConnectorKey[] {
  return kindOf(given).required;
}

/** The settings of a new connector, except the required ones. */
export function defaultsOf(given: { readonly type?: unknown }): Omit<ConnectorSettings, RequiredConnectorKey> {
  return kindOf(given).defaults;
}

/**
 * Fills in the defaults, also for settings stored by an older version, which may lack newer keys.
 */
export function completeConnectorSettings(given: ConnectorSettingsGiven): ConnectorSettings {
  return { ...defaultsOf(given), ...given };
}

/**
 * Equal for connectors that share their receipts: those of one group, or of one account at the
 * operator.
 */
export function receiptGroupKey(
  settings: SmppAccount & Pick<ConnectorSettings, "receiptGroup"> & { readonly type?: ConnectorType },
): string {
  const { receiptGroup } = settings;
  return JSON.stringify(receiptGroup === "" ? kindOf(settings).accountKey(settings) : [receiptGroup]);
}

/** The changed settings that would send the connector's password to another place. */
export function movedBy(
  stored: Partial<ConnectorSettings>,
  given: Partial<ConnectorSettings>,
): readonly ConnectorKey[] {
  return kindOf(given).movedBy(stored, given);
}

/** The keys of all kinds of links. */
export const settingKeys = [
  ...new Set(Object.values(kinds).flatMap(({ checks }) => Object.keys(checks))),
] as readonly ConnectorKey[];

export interface ConnectorFault {
  readonly key: ConnectorKey;
  readonly message: string;
}

/** Reads the given keys. The caller reports unknown ones. `tls.ca` stays as written. */
export function readConnectorSettings(given: Readonly<Record<string, unknown>>): {
  readonly settings: Partial<ConnectorSettings>;
  readonly faults: readonly ConnectorFault[];
} {
  const settings: Record<string, unknown> = {};
  const faults: ConnectorFault[] = [];
  const checks: Readonly<Record<ConnectorKey, Check>> = kindOf(given).checks;
  for (const key of settingKeys) {
    if (given[key] === undefined) continue;
    const checked = checks[key](given[key]);
    if ("fault" in checked) faults.push({ key, message: checked.fault });
    else settings[key] = checked.value;
  }
  return { settings, faults };
}
