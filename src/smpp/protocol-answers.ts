/**
 * The answers that the standard defines without asking the application: unreadable PDUs, requests
 * in the wrong state, lost framing, binds. Pure.
 */

import { commandStatus, interfaceVersion34, responseBit, tlvTag } from "./constants.ts";
import type { DecodedPdu } from "./pdu-codec.ts";
import { layoutOf, layoutOfId } from "./pdu-fields.ts";
import {
  buildResponse,
  type BindPdu,
  type GenericNack,
  type NoticePdu,
  type RequestPdu,
  type ResponsePdu,
} from "./pdu.ts";
import { integerTlv } from "./tlv.ts";

export interface BindAnswer {
  readonly commandStatus: number;
  /** Our system_id, SMPP 3.4 §4.1.2. */
  readonly systemId: string;
}

export interface ProtocolFault {
  readonly reason: string;
  readonly commandId: number;
  readonly sequenceNumber: number;
  /** The answer that was sent; undefined for a response, which is never answered. */
  readonly answered: number | undefined;
}

/**
 * The command's own response with the fault as its status, or generic_nack if it has none (SMPP 3.4
 * §4.3.1).
 */
export function answerUnreadable(decoded: Extract<DecodedPdu, { ok: false }>): ResponsePdu | undefined {
  const { commandId, sequenceNumber: sequence_number, commandStatus: command_status } = decoded;
  // Something that looks like a response is never answered, or two peers could exchange
  // generic_nacks forever.
  if ((commandId & responseBit) !== 0) return undefined;
  const layout = layoutOfId(commandId);
  if (layout === undefined || layoutOfId(commandId | responseBit) === undefined) {
    return genericNack(sequence_number, command_status);
  }
  // Any command that has a response is one of RequestPdu.
  return buildResponse({ command: layout.command as RequestPdu["command"], sequence_number }, { command_status });
}

export function answerInWrongState(pdu: RequestPdu | NoticePdu, isBound: boolean): ResponsePdu {
  const command_status = statusInWrongState(pdu, isBound);
  return pdu.command === "outbind" || pdu.command === "alert_notification"
    ? genericNack(pdu.sequence_number, command_status)
    : buildResponse(pdu, { command_status });
}

function statusInWrongState({ command }: RequestPdu | NoticePdu, isBound: boolean): number {
  if (isBound && command.startsWith("bind_")) return commandStatus.ESME_RALYBND;
  // A receipt or message that comes before the bind is answered: the SMSC must keep it.
  if (!isBound && command === "deliver_sm") return commandStatus.ESME_RX_T_APPN;
  return commandStatus.ESME_RINVBNDSTS;
}

export function answerBind(
  pdu: BindPdu,
  { commandStatus: command_status, systemId: system_id }: BindAnswer,
): ResponsePdu {
  const tlvs =
    command_status === commandStatus.ESME_ROK ? [integerTlv(tlvTag.sc_interface_version, interfaceVersion34)] : [];
  return buildResponse(pdu, { command_status, system_id, tlvs });
}

export function genericNack(sequence_number: number, command_status: number): GenericNack {
  return { command: "generic_nack", command_status, sequence_number, tlvs: [] };
}

/** `answered`: the command_status that was sent to the peer. */
export function describeFault(
  reason: string,
  pdu: RequestPdu | NoticePdu | ResponsePdu | Extract<DecodedPdu, { ok: false }>,
  answered: number | undefined,
): ProtocolFault {
  const commandId = "commandId" in pdu ? pdu.commandId : layoutOf(pdu.command).commandId;
  const sequenceNumber = "sequenceNumber" in pdu ? pdu.sequenceNumber : pdu.sequence_number;
  return { reason, commandId, sequenceNumber, answered };
}
