// Files of campaigns as the browser's worker reads them: CSV of every usual kind, and Excel
// workbooks, also hostile ones.
import fc from "fast-check";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeText, readCsv } from "../../console/src/pages/campaigns/file/read-csv.ts";
import { readTable } from "../../console/src/pages/campaigns/file/read-table.ts";
import { readEntry, UnpackBudget } from "../../console/src/pages/campaigns/file/read-xlsx.ts";
import { guessColumns, takeRows } from "../../console/src/pages/campaigns/file/table.ts";

const text = "شماره,متن\n09121234567,سلام";
const rows = [
  ["شماره", "متن"],
  ["09121234567", "سلام"],
];

/** The octets of Windows-1256, which Node can read but not write. */
function windows1256(given: string): Uint8Array {
  const decoder = new TextDecoder("windows-1256");
  const octetOf = new Map(Array.from({ length: 256 }, (_, octet) => [decoder.decode(Uint8Array.of(octet)), octet]));
  return Uint8Array.from(given, (character) => octetOf.get(character) ?? 0x3f);
}

describe("CSV", () => {
  it.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with its mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16 little-endian with its mark", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16 big-endian with its mark", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
    ["UTF-16 little-endian without a mark", Buffer.from(text, "utf16le")],
    ["UTF-16 big-endian without a mark", Buffer.from(text, "utf16le").swap16()],
    ["Windows-1256", windows1256(text)],
  ])("is read in %s", async (_, bytes) => {
    expect(await readTable(new Uint8Array(bytes))).toEqual(rows);
  });

  it.each([
    [
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a;b\rc;d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a\tb\nc\td",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a;b,c\nd;e",
      [
        ["a", "b,c"],
        ["d", "e"],
      ],
    ],
    [
      '"a,b";"c""d"\n"e\nf";g',
      [
        ["a,b", 'c"d'],
        ["e\nf", "g"],
      ],
    ],
    [
      "a,\n,b",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["a,", [["a", ""]]],
    ["\n\n a \n,\n", [[" a "]]],
    [
      'a,"never closed\nb,c',
      [
        ["a", '"never closed'],
        ["b", "c"],
      ],
    ],
    [
      'a,"b" c\nd,e',
      [
        ["a", "b c"],
        ["d", "e"],
      ],
    ],
    ["a\u0000b,\ud800", [["ab", "\ufffd"]]],
    ["9121234567", [["9121234567"]]],
  ])("%j", (given, expected) => {
    expect(readCsv(given)).toEqual(expected);
  });

  it("gives back any table that was written as CSV", () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "س", "۱", '"', ",", ";", "\t", "\n", "\r", " ", "😀"),
      maxLength: 8,
    });
    const table = fc
      .integer({ min: 2, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 20 }),
      );
    fc.assert(
      fc.property(table, fc.constantFrom(",", ";", "\t"), fc.constantFrom("\n", "\r\n", "\r"), (given, mark, end) => {
        // Quoted as most programs do it: all of them.
        const csv = given.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(mark)).join(end);
        expect(readCsv(csv)).toEqual(given.filter((row) => row.some((value) => value.trim() !== "")));
      }),
    );
  });

  it("never throws, and never makes a character up, whatever the octets are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const read = decodeText(bytes);
        const inRows = readCsv(read).flat().join("");
        for (const character of inRows) expect(read.includes(character) || character === "\ufffd").toBe(true);
      }),
    );
  });

  it("reads a hundred thousand rows, and refuses one more with a name", async () => {
    const many = (count: number) => new TextEncoder().encode("09121234567,سلام\n".repeat(count));
    expect(await readTable(many(100_001))).toHaveLength(100_001);
    await expect(readTable(many(100_002))).rejects.toMatchObject({ fault: "tooManyRows" });
    await expect(readTable(new Uint8Array(20_000_001))).rejects.toMatchObject({ fault: "tooLarge" });
    await expect(readTable(new Uint8Array())).rejects.toMatchObject({ fault: "empty" });
    await expect(readTable(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 1))).rejects.toMatchObject({ fault: "oldExcel" });
  });
});

/** A ZIP archive, without the parts that readers of Excel's files do not look at. */
function zip(files: Readonly<Record<string, string>>, { method = 8 } = {}): Uint8Array {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, ...directory, end]));
}

