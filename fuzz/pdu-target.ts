// The PDU decoder: bad octets give a value and never an exception, and what was read means the same
// when it is written and read again.
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { commandStatusName, maximumPduOctets } from "../src/smpp/constants.ts";
import { decodePdu, encodePdu } from "../src/smpp/pdu-codec.ts";
import { isResponse, type Pdu } from "../src/smpp/pdu.ts";
import { anyPdu } from "../test/smpp/pdu-samples.ts";
import { mutateOctets, withTrueLength } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, type Target } from "./target.ts";
import { octetsOf, textOfOctets, writeOctets } from "./value.ts";

const sampleCount = 400;

const captured = new URL("../test/fixtures/pdus/", import.meta.url);

function readCaptured(name: string): string {
  const [hex = ""] = readFileSync(new URL(name, captured), "utf8").split("\n---\n");
  return textOfOctets(Buffer.from(hex.replace(/#.*$/gm, "").replace(/\s/g, ""), "hex"));
}

/**
 * Octets of PDUs of every command, made by the grammar of the field tables or captured from others;
 * the same in every run.
 */
const pduSamples: readonly string[] = [
  ...fc.sample(anyPdu, { numRuns: sampleCount, seed: 1 }).map((pdu) => textOfOctets(encodePdu(pdu))),
  ...readdirSync(captured)
    .sort()
    .filter((name) => name.endsWith(".hex"))
    .map(readCaptured),
];

const headerOctets = 16;

/** Mostly with a command_length that is true, so that the body is looked at. */
export function spoiledPdu(random: Random): string {
  const sample = random.pick(pduSamples);
  if (random.chance(0.05)) return sample;
  const spoiled = random.chance(0.7)
    ? sample.slice(0, headerOctets) + mutateOctets(random, sample.slice(headerOctets), random.pick(pduSamples))
    : mutateOctets(random, sample, random.pick(pduSamples));
  return random.chance(0.9) ? withTrueLength(spoiled) : spoiled;
}

function check(frame: string): void {
  const octets = octetsOf(frame);
  const decoded = decodePdu(octets);
  if (!decoded.ok) {
    demand(decoded.commandStatus !== 0, "a bad PDU would be answered with ESME_ROK");
    demand(commandStatusName(decoded.commandStatus).startsWith("ESME_R"), "a status that is not in the standard");
    return;
  }
  const { pdu } = decoded;
  for (const [name, value] of Object.entries(pdu)) demand(value !== undefined, `${name} is undefined`);
  // A response is read whatever it lacks or exceeds, so that not every one can be written again.
  if (isResponse(pdu)) return;
  checkSecondReading(pdu, octets);
}

function checkSecondReading(pdu: Pdu, octets: Buffer): void {
  if (octets.length > maximumPduOctets) return;
  const again = decodePdu(encodePdu(pdu));
  demand(again.ok, "what was read cannot be read when it is written again");
  demand(show(again.pdu) === show(pdu), "what was read reads otherwise when it is written again");
}

function show(pdu: Pdu): string {
  return JSON.stringify(pdu, (_, value: unknown) => (Buffer.isBuffer(value) ? value.toString("hex") : value));
}

export const pduTarget: Target = defineTarget<string>({
  from: import.meta.url,
  name: "pdus",
  title: "SMPP PDU decoder: PDUs of all 27 commands, spoiled",
  budgetMs: 10_000,
  growthMegabytes: 16,
  generate: spoiledPdu,
  open: async () => ({ check, close: async () => undefined }),
  write: writeOctets,
});
