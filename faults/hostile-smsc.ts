// An SMSC that means harm: it floods the bound session with deliver_sm as fast as the socket takes
// them, and answers only enquiries.
import { tlvTag } from "../src/smpp/constants.ts";
import { encodePdu } from "../src/smpp/pdu-codec.ts";
import type { DeliverSm } from "../src/smpp/pdu.ts";
import { plainSubmitSm } from "../test/smpp/pdu-samples.ts";
import type { RawPeer } from "../test/smpp/raw-peer.ts";
import { holdsWithin } from "./look.ts";

export interface FloodAnswers {
  /** deliver_sm answered ESME_ROK. */
  readonly taken: number;
  /** Answered with an error. */
  readonly refused: number;
}

/**
 * Writes all of them, and waits until each has its answer, the link is gone, or the time is over.
 */
export async function flood(peer: RawPeer, deliveries: readonly Buffer[], deadlineMs: number): Promise<FloodAnswers> {
  const { socket, received } = peer;
  let [taken, refused] = [0, 0];
  socket.on("data", () => {
    for (const pdu of received.splice(0)) {
      if (pdu.command === "enquire_link") peer.answer(pdu);
      if (pdu.command !== "deliver_sm_resp") continue;
      if (pdu.command_status === 0) taken += 1;
      else refused += 1;
    }
  });
  for (const octets of deliveries) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => socket.write(octets, () => resolve()));
  }
  await holdsWithin(deadlineMs, () => taken + refused >= deliveries.length || socket.destroyed);
  return { taken, refused };
}

const deliverSm: DeliverSm = {
  ...plainSubmitSm,
  command: "deliver_sm",
  source_addr: "989121234567",
  destination_addr: "10001234",
  registered_delivery: 0,
  short_message: Buffer.alloc(0),
};

/** A tag of the vendors' range, which means nothing. */
const vendorTag = 0x1500;

/** Messages of one word, each with so many TLVs that hold nothing. */
export function manyTlvs(count: number, tlvs: number): readonly Buffer[] {
  const empty = Array.from({ length: tlvs }, () => ({ tag: vendorTag, value: Buffer.alloc(0) }));
  return numbered(count, (number) => ({ short_message: Buffer.from(`tlvs ${number}`), tlvs: empty }));
}

/** Messages whose text is a message_payload of so many octets. */
export function longPayloads(count: number, octets: number): readonly Buffer[] {
  return numbered(count, (number) => {
    const value = Buffer.alloc(octets, `payload ${number} `);
    return { tlvs: [{ tag: tlvTag.message_payload, value }] };
  });
}

function numbered(count: number, fields: (number: number) => Partial<DeliverSm>): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    encodePdu({ ...deliverSm, sequence_number: index + 1, ...fields(index + 1) }),
  );
}
