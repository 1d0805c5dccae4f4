import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameDecoder, type FramingLost } from "../../src/smpp/incoming-stream.ts";
import { encodePdu } from "../../src/smpp/pdu-codec.ts";
import { anyPdu, plainSubmitSm } from "./pdu-samples.ts";

function decodeAll(chunks: readonly Buffer[]): { frames: string[]; lost: FramingLost | undefined } {
  const decoder = new FrameDecoder();
  const frames: string[] = [];
  let lost: FramingLost | undefined;
  for (const chunk of chunks) lost = decoder.push(chunk, (frame) => frames.push(frame.toString("hex")));
  return { frames, lost };
}

/** `octets` cut at the given places. */
function cutAt(octets: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (octets.length + 1)))].sort((a, b) => a - b);
  return [...ends, octets.length].map((end, index) => octets.subarray(ends[index - 1] ?? 0, end));
}

describe("FrameDecoder", () => {
  it("is indifferent to how the stream is chopped", () => {
    fc.assert(
      fc.property(
        fc.array(anyPdu, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(5000), { maxLength: 40 }),
        (pdus, cuts) => {
          const frames = pdus.map(encodePdu);
          const { frames: found, lost } = decodeAll(cutAt(Buffer.concat(frames), cuts));
          expect(lost).toBeUndefined();
          expect(found).toEqual(frames.map((frame) => frame.toString("hex")));
        },
      ),
    );
  });

  it("takes single octets", () => {
    const frame = encodePdu(plainSubmitSm);
    const { frames } = decodeAll([...Buffer.concat([frame, frame])].map((octet) => Buffer.from([octet])));
    expect(frames).toEqual([frame.toString("hex"), frame.toString("hex")]);
  });

  it("does not copy a frame that lies whole in a chunk", () => {
    const chunk = encodePdu(plainSubmitSm);
    new FrameDecoder().push(chunk, (frame) => expect(frame.buffer).toBe(chunk.buffer));
  });

  it.each([0, 4, 10, 15, 65_537, 0x48545450, 0xffffffff])(
    "a command_length of %i loses the framing, whole or chopped",
    (length) => {
      const good = encodePdu(plainSubmitSm);
      const bad = Buffer.alloc(32);
      bad.writeUInt32BE(length, 0);
      bad.writeUInt32BE(99, 12);
      const stream = Buffer.concat([good, bad, good]);
      for (const chunks of [[stream], [...stream].map((octet) => Buffer.from([octet]))]) {
        const { frames, lost } = decodeAll(chunks);
        expect(frames).toEqual([good.toString("hex")]);
        expect(lost?.commandLength).toBe(length);
      }
      expect(decodeAll([stream]).lost?.sequenceNumber).toBe(length > 16 ? 99 : 0);
    },
  );

  it("takes the largest PDU that is allowed", () => {
    const frame = Buffer.alloc(65_536);
    frame.writeUInt32BE(65_536, 0);
    expect(decodeAll(cutAt(frame, [1, 3, 5000, 60_000])).frames).toEqual([frame.toString("hex")]);
  });
});
