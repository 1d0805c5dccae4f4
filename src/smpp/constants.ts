/**
 * The constants of SMPP 3.4: command_id (§5.1.2.1; of the commands that we use), command_status (§5.1.3), TON and NPI (§5.2.5,
 * §5.2.6), esm_class (§5.2.12), data_coding (§5.2.19), message_state (§5.2.28) and the tags of the
 * optional parameters (§5.3.2). The names are those of the specification.
 */

export const commandId = {
  generic_nack: 0x80000000,
  bind_receiver: 0x00000001,
  bind_receiver_resp: 0x80000001,
  bind_transmitter: 0x00000002,
  bind_transmitter_resp: 0x80000002,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  outbind: 0x0000000b,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
  alert_notification: 0x00000102,
  data_sm: 0x00000103,
  data_sm_resp: 0x80000103,
} as const;

export type CommandName = keyof typeof commandId;

/** Set in the command_id of every response, SMPP 3.4 §5.1.2.1. */
export const responseBit = 0x80000000;

export const commandStatus = {
  ESME_ROK: 0x00000000,
  ESME_RINVMSGLEN: 0x00000001,
  ESME_RINVCMDLEN: 0x00000002,
  ESME_RINVCMDID: 0x00000003,
  ESME_RINVBNDSTS: 0x00000004,
  ESME_RALYBND: 0x00000005,
  ESME_RINVPRTFLG: 0x00000006,
  ESME_RINVREGDLVFLG: 0x00000007,
  ESME_RSYSERR: 0x00000008,
  ESME_RINVSRCADR: 0x0000000a,
  ESME_RINVDSTADR: 0x0000000b,
  ESME_RINVMSGID: 0x0000000c,
  ESME_RBINDFAIL: 0x0000000d,
  ESME_RINVPASWD: 0x0000000e,
  ESME_RINVSYSID: 0x0000000f,
  ESME_RCANCELFAIL: 0x00000011,
  ESME_RREPLACEFAIL: 0x00000013,
  ESME_RMSGQFUL: 0x00000014,
  ESME_RINVSERTYP: 0x00000015,
  ESME_RINVNUMDESTS: 0x00000033,
  ESME_RINVDLNAME: 0x00000034,
  ESME_RINVDESTFLAG: 0x00000040,
  ESME_RINVSUBREP: 0x00000042,
  ESME_RINVESMCLASS: 0x00000043,
  ESME_RCNTSUBDL: 0x00000044,
  ESME_RSUBMITFAIL: 0x00000045,
  ESME_RINVSRCTON: 0x00000048,
  ESME_RINVSRCNPI: 0x00000049,
  ESME_RINVDSTTON: 0x00000050,
  ESME_RINVDSTNPI: 0x00000051,
  ESME_RINVSYSTYP: 0x00000053,
  ESME_RINVREPFLAG: 0x00000054,
  ESME_RINVNUMMSGS: 0x00000055,
  ESME_RTHROTTLED: 0x00000058,
  ESME_RINVSCHED: 0x00000061,
  ESME_RINVEXPIRY: 0x00000062,
  ESME_RINVDFTMSGID: 0x00000063,
  ESME_RX_T_APPN: 0x00000064,
  ESME_RX_P_APPN: 0x00000065,
  ESME_RX_R_APPN: 0x00000066,
  ESME_RQUERYFAIL: 0x00000067,
  ESME_RINVOPTPARSTREAM: 0x000000c0,
  ESME_ROPTPARNOTALLWD: 0x000000c1,
  ESME_RINVPARLEN: 0x000000c2,
  ESME_RMISSINGOPTPARAM: 0x000000c3,
  ESME_RINVOPTPARAMVAL: 0x000000c4,
  ESME_RDELIVERYFAILURE: 0x000000fe,
  ESME_RUNKNOWNERR: 0x000000ff,
} as const;

const commandStatusNames: ReadonlyMap<number, string> = new Map(
  Object.entries(commandStatus).map(([name, code]) => [code, name]),
);

/**
 * The name in the specification, or hexadecimal for reserved and SMSC-specific codes (0x400–0x4FF).
 */
