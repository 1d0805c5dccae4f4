// Octets that no SMSC should ever send: known kinds, and as many more made at random.

/**
 * Sequence numbers that nothing of the gateway's has: what it answers is about the garbage alone.
 */
const knownKinds = [
  // A length beyond reason; a PDU of an unknown command; a truncated deliver_sm.
  "7fffffff00000005000000007ffffff1",
  "00000010000001ff000000007ffffff2",
  "0000001100000005000000007ffffff3ff",
];
const deliverSm = 0x0000_0005;
const dataSm = 0x0000_0103;
const submitSmResponse = 0x8000_0004;
const lastSequence = 0x7fff_ff00;

/** So many pieces of garbage, repeatable for the same random numbers in [0, 1). */
export function insults(random: () => number, count: number): readonly Buffer[] {
  const known = knownKinds.map((hex) => Buffer.from(hex, "hex"));
  const more = Array.from({ length: Math.max(1, count - known.length) }, (_, index) => randomKind(random, index));
  return [...known, ...more].slice(0, count);
}

function randomKind(random: () => number, index: number): Buffer {
  const octets = Buffer.from(Array.from({ length: 16 + Math.floor(random() * 240) }, () => Math.floor(random() * 256)));
  // Every other one is framed well, so that it gets past the frame decoder and is refused further
  // inside.
  if (index % 2 === 0) return octets;
  const command = [deliverSm, dataSm, submitSmResponse][Math.floor(random() * 3)] ?? deliverSm;
  octets.writeUInt32BE(octets.length, 0);
  octets.writeUInt32BE(command, 4);
  octets.writeUInt32BE(0, 8);
  octets.writeUInt32BE(lastSequence + index, 12);
  return octets;
}
