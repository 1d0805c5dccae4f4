/**
 * The PDUs of SMPP 3.4 as types: one interface per command with the field names of the
 * specification (§4), distinguished by `command`. C-Octet strings are text (Latin-1, without the
 * NUL). `short_message` has its own length (sm_length). Optional parameters are kept unchanged,
 * known or not.
 */

export interface Tlv {
  readonly tag: number;
  readonly value: Buffer;
}

interface Header<Command extends string> {
  readonly command: Command;
  readonly command_status: number;
  readonly sequence_number: number;
  readonly tlvs: readonly Tlv[];
}

export type BindCommand = "bind_receiver" | "bind_transmitter" | "bind_transceiver";

interface BindRequest<Command extends BindCommand> extends Header<Command> {
  readonly system_id: string;
  readonly password: string;
  readonly system_type: string;
  readonly interface_version: number;
  readonly addr_ton: number;
  readonly addr_npi: number;
  readonly address_range: string;
}

interface BindResponse<Command extends string> extends Header<Command> {
  readonly system_id: string;
}

export type BindReceiver = BindRequest<"bind_receiver">;
export type BindTransmitter = BindRequest<"bind_transmitter">;
export type BindTransceiver = BindRequest<"bind_transceiver">;
export type BindReceiverResp = BindResponse<"bind_receiver_resp">;
export type BindTransmitterResp = BindResponse<"bind_transmitter_resp">;
export type BindTransceiverResp = BindResponse<"bind_transceiver_resp">;
export type BindPdu = BindReceiver | BindTransmitter | BindTransceiver;
export type BindResp = BindReceiverResp | BindTransmitterResp | BindTransceiverResp;

export interface Outbind extends Header<"outbind"> {
  readonly system_id: string;
  readonly password: string;
}

export type Unbind = Header<"unbind">;
export type UnbindResp = Header<"unbind_resp">;
export type EnquireLink = Header<"enquire_link">;
export type EnquireLinkResp = Header<"enquire_link_resp">;
export type GenericNack = Header<"generic_nack">;

interface SourceAddress {
  readonly source_addr_ton: number;
  readonly source_addr_npi: number;
  readonly source_addr: string;
}

export interface DestinationAddress {
  readonly dest_addr_ton: number;
  readonly dest_addr_npi: number;
  readonly destination_addr: string;
}

interface ShortMessage {
  readonly service_type: string;
  readonly esm_class: number;
  readonly protocol_id: number;
  readonly priority_flag: number;
  readonly schedule_delivery_time: string;
  readonly validity_period: string;
  readonly registered_delivery: number;
  readonly replace_if_present_flag: number;
  readonly data_coding: number;
  readonly sm_default_msg_id: number;
  readonly short_message: Buffer;
}

export interface SubmitSm extends Header<"submit_sm">, SourceAddress, DestinationAddress, ShortMessage {}
export interface DeliverSm extends Header<"deliver_sm">, SourceAddress, DestinationAddress, ShortMessage {}

interface MessageIdResponse<Command extends string> extends Header<Command> {
  readonly message_id: string;
}

export type SubmitSmResp = MessageIdResponse<"submit_sm_resp">;
export type DeliverSmResp = MessageIdResponse<"deliver_sm_resp">;
export type DataSmResp = MessageIdResponse<"data_sm_resp">;

export interface DataSm extends Header<"data_sm">, SourceAddress, DestinationAddress {
  readonly service_type: string;
  readonly esm_class: number;
  readonly registered_delivery: number;
  readonly data_coding: number;
}

export interface AlertNotification extends Header<"alert_notification">, SourceAddress {
  readonly esme_addr_ton: number;
  readonly esme_addr_npi: number;
  readonly esme_addr: string;
}

/** Requests that have a response. */
export type RequestPdu = BindPdu | Unbind | EnquireLink | SubmitSm | DeliverSm | DataSm;

/** Requests that have no response in SMPP. */
export type NoticePdu = Outbind | AlertNotification;

export type ResponsePdu =
  BindResp | UnbindResp | EnquireLinkResp | SubmitSmResp | DeliverSmResp | DataSmResp | GenericNack;

export type Pdu = RequestPdu | NoticePdu | ResponsePdu;

type WithoutHeader<P> = P extends unknown
  ? Omit<P, "sequence_number" | "command_status" | "tlvs"> & { readonly tlvs?: readonly Tlv[] }
  : never;

/**
 * A request as the sender writes it: the session adds sequence_number, and command_status is always
 * 0.
 */
export type OutgoingRequest = WithoutHeader<RequestPdu>;

/**
 * A handler's decision about a request. `buildResponse` makes the PDU and uses only the fields that
 * the response has.
 */
export interface SmppAnswer {
  readonly command_status: number;
  readonly message_id?: string;
  readonly system_id?: string;
  readonly tlvs?: readonly Tlv[];
  /** Called when the response was handed to the operating system; not if it never was. */
  readonly onWritten?: () => void;
}

export function isResponse(pdu: Pdu): pdu is ResponsePdu {
  return pdu.command === "generic_nack" || pdu.command.endsWith("_resp");
}

const noTlvs: readonly Tlv[] = [];

const messageResponses = {
  submit_sm: "submit_sm_resp",
  deliver_sm: "deliver_sm_resp",
  data_sm: "data_sm_resp",
} as const;

/** The response to `request`, filled from `answer`. */
export function buildResponse(
  request: { readonly command: RequestPdu["command"]; readonly sequence_number: number },
  answer: SmppAnswer,
): ResponsePdu {
  const { command, sequence_number } = request;
  if (command === "submit_sm" || command === "deliver_sm" || command === "data_sm") {
    const { command_status, message_id = "", tlvs = noTlvs } = answer;
    return { command: messageResponses[command], command_status, sequence_number, message_id, tlvs };
  }
  const { command_status, system_id = "", tlvs = noTlvs } = answer;
  const header = { command_status, sequence_number, tlvs };
  switch (command) {
    case "bind_receiver":
    case "bind_transmitter":
    case "bind_transceiver":
      return { command: `${command}_resp`, ...header, system_id };
    case "unbind":
    case "enquire_link":
      return { command: `${command}_resp`, ...header };
  }
}