export function commandStatusName(code: number): string {
  return commandStatusNames.get(code) ?? `0x${code.toString(16).padStart(8, "0")}`;
}

const longestCode = 0xffffffff;

/** Reads the name of a command_status in the specification, or its number. Undefined: neither. */
export function commandStatusOf(written: string): number | undefined {
  if (Object.hasOwn(commandStatus, written)) return commandStatus[written as keyof typeof commandStatus];
  const code = /^(0x[\da-f]+|\d+)$/i.test(written) ? Number(written) : NaN;
  return code <= longestCode ? code : undefined;
}

export const ton = { unknown: 0, international: 1, alphanumeric: 5 } as const;

export const npi = { unknown: 0, isdn: 1 } as const;

/**
 * Bits of esm_class, SMPP 3.4 §5.2.12. The message type is the value under `messageTypeMask`;
 * `userDataHeader` is a single bit.
 */
export const esmClass = {
  messageTypeMask: 0x3c,
  smscDeliveryReceipt: 0x04,
  intermediateNotification: 0x20,
  userDataHeader: 0x40,
} as const;

export const dataCoding = { smscDefault: 0x00, ucs2: 0x08 } as const;

/** registered_delivery, SMPP 3.4 §5.2.17. */
export const registeredDelivery = {
  finalReceipt: 0x01,
  failureReceipt: 0x02,
  receiptMask: 0x03,
} as const;

interface MessageState {
  readonly code: number;
  /** Of Appendix B first; then the names of §5.2.28, which some SMSCs write instead. */
  readonly words: readonly [string, ...string[]];
  /** Of a final state. */
  readonly outcome?: "delivered" | "undelivered";
}

/** message_state (§5.2.28); 0 and 9 are those of SMPP 5.0. */
export const messageStates: readonly MessageState[] = [
  { code: 0, words: ["SCHEDULED"] },
  { code: 1, words: ["ENROUTE"] },
  { code: 2, words: ["DELIVRD", "DELIVERED"], outcome: "delivered" },
  { code: 3, words: ["EXPIRED"], outcome: "undelivered" },
  { code: 4, words: ["DELETED"], outcome: "undelivered" },
  { code: 5, words: ["UNDELIV", "UNDELIVERABLE"], outcome: "undelivered" },
  { code: 6, words: ["ACCEPTD", "ACCEPTED"] },
  { code: 7, words: ["UNKNOWN"] },
  { code: 8, words: ["REJECTD", "REJECTED"], outcome: "undelivered" },
  { code: 9, words: ["SKIPPED"], outcome: "undelivered" },
];

const statesByName: ReadonlyMap<string, MessageState> = new Map(
  messageStates.flatMap((state) => [...state.words, String(state.code)].map((name) => [name, state] as const)),
);

/** By its number, as digits, or one of its words, in any case. */
export function findMessageState(name: string): MessageState | undefined {
  return statesByName.get(
    name
      .trim()
      .toUpperCase()
      .replace(/^0+(?=\d$)/, ""),
  );
}

/** The message_state of a word; 7 (UNKNOWN) for any other word. */
export function messageStateCode(word: string): number {
  return findMessageState(word)?.code ?? 7;
}

export const tlvTag = {
  dest_addr_subunit: 0x0005,
  dest_network_type: 0x0006,
  dest_bearer_type: 0x0007,
  dest_telematics_id: 0x0008,
  source_addr_subunit: 0x000d,
  source_network_type: 0x000e,
  source_bearer_type: 0x000f,
  source_telematics_id: 0x0010,
  qos_time_to_live: 0x0017,
  payload_type: 0x0019,
  additional_status_info_text: 0x001d,
  receipted_message_id: 0x001e,
  ms_msg_wait_facilities: 0x0030,
  privacy_indicator: 0x0201,
  source_subaddress: 0x0202,
  dest_subaddress: 0x0203,
  user_message_reference: 0x0204,
  user_response_code: 0x0205,
  source_port: 0x020a,
  destination_port: 0x020b,
  sar_msg_ref_num: 0x020c,
  language_indicator: 0x020d,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  sc_interface_version: 0x0210,
  callback_num_pres_ind: 0x0302,
  callback_num_atag: 0x0303,
  number_of_messages: 0x0304,
  callback_num: 0x0381,
  dpf_result: 0x0420,
  set_dpf: 0x0421,
  ms_availability_status: 0x0422,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  delivery_failure_reason: 0x0425,
  more_messages_to_send: 0x0426,
  message_state: 0x0427,
  /** SMPP 5.0 §4.8.4.18: how busy the SMSC is, 0–100. A 5.0 peer may send it in any response. */
  congestion_state: 0x0428,
  ussd_service_op: 0x0501,
  display_time: 0x1201,
  sms_signal: 0x1203,
  ms_validity: 0x1204,
  alert_on_message_delivery: 0x130c,
  its_reply_type: 0x1380,
  its_session_info: 0x1383,
} as const;

