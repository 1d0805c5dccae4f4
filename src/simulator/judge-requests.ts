/** What the simulated SMSC refuses, by its options. Pure. */

import { commandStatus } from "../smpp/constants.ts";
import type { BindPdu, DataSm, SubmitSm } from "../smpp/pdu.ts";
import { addressOctets } from "../smpp/pdu-fields.ts";
import { tlvValue } from "../smpp/tlv.ts";
import type { SimulatedSmscOptions } from "./simulator-options.ts";

const { ESME_ROK, ESME_RINVSYSID, ESME_RINVPASWD, ESME_RALYBND } = commandStatus;
const { ESME_RINVSRCADR, ESME_RINVDSTADR, ESME_RMISSINGOPTPARAM } = commandStatus;

/** `bound`: how many binds there are. */
export function judgeBind(
  bind: BindPdu,
  { systemId, password, maxBinds = Infinity }: Pick<SimulatedSmscOptions, "systemId" | "password" | "maxBinds">,
  bound: number,
): number {
  if (systemId !== undefined && bind.system_id !== systemId) return ESME_RINVSYSID;
  if (password !== undefined && bind.password !== password) return ESME_RINVPASWD;
  return bound >= maxBinds ? ESME_RALYBND : ESME_ROK;
}

/**
 * The command_status for a message without a parameter that is required, or whose addresses do not
 * fit in a receipt: data_sm may have longer ones than deliver_sm (SMPP 3.4 §4.6.1, §4.7.1).
 */
export function judgeSubmit(pdu: SubmitSm | DataSm, requiredTlvs: readonly number[] = []): number {
  if (requiredTlvs.some((tag) => tlvValue(pdu.tlvs, tag) === undefined)) return ESME_RMISSINGOPTPARAM;
  if (pdu.source_addr.length >= addressOctets) return ESME_RINVSRCADR;
  return pdu.destination_addr.length >= addressOctets ? ESME_RINVDSTADR : ESME_ROK;
}
