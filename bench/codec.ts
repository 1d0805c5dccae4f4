/**
 * submit_sm encoded and decoded per second on one core, beside the npm package `smpp` doing the
 * same. Run: npx tsx bench/codec.ts
 */

import smpp from "smpp";
import { decodePdu, encodePdu } from "../src/smpp/pdu-codec.ts";
import type { SubmitSm } from "../src/smpp/pdu.ts";
import { plainSubmitSm } from "../test/smpp/pdu-samples.ts";

const rounds = 5;
const secondsPerRound = 1;

const submitSm: SubmitSm = {
  ...plainSubmitSm,
  validity_period: "000001000000000R",
  data_coding: 8,
  short_message: Buffer.from("کد ورود شما: 123456", "utf16le").swap16(),
};

/**
 * Best of several rounds: the machine may be busy with other things, the code is not faster than it
 * is.
 */
function bestPerSecond(encodeAndDecode: (sequenceNumber: number) => number): number {
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const until = startedAt + secondsPerRound * 1000;
    let count = 0;
    while (performance.now() < until) {
      for (let index = 0; index < 1000; index += 1, count += 1) {
        if (encodeAndDecode(count) !== count) throw new Error("a PDU did not survive the round trip");
      }
    }
    best = Math.max(best, (count * 1000) / (performance.now() - startedAt));
  }
  return Math.round(best);
}

function own(sequence_number: number): number {
  const decoded = decodePdu(encodePdu({ ...submitSm, sequence_number }));
  return decoded.ok ? decoded.pdu.sequence_number : -1;
}

function foreign(sequence_number: number): number {
  const pdu = new smpp.PDU("submit_sm", { ...submitSm, sequence_number, tlvs: undefined });
  return smpp.PDU.fromBuffer(pdu.toBuffer()).sequence_number;
}

const ownRate = bestPerSecond(own);
const foreignRate = bestPerSecond(foreign);
console.log(
  `codec: ${ownRate} submit_sm/s encoded and decoded on one core (Node ${process.version}); ` +
    `npm smpp: ${foreignRate}/s; ratio ${(ownRate / foreignRate).toFixed(1)}`,
);
