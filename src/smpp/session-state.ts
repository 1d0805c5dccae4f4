/** Which side may issue which request in which session state: SMPP 3.4 §2.2 and table 2-1. Pure. */
import {
  type BindCommand,
  type NoticePdu,
  type RequestPdu,
  buildResponse,
  type BindPdu,
  type GenericNack,
  type ResponsePdu,
} from "./pdu.ts";
import { commandStatus, interfaceVersion34, responseBit, tlvTag } from "./constants.ts";
import type { DecodedPdu } from "./pdu-codec.ts";
import { layoutOf, layoutOfId } from "./pdu-fields.ts";
import { integerTlv } from "./tlv.ts";

export type SessionRole = "esme" | "smsc";

/**
 * `open`: connected, not bound. `unbinding`: this side has sent unbind and issues nothing more.
 * `unbound`: ended for good.
 */
export type SessionState = "open" | "bound_tx" | "bound_rx" | "bound_trx" | "unbinding" | "unbound";

type Initiated = (RequestPdu | NoticePdu)["command"];
type Rule = Partial<Readonly<Record<SessionRole, readonly SessionState[]>>>;

const bound: readonly SessionState[] = ["bound_tx", "bound_rx", "bound_trx"];
const transmitting: readonly SessionState[] = ["bound_tx", "bound_trx"];
const receiving: readonly SessionState[] = ["bound_rx", "bound_trx"];
const connected: readonly SessionState[] = ["open", ...bound];

const operations: Readonly<Record<Initiated, Rule>> = {
  bind_transmitter: { esme: ["open"] },
  bind_receiver: { esme: ["open"] },
  bind_transceiver: { esme: ["open"] },
  outbind: { smsc: ["open"] },
  unbind: { esme: bound, smsc: bound },
  // 3.4 requires a bound session and 5.0 does not. Answering early does no harm.
  enquire_link: { esme: connected, smsc: connected },
  submit_sm: { esme: transmitting },
  data_sm: { esme: transmitting, smsc: receiving },
  deliver_sm: { smsc: receiving },
  alert_notification: { smsc: receiving },
};

export function mayIssue(issuer: SessionRole, command: Initiated, state: SessionState): boolean {
  return operations[command][issuer]?.includes(state) ?? false;
}

/**
 * Whether a session of this role serves what the peer issues. The peer learns of our unbinding only
 * by our unbind: until it answers, it may issue what it may on a bound session.
 */
export function mayServe(role: SessionRole, command: Initiated, state: SessionState, bind?: BindCommand): boolean {
  const stateOfPeer = state === "unbinding" && bind !== undefined ? stateAfterBind(bind) : state;
  return mayIssue(role === "esme" ? "smsc" : "esme", command, stateOfPeer);
}

export function isBound(state: SessionState): boolean {
  return state === "bound_trx" || state === "bound_tx" || state === "bound_rx";
}

export function stateAfterBind(command: BindCommand): SessionState {
  switch (command) {
    case "bind_transmitter":
      return "bound_tx";
    case "bind_receiver":
      return "bound_rx";
    case "bind_transceiver":
      return "bound_trx";
  }
}

/**
 * The requests that count against the window. All others must get through even if the window is
 * full.
 */
export function takesWindowPlace(command: Initiated): boolean {
  return command === "submit_sm" || command === "deliver_sm" || command === "data_sm";
}

/**
 * The answers that the standard defines without asking the application: unreadable PDUs, requests
 * in the wrong state, lost framing, binds. Pure.
 */

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

interface WrongState {
  readonly role: SessionRole;
  /** Whether a bind was accepted. */
  readonly isBound: boolean;
}

export function answerInWrongState(pdu: RequestPdu | NoticePdu, state: WrongState): ResponsePdu {
  const command_status = statusInWrongState(pdu, state);
  return pdu.command === "outbind" || pdu.command === "alert_notification"
    ? genericNack(pdu.sequence_number, command_status)
    : buildResponse(pdu, { command_status });
}

function statusInWrongState({ command }: RequestPdu | NoticePdu, { role, isBound }: WrongState): number {
  if (isBound && command.startsWith("bind_")) return commandStatus.ESME_RALYBND;
  // A receipt or message before the bind is answered, or on a transmitter: the SMSC must keep it.
  if (role === "esme" && (command === "deliver_sm" || command === "data_sm")) return commandStatus.ESME_RX_T_APPN;
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
