import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { msisdnAt, lowsIn, blockSize } from "../../src/sms/number-blocks.ts";
import { type NumberFile, readPortedNumbers } from "../../src/setup/number-file.ts";

const operators = ["MCI", "Irancell", "Com, pany"];

async function* chunksOf(octets: Buffer, cuts: readonly number[] = []): AsyncGenerator<Buffer> {
  let from = 0;
  for (const to of [...cuts.toSorted((one, other) => one - other), octets.length]) {
    if (to <= from) continue;
    yield Promise.resolve(octets.subarray(from, to));
    from = to;
  }
}

const read = (text: string | Buffer, isChanges = false, cuts: readonly number[] = []): Promise<NumberFile> =>
  readPortedNumbers(chunksOf(Buffer.from(text), cuts), { operators, isChanges });

function numbersOf({ numbers }: NumberFile): Record<string, string> {
  const all = numbers
    .givenBlocks()
    .flatMap((block) =>
      numbers
        .pack(block)
        .flatMap(({ value, numbers: packed }) =>
          [...lowsIn(packed)].map((low) => [msisdnAt(block * blockSize + low), operators[value - 1] ?? "?"] as const),
        ),
    );
  return Object.fromEntries(all);
}

describe("a file of ported numbers", () => {
  it("takes any form of a number, quotes, both line ends, a header, empty lines, and a byte order mark", async () => {
    const file = await read(
      '\uFEFFnumber,operator\r\n09121112201,MCI\r\n+989121112202, Irancell \n\n00989121112203,"MCI"\n' +
        '"989121112204","Com, pany"\n9121112205,MCI\n۰۹۱۲ ۱۱۱ ۲۲۰۶,MCI\n0912-111-2207,MCI',
    );
    expect(file.bad).toEqual({ count: 0, first: [] });
    expect(file.hasHeader).toBe(true);
    expect(numbersOf(file)).toEqual({
      989121112201: "MCI",
      989121112202: "Irancell",
      989121112203: "MCI",
      989121112204: "Com, pany",
      989121112205: "MCI",
      989121112206: "MCI",
      989121112207: "MCI",
    });
  });

  it("tells what is wrong, with the number of its line, and reads the others", async () => {
    const file = await read(
      [
        "09121112201,MCI",
        "02188776655,MCI",
        "09121112202,Nobody",
        "09121112203",
        "09121112204,MCI,x",
        "x\u0000,MCI",
      ].join("\n") + `\n09121112205,MCI${" ".repeat(2000)}\n"09121112206,MCI\n09121112207,Irancell\nnumber,operator\n`,
    );
    expect(file.bad).toEqual({
      count: 8,
      first: [
        'line 2: "02188776655" is not a mobile number',
        'line 3: there is no operator "Nobody"',
        "line 4: has no operator",
        "line 5: has more than two columns",
        'line 6: "x\\u0000" is not a mobile number',
        "line 7: is longer than 1000 characters",
        'line 8: "\\"09121112206,MCI" is not a mobile number',
        'line 10: "number" is not a mobile number',
      ],
    });
    expect(numbersOf(file)).toEqual({ 989121112201: "MCI", 989121112207: "Irancell" });
  });

  it("of changes, may have numbers without an operator", async () => {
    const file = await read("09121112201\n09121112202,\n09121112203,MCI\n", true);
    expect(file.bad.count).toBe(0);
    expect(file.numbers.size).toBe(3);
    expect(numbersOf(file)).toEqual({ 989121112203: "MCI" });
  });

  it("of many wrong lines tells the first 20 and counts the others", async () => {
    const file = await read("x,MCI\n".repeat(100_000));
    expect(file.bad.count).toBe(100_000);
    expect(file.bad.first).toHaveLength(20);
  });

  it("without line ends is one line that is too long, whatever its size", async () => {
    const piece = Buffer.alloc(1_048_576, "9");
    const endless = (async function* () {
      for (let index = 0; index < 64; index += 1) yield Promise.resolve(piece);
    })();
    const file = await readPortedNumbers(endless, { operators, isChanges: false });
    expect(file.bad).toEqual({ count: 1, first: ["line 1: is longer than 1000 characters"] });
  });

  it("reads the same wherever its octets are cut", async () => {
    const text = Buffer.from('۰۹۱۲۱۱۱۲۲۰۱,MCI\r\n09121112202,"Com, pany"\nbad\n989121112203,Irancell');
    const whole = await read(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 8 }), async (cuts) => {
        const cut = await read(text, false, cuts);
        expect(cut.bad).toEqual(whole.bad);
        expect(numbersOf(cut)).toEqual(numbersOf(whole));
      }),
    );
  });
});