const workbook = {
  "xl/workbook.xml": `<?xml version="1.0"?><workbook><sheets><sheet name="One" r:id="rId7"/><sheet name="Two" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="worksheets/sheet2.xml"/></Relationships>`,
  "xl/sharedStrings.xml": `<sst><si><t>number</t></si><si><r><t>علی </t></r><r><t xml:space="preserve">&amp; سارا</t></r><rPh><t>no</t></rPh></si></sst>`,
  "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`,
  "xl/worksheets/sheet2.xml": `<x:worksheet xmlns:x="y"><!-- <row> --><x:sheetData>
    <x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="C1" t="inlineStr"><x:is><x:t>name</x:t></x:is></x:c></x:row>
    <x:row r="2"/><x:row r="3"><x:c r="A3"><x:v>9121234567</x:v></x:c><x:c r="B3"/><x:c r="C3" t="s"><x:v>1</x:v></x:c></x:row>
    <x:row r="4"><x:c r="A4"><x:v>9.351234567E9</x:v></x:c><x:c r="C4" t="str"><x:f>A1&amp;"&gt;"</x:f><x:v>a&lt;b&#x41;</x:v></x:c></x:row>
    <x:row r="5"><x:c r="A5"><x:v>1.5</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
};

describe("Excel", () => {
  it.each([8, 0])("workbooks give their first sheet, with all digits of numbers (method %d)", async (method) => {
    expect(await readTable(zip(workbook, { method }))).toEqual([
      ["number", "", "name"],
      ["9121234567", "", "علی & سارا"],
      ["9351234567", "", "a<bA"],
      ["1.5"],
    ]);
  });

  it("of no use are named, and not read for ever", async () => {
    const bomb = { ...workbook, "xl/worksheets/sheet2.xml": `<worksheet>${" ".repeat(110_000_000)}</worksheet>` };
    await expect(readTable(zip(bomb))).rejects.toMatchObject({ fault: "unpackedTooLarge" });
    const whole = zip(workbook);
    await expect(readTable(whole.subarray(0, 300))).rejects.toMatchObject({ fault: "notReadable" });
    await expect(readTable(zip({ "a.txt": "x" }))).rejects.toMatchObject({ fault: "notReadable" });
    await expect(readTable(zip(workbook, { method: 12 }))).rejects.toMatchObject({ fault: "notReadable" });
    const entities = { ...workbook, "xl/worksheets/sheet2.xml": `<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>` };
    await expect(readTable(zip(entities))).rejects.toMatchObject({ fault: "notReadable" });
  });

  it("with a cell that is longer than any message is named at once", async () => {
    const cells = Array.from({ length: 540 }, (_, index) => `<row r="${index + 1}"><c t="s"><v>0</v></c></row>`);
    const shared = {
      ...workbook,
      "xl/sharedStrings.xml": `<sst><si><t>${"x".repeat(5_000_000)}</t></si></sst>`,
      "xl/worksheets/sheet2.xml": `<worksheet><sheetData>${cells.join("")}</sheetData></worksheet>`,
    };
    const bytes = zip(shared);
    expect(bytes.length).toBeLessThan(20_000);
    const begunAt = performance.now();
    await expect(readTable(bytes)).rejects.toMatchObject({ fault: "cellTooLong" });
    expect(performance.now() - begunAt).toBeLessThan(1_000);
    const csv = (length: number) => readTable(Buffer.from(`09121234567,${"x".repeat(length)}`));
    await expect(csv(4_001)).rejects.toMatchObject({ fault: "cellTooLong" });
    expect(await csv(4_000)).toHaveLength(1);
  });

  it("files that were damaged are read or named, and nothing else happens", async () => {
    // Stored, because Node's inflater may wait for ever for the rest of damaged octets; those of
    // browsers end.
    const whole = zip(workbook, { method: 0 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 5 }), async (changes) => {
        const bytes = Uint8Array.from(whole);
        for (const [place, octet] of changes) bytes[place] = octet;
        for (let place = bytes.length - 400; place < bytes.length; place += 1) bytes[place] = whole[place] ?? 0;
        await readTable(bytes).catch((error: unknown) => expect(error).toHaveProperty("name", "FileProblem"));
      }),
      { numRuns: 300 },
    );
  });

  it("unpacks no more than all of it may have together", async () => {
    const budget = new UnpackBudget(10);
    const entry = { name: "x", method: 0, packed: new Uint8Array(6) };
    await readEntry(entry, budget);
    await expect(readEntry(entry, budget)).rejects.toMatchObject({ fault: "unpackedTooLarge" });
  });
});

describe("columns", () => {
  it("are guessed by where the numbers stand", () => {
    expect(
      guessColumns([
        ["name", "mobile"],
        ["Sara", "9121234567"],
        ["Ali", "۰۹۳۵۱۲۳۴۵۶۷"],
      ]),
    ).toEqual({
      number: 1,
      hasNames: true,
    });
    expect(guessColumns([["09121234567"]])).toEqual({ number: 0, hasNames: false });
  });

  it("are taken in calls that the API takes: each row once, in order", () => {
    const file = [
      ["number", "a", "b"],
      ...Array.from({ length: 2500 }, (_, at) => [` 0912${at}`, "x".repeat(at % 700), "y"]),
    ];
    const columns = { hasNames: true, number: 0, values: [2, 1] };
    const calls: (readonly (readonly string[])[])[] = [];
    for (let from = 0; ; from += calls.at(-1)?.length ?? 0) {
      const taken = takeRows(file, columns, from);
      if (taken.length === 0) break;
      calls.push(taken);
    }
    expect(calls.flat()).toEqual(file.slice(1).map(([number = "", a, b]) => [number.trim(), b, a]));
    for (const taken of calls) {
      expect(taken.length).toBeLessThanOrEqual(1000);
      expect(JSON.stringify({ first: 1, rows: taken }).length).toBeLessThan(350_000);
    }
  });
});
