// The frame decoder: however a stream is chopped, the same frames come out of it, and no more
// memory is held than one PDU may have.
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { maximumPduOctets, minimumPduOctets } from "../src/smpp/constants.ts";
import { FrameDecoder } from "../src/smpp/frame-decoder.ts";
import { encodePdu } from "../src/smpp/pdu-codec.ts";
import { anyPdu } from "../test/smpp/pdu-samples.ts";
import { mutateOctets } from "./mutate.ts";
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
export const pduSamples: readonly string[] = [
  ...fc.sample(anyPdu, { numRuns: sampleCount, seed: 1 }).map((pdu) => textOfOctets(encodePdu(pdu))),
  ...readdirSync(captured)
    .sort()
    .filter((name) => name.endsWith(".hex"))
    .map(readCaptured),
];

interface FrameInput {
  readonly [key: string]: string | readonly number[];
  readonly stream: string;
  /** Lengths of the chunks, over and over. */
  readonly chunks: readonly number[];
}

function generateStream(random: Random): string {
  const stream = random.list(1, 6, () => random.pick(pduSamples)).join("");
  return random.chance(0.3) ? stream : mutateOctets(random, stream, random.pick(pduSamples));
}

interface Cut {
  readonly frames: readonly string[];
  readonly lostAt: number | undefined;
}

function cut(stream: Buffer, chunks: readonly number[]): Cut {
  const decoder = new FrameDecoder();
  const frames: string[] = [];
  let lostAt: number | undefined;
  for (let position = 0, turn = 0; position < stream.length; turn += 1) {
    const length = Math.max(1, chunks[turn % chunks.length] ?? stream.length);
    const lost = decoder.push(stream.subarray(position, position + length), (frame) => {
      demand(lostAt === undefined, "a frame came after framing was lost");
      frames.push(textOfOctets(frame));
    });
    lostAt = lost?.commandLength;
    position += length;
  }
  return { frames, lostAt };
}

function check({ stream, chunks }: FrameInput): void {
  const octets = octetsOf(stream);
  const whole = cut(octets, [octets.length]);
  const chopped = cut(octets, chunks);
  demand(JSON.stringify(whole) === JSON.stringify(chopped), "the frames depend on how the stream was chopped");
  demand(stream.startsWith(whole.frames.join("")), "the frames are not the beginning of the stream");
  for (const frame of whole.frames) {
    demand(frame.length >= minimumPduOctets && frame.length <= maximumPduOctets, `a frame of ${frame.length} octets`);
    demand(octetsOf(frame).readUInt32BE(0) === frame.length, "a frame is not as long as it says");
  }
}

export const frameTarget: Target = defineTarget<FrameInput>({
  from: import.meta.url,
  name: "frames",
  title: "SMPP frame decoder: streams of PDUs, spoiled and chopped",
  budgetMs: 10_000,
  growthMegabytes: 16,
  generate: (random) => ({
    stream: generateStream(random),
    chunks: random.list(1, 5, () => random.pick([1, 2, 3, 4, 5, 15, 16, 17, 100, 1000])),
  }),
  open: async () => ({ check, close: async () => undefined }),
  write: ({ stream, chunks }) => `${writeOctets(stream)} // in chunks of ${chunks.join(", ")}`,
});
