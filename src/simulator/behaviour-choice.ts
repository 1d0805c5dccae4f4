/**
 * Which plan a message gets: by the ending of its recipient, else at random if faults are drawn.
 * Counts how often a text arrived, so that "once" means the first attempt only.
 */
import { behaviours, deliveredPlan, suffixDigits, type Behaviour, type SubmitPlan } from "./behaviours.ts";
import type { SubmittedMessage } from "./submitted-message.ts";
import { commandStatus } from "../smpp/constants.ts";
import type { BindPdu, DataSm, SubmitSm } from "../smpp/pdu.ts";
import { addressOctets } from "../smpp/pdu-fields.ts";
import { tlvValue } from "../smpp/tlv.ts";
import type { SimulatedSmscOptions } from "./simulator-options.ts";

/** Reproducible numbers in [0, 1) from a 32-bit seed (mulberry32). */

export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Behaviours that may be drawn: faults with a clear end that do not cut a link that other messages
 * share.
 */
const drawable: ReadonlySet<string> = new Set([
  "undelivered",
  "expired",
  "refused",
  "throttled-once",
  "queue-full-once",
  "late-receipt",
  "duplicate-receipt",
  "receipt-first",
  "receipt-short-text",
]);

const rememberedTexts = 100_000;

export class BehaviourChoice {
  readonly #bySuffix: ReadonlyMap<string, Behaviour>;
  readonly #drawable: readonly Behaviour[];
  readonly #faultShare: number;
  readonly #random: () => number;
  readonly #attempts = new Map<string, { count: number; readonly drawn: Behaviour | undefined }>();

  constructor(options: { table?: readonly Behaviour[]; faultShare?: number; seed?: number }) {
    const { table = behaviours, faultShare = 0, seed = 1 } = options;
    this.#bySuffix = new Map(table.map((behaviour) => [behaviour.suffix, behaviour]));
    this.#drawable = table.filter(({ name }) => drawable.has(name));
    this.#faultShare = faultShare;
    this.#random = randomNumbers(seed);
  }

  /** Counts an attempt and records it in the message. */
  planFor(message: SubmittedMessage): SubmitPlan {
    const scripted = this.#bySuffix.get(message.recipient.address.slice(-suffixDigits));
    if (scripted === undefined && this.#faultShare === 0) return deliveredPlan;
    const { number: part, total: parts } = message.part;
    const remembered = this.#remember(`${message.recipient.address} ${part} ${message.text}`);
    message.attempt = remembered.count;
    const behaviour = scripted ?? remembered.drawn;
    return behaviour?.plan({ attempt: remembered.count, part, parts }) ?? deliveredPlan;
  }

  #remember(key: string): { readonly count: number; readonly drawn: Behaviour | undefined } {
    const known = this.#attempts.get(key);
    if (known !== undefined) {
      known.count += 1;
      return known;
    }
    if (this.#attempts.size >= rememberedTexts) this.#attempts.clear();
    const first = { count: 1, drawn: this.#draw() };
    this.#attempts.set(key, first);
    return first;
  }

  #draw(): Behaviour | undefined {
    if (this.#random() >= this.#faultShare) return undefined;
    return this.#drawable[Math.floor(this.#random() * this.#drawable.length)];
  }
}

/** What the simulated SMSC refuses, by its options. Pure. */

const { ESME_ROK, ESME_RINVSYSID, ESME_RINVPASWD, ESME_RALYBND } = commandStatus;
const { ESME_RINVSRCADR, ESME_RINVDSTADR, ESME_RMISSINGOPTPARAM } = commandStatus;

/** `bound`: how many binds there are. */
export function decideBind(
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
export function decideSubmit(pdu: SubmitSm | DataSm, requiredTlvs: readonly number[] = []): number {
  if (requiredTlvs.some((tag) => tlvValue(pdu.tlvs, tag) === undefined)) return ESME_RMISSINGOPTPARAM;
  if (pdu.source_addr.length >= addressOctets) return ESME_RINVSRCADR;
  return pdu.destination_addr.length >= addressOctets ? ESME_RINVDSTADR : ESME_ROK;
}
