/**
 * Which plan a message gets, by the ending of its recipient. Counts how often a text arrived, so that
 * "once" means the first attempt only. Also what the simulated SMSC refuses, by its options.
 */
import { behaviours, deliveredPlan, suffixDigits, type Behaviour, type SubmitPlan } from "./behaviours.ts";
import type { SubmittedMessage } from "./submitted-message.ts";
import { commandStatus } from "../smpp/constants.ts";
import type { BindPdu, DataSm, SubmitSm } from "../smpp/pdu.ts";
import { addressOctets } from "../smpp/pdu-fields.ts";
import { tlvValue } from "../smpp/tlv.ts";
import type { SimulatedSmscOptions } from "./simulator-options.ts";

const rememberedTexts = 100_000;

export class BehaviourChoice {
  readonly #bySuffix: ReadonlyMap<string, Behaviour>;
  readonly #attempts = new Map<string, number>();

  constructor(table: readonly Behaviour[] = behaviours) {
    this.#bySuffix = new Map(table.map((behaviour) => [behaviour.suffix, behaviour]));
  }

  /** Counts an attempt and records it in the message. */
  planFor(message: SubmittedMessage): SubmitPlan {
    const behaviour = this.#bySuffix.get(message.recipient.address.slice(-suffixDigits));
    if (behaviour === undefined) return deliveredPlan;
    const { number: part, total: parts } = message.part;
    const key = `${message.recipient.address} ${part} ${message.text}`;
    if (this.#attempts.size >= rememberedTexts) this.#attempts.clear();
    message.attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, message.attempt);
    return behaviour.plan({ attempt: message.attempt, part, parts });
  }
}

const { ESME_ROK, ESME_RINVSYSID, ESME_RINVPASWD } = commandStatus;
const { ESME_RINVSRCADR, ESME_RINVDSTADR, ESME_RMISSINGOPTPARAM } = commandStatus;

export function decideBind(
  bind: BindPdu,
  { systemId, password }: Pick<SimulatedSmscOptions, "systemId" | "password">,
): number {
  if (systemId !== undefined && bind.system_id !== systemId) return ESME_RINVSYSID;
  return password !== undefined && bind.password !== password ? ESME_RINVPASWD : ESME_ROK;
}

/**
 * The command_status for a message without a parameter that is required, or whose addresses do not
 * fit in a receipt: data_sm may have longer ones than deliver_sm (SMPP 3.4 §4.6.1, §4.7.1).
 */
export function decideSubmit(pdu: SubmitSm | DataSm, requiredTlvs: readonly number[] = []): number {
  if (requiredTlvs.some((tag) => tlvValue(pdu.tlvs, tag) === undefined)) return ESME_RMISSINGOPTPARAM;
  if (pdu.source_addr.length >= addressOctets) return ESME_RINVSRCADR;
  return pdu.destination_addr.length >= addressOctets ? ESME_RINVDSTADR : ESME_ROK;
}