/**
 * Minimum and maximum value length of the known optional parameters, SMPP 3.4 §5.3.2. Checked for
 * requests only, without deliver_sm and data_sm.
 */
const tlvLengths: ReadonlyMap<number, readonly [minimum: number, maximum: number]> = new Map([
  [tlvTag.dest_addr_subunit, [1, 1]],
  [tlvTag.dest_network_type, [1, 1]],
  [tlvTag.dest_bearer_type, [1, 1]],
  [tlvTag.dest_telematics_id, [2, 2]],
  [tlvTag.source_addr_subunit, [1, 1]],
  [tlvTag.source_network_type, [1, 1]],
  [tlvTag.source_bearer_type, [1, 1]],
  [tlvTag.source_telematics_id, [1, 2]],
  [tlvTag.qos_time_to_live, [4, 4]],
  [tlvTag.payload_type, [1, 1]],
  [tlvTag.ms_msg_wait_facilities, [1, 1]],
  [tlvTag.privacy_indicator, [1, 1]],
  [tlvTag.user_message_reference, [2, 2]],
  [tlvTag.user_response_code, [1, 1]],
  [tlvTag.source_port, [2, 2]],
  [tlvTag.destination_port, [2, 2]],
  [tlvTag.sar_msg_ref_num, [2, 2]],
  [tlvTag.language_indicator, [1, 1]],
  [tlvTag.sar_total_segments, [1, 1]],
  [tlvTag.sar_segment_seqnum, [1, 1]],
  [tlvTag.sc_interface_version, [1, 1]],
  [tlvTag.callback_num_pres_ind, [1, 1]],
  [tlvTag.number_of_messages, [1, 1]],
  [tlvTag.dpf_result, [1, 1]],
  [tlvTag.set_dpf, [1, 1]],
  [tlvTag.ms_availability_status, [1, 1]],
  [tlvTag.network_error_code, [3, 3]],
  [tlvTag.delivery_failure_reason, [1, 1]],
  [tlvTag.more_messages_to_send, [1, 1]],
  [tlvTag.message_state, [1, 1]],
  [tlvTag.congestion_state, [1, 1]],
  [tlvTag.ussd_service_op, [1, 1]],
  [tlvTag.display_time, [1, 1]],
  [tlvTag.sms_signal, [2, 2]],
  [tlvTag.ms_validity, [1, 1]],
  [tlvTag.alert_on_message_delivery, [0, 1]],
  [tlvTag.its_reply_type, [1, 1]],
  [tlvTag.its_session_info, [2, 2]],
]);

/** Whether a value of the tag may have this many octets. */
export function isTlvLength(tag: number, octets: number): boolean {
  const [minimum, maximum] = tlvLengths.get(tag) ?? [0, 0xffff];
  return octets >= minimum && octets <= maximum;
}

export const interfaceVersion34 = 0x34;

/**
 * Framing limits: the length of a header, and the largest PDU that is accepted. SMPP sets no
 * maximum; message_payload is at most 64 KiB.
 */
export const minimumPduOctets = 16;
export const maximumPduOctets = 65_536;

/** sequence_number runs from 1 to this, SMPP 3.4 §3.2. */
export const maximumSequenceNumber = 0x7fffffff;
