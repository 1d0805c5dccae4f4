/** Builds the PDU of a message from a subscriber. Pure. */

import { encodeText } from "../sms/data-coding.ts";
import { packSeptets } from "../sms/gsm7.ts";
import { chooseEncoding } from "../sms/text-kind.ts";
import { dataCoding, npi, ton } from "../smpp/constants.ts";
import { type Address, buildMobileOriginated, type OutgoingDelivery } from "./receipts.ts";
import type { MobileOriginatedOptions, SimulatedSmscOptions } from "./simulator-options.ts";

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
