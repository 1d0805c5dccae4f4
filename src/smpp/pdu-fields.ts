/**
 * The mandatory parameters of each command in wire order: the tables of SMPP 3.4 §4 as data.
 * `pdu-codec.ts` walks them.
 */

import { commandId, commandStatus, type CommandName } from "./constants.ts";
import type { Pdu } from "./pdu.ts";

/** `maximumOctets` of a C-Octet string includes its NUL. `fault` answers a longer one. */
export type Field =
  | { readonly kind: "integer1"; readonly name: string }
  | { readonly kind: "text"; readonly name: string; readonly maximumOctets: number; readonly fault: number }
  | { readonly kind: "shortMessage"; readonly name: "short_message" };

export interface Layout {
  readonly command: CommandName;
  readonly commandId: number;
  readonly isResponse: boolean;
  readonly fields: readonly Field[];
  /** A PDU of the command whose fields have no values yet. */
  readonly blank: Readonly<Record<string, unknown>>;
}

const integer1 = <Name extends string>(name: Name) => ({ kind: "integer1", name }) as const;

const text = <Name extends string>(name: Name, maximumOctets: number, fault: number) =>
  ({ kind: "text", name, maximumOctets, fault }) as const;

const {
  ESME_RINVCMDLEN,
  ESME_RINVSRCADR,
  ESME_RINVDSTADR,
  ESME_RINVMSGID,
  ESME_RINVSERTYP,
  ESME_RINVSCHED,
  ESME_RINVEXPIRY,
  ESME_RINVSYSID,
  ESME_RINVPASWD,
  ESME_RINVSYSTYP,
} = commandStatus;

export const addressOctets = 21;
/**
 * data_sm and alert_notification have room for longer addresses, SMPP 3.4 §4.7.1. A deliver_sm is
 * taken with them, too: an SMSC that is refused one drops the message.
 */
const longAddressOctets = 65;

/**
 * The specification allows 15 and 8 characters. Operators assign longer ones, so both may have up
 * to 64.
 */
const credentialOctets = 65;

const sourceAddress = (maximumOctets: number) =>
  [
    integer1("source_addr_ton"),
    integer1("source_addr_npi"),
    text("source_addr", maximumOctets, ESME_RINVSRCADR),
  ] as const;

const destinationAddress = (maximumOctets: number) =>
  [
    integer1("dest_addr_ton"),
    integer1("dest_addr_npi"),
    text("destination_addr", maximumOctets, ESME_RINVDSTADR),
  ] as const;

const systemId = text("system_id", credentialOctets, ESME_RINVSYSID);
const password = text("password", credentialOctets, ESME_RINVPASWD);
const serviceType = text("service_type", 6, ESME_RINVSERTYP);
const longServiceType = text("service_type", 65, ESME_RINVSERTYP);
const messageId = text("message_id", 65, ESME_RINVMSGID);

const bind = [
  systemId,
  password,
  text("system_type", 13, ESME_RINVSYSTYP),
  integer1("interface_version"),
  integer1("addr_ton"),
  integer1("addr_npi"),
  text("address_range", 41, ESME_RINVCMDLEN),
] as const;

const messageOptions = [
  integer1("esm_class"),
  integer1("protocol_id"),
  integer1("priority_flag"),
  text("schedule_delivery_time", 17, ESME_RINVSCHED),
  text("validity_period", 17, ESME_RINVEXPIRY),
  integer1("registered_delivery"),
  integer1("replace_if_present_flag"),
  integer1("data_coding"),
  integer1("sm_default_msg_id"),
  { kind: "shortMessage", name: "short_message" },
] as const;

type PduOf<Command extends CommandName> = Extract<Pdu, { readonly command: Command }>;
type BodyKey<P> = Exclude<keyof P, "command" | "command_status" | "sequence_number" | "tlvs">;
type FieldsOf<Command extends CommandName> = readonly (Field & { readonly name: BodyKey<PduOf<Command>> })[];

/** The compiler checks each table against its type in `pdu.ts`. */
const fieldsByCommand: { readonly [Command in CommandName]: FieldsOf<Command> } = {
  generic_nack: [],
  bind_receiver: bind,
  bind_receiver_resp: [systemId],
  bind_transmitter: bind,
  bind_transmitter_resp: [systemId],
  bind_transceiver: bind,
  bind_transceiver_resp: [systemId],
  outbind: [systemId, password],
  unbind: [],
  unbind_resp: [],
  enquire_link: [],
  enquire_link_resp: [],
  submit_sm: [serviceType, ...sourceAddress(addressOctets), ...destinationAddress(addressOctets), ...messageOptions],
  submit_sm_resp: [messageId],
  deliver_sm: [
    longServiceType,
    ...sourceAddress(longAddressOctets),
    ...destinationAddress(longAddressOctets),
    ...messageOptions,
  ],
  deliver_sm_resp: [messageId],
  data_sm: [
    serviceType,
    ...sourceAddress(longAddressOctets),
    ...destinationAddress(longAddressOctets),
    integer1("esm_class"),
    integer1("registered_delivery"),
    integer1("data_coding"),
  ],
  data_sm_resp: [messageId],
  alert_notification: [
    ...sourceAddress(longAddressOctets),
    integer1("esme_addr_ton"),
    integer1("esme_addr_npi"),
    text("esme_addr", longAddressOctets, ESME_RINVCMDLEN),
  ],
};

function isCommandName(name: string): name is CommandName {
  return name in commandId;
}

const layouts: readonly Layout[] = Object.keys(commandId)
  .filter(isCommandName)
  .map((command) => ({
    command,
    commandId: commandId[command],
    isResponse: commandId[command] >= 0x80000000,
    fields: fieldsByCommand[command],
    blank: {
      ...{ command, command_status: 0, sequence_number: 0, tlvs: undefined },
      ...Object.fromEntries(fieldsByCommand[command].map(({ name }) => [name, undefined])),
    },
  }));

// The keys are signed 32-bit numbers, which V8 does not allocate on the heap.
const layoutsById: ReadonlyMap<number, Layout> = new Map(layouts.map((layout) => [layout.commandId | 0, layout]));
const layoutsByCommand: ReadonlyMap<string, Layout> = new Map(layouts.map((layout) => [layout.command, layout]));

export function layoutOfId(id: number): Layout | undefined {
  return layoutsById.get(id | 0);
}

export function layoutOf(command: CommandName): Layout {
  const layout = layoutsByCommand.get(command);
  if (layout === undefined) throw new RangeError(`${command} is not an SMPP command`);
  return layout;
}
