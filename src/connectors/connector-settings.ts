// The settings of a connector: the table of the settings of each kind of link, told
// apart by `type`. Another kind is one more entry. Pure.
import { storedValues, yesNo } from "../fields/field.ts";
import {
  refusingStatus,
  type SmppAccount,
  smppAccountKey,
  smppFields,
  smppMovedBy,
  type SmppSettings,
  smppTlvFault,
} from "./smpp/smpp-settings.ts";

export type ConnectorSettings = SmppSettings;
export type ConnectorType = ConnectorSettings["type"];
export type ConnectorKey = keyof ConnectorSettings;

const kinds = { smpp: { fields: smppFields, accountKey: smppAccountKey, movedBy: smppMovedBy } } as const;

/** Settings without a known `type` are read as this type. */
const firstType: ConnectorType = "smpp";

function kindOf({ type = firstType }: { readonly type?: ConnectorType }): (typeof kinds)[ConnectorType] {
  return kinds[type];
}

/** The keys of a connector in the setup file. With another kind of link, those of all kinds. */
export const connectorFields = {
  ...kinds[firstType].fields,
  enabled: yesNo({ default: true, section: "state" }),
  /** Its binds stay and receipts come, but nothing is submitted. */
  paused: yesNo({
    default: false,
    section: "state",
  }),
};

export type ConnectorSettingsGiven = Partial<ConnectorSettings> &
  Pick<ConnectorSettings, "type" | "host" | "port" | "systemId" | "password">;

/** Fills in the defaults. */
export function completeConnectorSettings(given: ConnectorSettingsGiven): ConnectorSettings {
  return storedValues(kinds[firstType].fields, given);
}

/** What is wrong with an optional parameter of a link. */
export const faultOfTlv: typeof smppTlvFault = smppTlvFault;

/** The form of a code of a link that refuses; undefined: it is none. */
export const refusingCode: (written: string) => string | undefined = refusingStatus;

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
