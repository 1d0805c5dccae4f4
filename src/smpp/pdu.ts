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

/**
 * One element of dest_address(es), SMPP 3.4 §4.5.1.1: an SME address (dest_flag 1) or a
 * distribution list (dest_flag 2).
 */
export type SubmitMultiDestination =
  ({ readonly dest_flag: 1 } & DestinationAddress) | { readonly dest_flag: 2; readonly dl_name: string };

export interface SubmitMulti extends Header<"submit_multi">, SourceAddress, ShortMessage {
  readonly dest_addresses: readonly SubmitMultiDestination[];
}

/** One element of unsuccess_sme(s), SMPP 3.4 §4.5.2.1. */
export interface UnsuccessfulDelivery extends DestinationAddress {
  readonly error_status_code: number;
}

interface MessageIdResponse<Command extends string> extends Header<Command> {
  readonly message_id: string;
}

export type SubmitSmResp = MessageIdResponse<"submit_sm_resp">;
export type DeliverSmResp = MessageIdResponse<"deliver_sm_resp">;
export type DataSmResp = MessageIdResponse<"data_sm_resp">;

export interface SubmitMultiResp extends MessageIdResponse<"submit_multi_resp"> {
  readonly unsuccess_smes: readonly UnsuccessfulDelivery[];
}

export interface DataSm extends Header<"data_sm">, SourceAddress, DestinationAddress {
  readonly service_type: string;
  readonly esm_class: number;
  readonly registered_delivery: number;
  readonly data_coding: number;
}

export interface QuerySm extends Header<"query_sm">, SourceAddress {
  readonly message_id: string;
}

export interface QuerySmResp extends MessageIdResponse<"query_sm_resp"> {
  readonly final_date: string;
  readonly message_state: number;
  readonly error_code: number;
}

export interface CancelSm extends Header<"cancel_sm">, SourceAddress, DestinationAddress {
  readonly service_type: string;
  readonly message_id: string;
}

export type CancelSmResp = Header<"cancel_sm_resp">;

export interface ReplaceSm extends Header<"replace_sm">, SourceAddress {
  readonly message_id: string;
  readonly schedule_delivery_time: string;
  readonly validity_period: string;
  readonly registered_delivery: number;
  readonly sm_default_msg_id: number;
  readonly short_message: Buffer;
}

export type ReplaceSmResp = Header<"replace_sm_resp">;

export interface AlertNotification extends Header<"alert_notification">, SourceAddress {
  readonly esme_addr_ton: number;
  readonly esme_addr_npi: number;
  readonly esme_addr: string;
}

/** Requests that have a response. */
export type RequestPdu =
  BindPdu | Unbind | EnquireLink | SubmitSm | SubmitMulti | DeliverSm | DataSm | QuerySm | CancelSm | ReplaceSm;

/** Requests that have no response in SMPP. */
export type NoticePdu = Outbind | AlertNotification;

export type ResponsePdu =
  | BindResp
  | UnbindResp
  | EnquireLinkResp
  | SubmitSmResp
  | SubmitMultiResp
  | DeliverSmResp
  | DataSmResp
  | QuerySmResp
  | CancelSmResp
  | ReplaceSmResp
  | GenericNack;

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
  readonly final_date?: string;
  readonly message_state?: number;
  readonly error_code?: number;
  readonly unsuccess_smes?: readonly UnsuccessfulDelivery[];
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

const emptyAnswer = {
  message_id: "",
  final_date: "",
  message_state: 0,
  error_code: 0,
  unsuccess_smes: [],
  system_id: "",
  tlvs: noTlvs,
} as const satisfies Omit<SmppAnswer, "command_status">;

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
  const { command_status, tlvs, message_id, ...filled } = { ...emptyAnswer, ...answer };
  const header = { command_status, sequence_number, tlvs };
  switch (command) {
    case "bind_receiver":
    case "bind_transmitter":
    case "bind_transceiver":
      return { command: `${command}_resp`, ...header, system_id: filled.system_id };
    case "unbind":
    case "enquire_link":
    case "cancel_sm":
    case "replace_sm":
      return { command: `${command}_resp`, ...header };
    case "submit_multi":
      return { command: "submit_multi_resp", ...header, message_id, unsuccess_smes: filled.unsuccess_smes };
    case "query_sm": {
      const { final_date, message_state, error_code } = filled;
      return { command: "query_sm_resp", ...header, message_id, final_date, message_state, error_code };
    }
  }
}
