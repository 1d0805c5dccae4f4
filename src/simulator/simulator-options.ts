/** The options of the simulated SMSC, and the events it emits. Types only. */

import type { BindPdu } from "../smpp/pdu.ts";
import type { CloseReason } from "../smpp/session-options.ts";
import type { SmppSession } from "../smpp/session.ts";
import type { Behaviour, WrittenIdFormat } from "./behaviours.ts";
import type { SubmittedMessage } from "./submitted-message.ts";
import { encodeText } from "../sms/data-coding.ts";
import { packSeptets } from "../sms/gsm7.ts";
import { chooseEncoding } from "../sms/text-kind.ts";
import { dataCoding, npi, ton } from "../smpp/constants.ts";
import { type Address, buildMobileOriginated, type OutgoingDelivery } from "./receipts.ts";

export interface SimulatedSmscOptions {
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
  /** The system_id in bind responses. */
  readonly name?: string;
  /** Required credentials; absent: any. */
  readonly systemId?: string;
  readonly password?: string;
  /** Replaces the whole table; [] delivers everything. */
  readonly behaviours?: readonly Behaviour[];
  readonly submitDelayMs?: number;
  readonly receiptDelayMs?: number;
  /** The delay of a late answer. It must exceed the response timeout of the other side. */
  readonly lateAnswerMs?: number;
  /** Delay before a receipt is sent again after a temporary error or without an answer. */
  readonly retryDelayMs?: number;
  readonly responseTimeoutMs?: number;
  readonly messageIdFormat?: WrittenIdFormat;
  /**
   * First message id, as a number. By default derived from the clock, so that a restarted SMSC does
   * not repeat ids.
   */
  readonly firstMessageId?: number;
  /** Above this rate, submit_sm get ESME_RTHROTTLED; 0: no limit. */
  readonly submitsPerSecond?: number;
  /** Maximum number of deliver_sm in flight per bind. */
  readonly window?: number;
  readonly enquireLinkSeconds?: number;
  /** Tags without which a submit_sm gets ESME_RMISSINGOPTPARAM. */
  readonly requiredTlvs?: readonly number[];
  /** A PDU that goes out in a segment of its own, 50 ms before the answer to each bind. */
  readonly early?: Buffer;
  /** Texts in the GSM alphabet are packed septets, in both directions. */
  readonly packed?: boolean;
  /** How many of the latest messages `submitted` has. */
  readonly memory?: number;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
}

export interface SimulatedSmscEvents {
  bind: [bind: BindPdu];
  bindRefused: [bind: BindPdu];
  unbind: [link: { readonly systemId: string; readonly reason: CloseReason }];
  submit: [message: SubmittedMessage, session: SmppSession];
  /** Acknowledged, refused permanently (see `commandStatus`), or given up (undefined). */
  receiptAnswered: [
    receipt: { readonly message: SubmittedMessage; readonly state: string; readonly commandStatus: number | undefined },
  ];
  moAnswered: [mo: { readonly text: string; readonly commandStatus: number | undefined }];
}

export interface MobileOriginatedOptions {
  readonly from: string;
  /** The line that receives it. */
  readonly to: string;
  readonly text?: string;
  /** Instead of text: raw octets with their `dataCoding`. */
  readonly bytes?: Buffer;
  readonly dataCoding?: number;
  /** User data header, including its length octet. */
  readonly udh?: Buffer;
  /** The account to deliver to; default: any that is bound. */
  readonly systemId?: string;
  /** Which of its receiving binds, in the order of their binding; default: the first. */
  readonly bind?: number;
}

export interface Counters {
  readonly submits: number;
  readonly accepted: number;
  readonly refused: number;
  readonly receiptsAcknowledged: number;
  readonly receiptsWaiting: number;
}

/** Builds the PDU of a message from a subscriber. Pure. */

export function mobileOriginated(
  options: MobileOriginatedOptions,
  { packed = false }: Pick<SimulatedSmscOptions, "packed"> = {},
): OutgoingDelivery {
  const { from, to, text = "", udh } = options;
  const encoding = chooseEncoding(text);
  const octets = encodeText(text, encoding);
  const body = options.bytes ?? (packed && encoding === "gsm7" ? packSeptets(octets, udh?.length) : octets);
  return buildMobileOriginated({
    from: address(from),
    to: address(to),
    dataCoding: options.dataCoding ?? (encoding === "ucs2" ? dataCoding.ucs2 : dataCoding.smscDefault),
    userData: udh === undefined ? body : Buffer.concat([udh, body]),
    hasUserDataHeader: udh !== undefined,
  });
}

function address(text: string): Address {
  const isInternational = text.length >= 11;
  return { ton: isInternational ? ton.international : ton.unknown, npi: npi.isdn, address: text };
}
