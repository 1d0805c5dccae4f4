import { describe, expect, it } from "vitest";
import { msisdnAt, lowsIn, blockSize } from "../../src/sms/number-blocks.ts";
import { distinctNumbers, type NumberFile, readNumberFile, readPortedNumbers } from "../../src/setup/import-numbers.ts";

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
  readPortedNumbers({ chunks: chunksOf(Buffer.from(text), cuts) }, { operators, isChanges });

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

  it("tells what is wrong, with its row and column, and reads the others", async () => {
    const file = await read(
      [
        "09121112201,MCI",
        "02188776655,MCI",
        "09121112202,Nobody",
        "",
        "09121112203",
        "09121112204,MCI,x",
        "x\u0001,MCI",
        "9.12111E+09,MCI",
        '"09121112206,MCI',
        "09121112207,Irancell",
        "number,operator",
      ].join("\n"),
    );
    expect(file.bad).toEqual({
      count: 6,
      first: [
        'row 2, column 1: "02188776655" is not a mobile number',
        'row 3, column 2: there is no operator "Nobody"',
        "row 5, column 2: there is no operator",
        'row 7, column 1: "x\\u0001" is not a mobile number',
        'row 8, column 1: the spreadsheet cut this number: "9.12111E+09"',
        'row 11, column 1: "number" is not a mobile number',
      ],
    });
    // A quote that is never closed takes no further rows along.
    expect(numbersOf(file)).toEqual({
      989121112201: "MCI",
      989121112204: "MCI",
      989121112206: "MCI",
      989121112207: "Irancell",
    });
  });

  it("with several columns is read from those that hold numbers and operators", async () => {
    const file = await read("نام;شبکه;شماره\nسارا;MCI;09121112201\nعلی;Irancell;'+989351112202\n");
    expect(file.bad.count).toBe(0);
    expect(numbersOf(file)).toEqual({ 989121112201: "MCI", 989351112202: "Irancell" });
  });

  it("with operators in two columns takes neither", async () => {
    const file = await read("number,from,to\n09121112201,MCI,Irancell\n09121112202,MCI,\n09121112203,,MCI\n", true);
    expect(file.bad).toEqual({
      count: 2,
      first: ["row 2, column 3: is a second operator", "row 4, column 3: is a second operator"],
    });
    expect(numbersOf(file)).toEqual({ 989121112202: "MCI" });
    expect(await read("09121112201;MCI;MCI", true)).toMatchObject({ bad: { count: 1 } });
  });

  it("of changes, may have numbers without an operator", async () => {
    const file = await read("09121112201\n09121112202,\n09121112203,MCI\n", true);
    expect(file.bad.count).toBe(0);
    expect(file.numbers.size).toBe(3);
    expect(numbersOf(file)).toEqual({ 989121112203: "MCI" });
  });

  it("without line ends is refused, whatever its size", async () => {
    const piece = Buffer.alloc(1_048_576, "9");
    let pieces = 0;
    const endless = (async function* () {
      for (; pieces < 64; pieces += 1) yield Promise.resolve(piece);
    })();
    await expect(readPortedNumbers({ chunks: endless }, { operators, isChanges: false })).rejects.toMatchObject({
      fault: "cellTooLong",
    });
    expect(pieces).toBeLessThan(3);
  });
});

describe("a list of numbers", () => {
  const list = (text: string | Buffer) => readNumberFile({ chunks: chunksOf(Buffer.from(text)) });
  const numbersIn = async (text: string | Buffer) => [...distinctNumbers((await list(text)).numbers)];

  it.each([
    ["one in a line", "09121234567\n09351234567\n"],
    ["semicolons, and commas in the texts", "09121234567;سلام, خوبی؟\n09351234567;1,200\n"],
    ["the separator given", 'sep=;\r\n09121234567;a\r\n"09351234567";b'],
    ["an odd separator given", "sep=^\n09121234567^a,b\n09351234567^c"],
    ["a heading, other columns and blank lines", "\ufeffname\tmobile\n\nSara\t9121234567\n\t\nAli\t0935 123 4567\n"],
    ["a bar", "09121234567|a;b\r09351234567|c,d,e"],
    ["Persian commas", "سارا،۰۹۱۲۱۲۳۴۵۶۷\nعلی،۰۹۳۵۱۲۳۴۵۶۷"],
    ["forms of spreadsheets", `="09121234567";x\n'09351234567;y\n9.89121234567E+11;z`],
    ["our own messages.csv", '\ufeffrecipientNumber,content\r\n\'+989121234567,"a\nb"\r\n09351234567,\r\n'],
    ["blanks before quotes", '"Sara", "09121234567"\n"Ali", "09351234567"'],
  ])("is read: %s", async (_, text) => {
    const { bad } = await list(text);
    expect(bad).toEqual({ count: 0, first: [] });
    expect(await numbersIn(text)).toEqual(["989121234567", "989351234567"]);
  });

  it("with more than one number in a row loses none of them silently", async () => {
    const { bad } = await list("09121234567,09351234567\n09121234567\n");
    expect(bad).toEqual({ count: 1, first: ["row 1, column 2: is a second number"] });
  });

  it.each(["091-212-345", "091 212 3456", "***", "1"])("lists a first row that is wrong: %s", async (first) => {
    const { bad } = await list(`${first}\n09121234567\n`);
    expect(bad).toMatchObject({ count: 1, first: [expect.stringMatching(/^row 1, column 1: /)] });
  });

  it("may have a heading without a name for the numbers", async () => {
    const { bad } = await list("name;\nSara;09121234567\nAli;09351234567\n");
    expect(bad.count).toBe(0);
  });

  it("has an error in the column of the numbers, and says that a spreadsheet cut a number", async () => {
    const { bad } = await list("سارا;09121234567\nعلی;9.12123E+09\nرضا;\n");
    expect(bad.first).toEqual([
      'row 2, column 2: the spreadsheet cut this number: "9.12123E+09"',
      'row 3, column 2: "" is not a mobile number',
    ]);
  });
});
