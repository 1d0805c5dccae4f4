// Files of campaigns as the browser's worker reads them: CSV of every usual kind, and Excel
// workbooks, also hostile ones.
import fc from "fast-check";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { takeRows } from "../../console/src/pages/campaigns/file/campaign-rows.ts";
import { readTable } from "../../src/tables/read-table.ts";
import { findSeparator, RowSplitter } from "../../src/tables/separated-rows.ts";
import { expectPlainTexts, findColumns, type TableRow } from "../../src/tables/table.ts";

async function rowsOf(bytes: Uint8Array, name?: string, step = 1 << 20): Promise<TableRow[]> {
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += step) yield Promise.resolve(bytes.subarray(at, at + step));
  })();
  const rows: TableRow[] = [];
  for await (const some of readTable({ chunks, ...(name !== undefined && { name }) })) rows.push(...some);
  return rows;
}

async function read(bytes: Uint8Array, name?: string, step?: number): Promise<(readonly string[])[]> {
  return (await rowsOf(bytes, name, step)).map(({ cells }) => cells);
}

function splitText(text: string): (readonly string[])[] {
  const { separator, start } = findSeparator(text);
  return new RowSplitter(separator).split(text.slice(start), true).map(({ cells }) => cells);
}

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
    expect(await read(new Uint8Array(bytes))).toEqual(rows);
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
    ["sep=;\r\na;b,c", [["a", "b,c"]]],
    ['"sep=\t"\na\tb', [["a", "b"]]],
    ["SEP=|\n\n1;2|3,4", [["1;2", "3,4"]]],
    [
      "09121234567;سلام, خوبی؟\n09351234567;1,200",
      [
        ["09121234567", "سلام, خوبی؟"],
        ["09351234567", "1,200"],
      ],
    ],
    [
      "09121234567;1,200\n09351234567;1,300",
      [
        ["09121234567", "1,200"],
        ["09351234567", "1,300"],
      ],
    ],
    [
      "09121234567,a;b;c\n09351234567,d;e;f",
      [
        ["09121234567", "a;b;c"],
        ["09351234567", "d;e;f"],
      ],
    ],
    ["9,121,234,567;x", [["9,121,234,567", "x"]]],
    // Digits that a spreadsheet must not take for a number, as our own files have them.
    ['="09121234567",a', [["09121234567", "a"]]],
    ['"=""0912"""\t="a', [["0912", '="a']]],
    ["9121234567", [["9121234567"]]],
  ])("%j", (given, expected) => {
    expect(splitText(given)).toEqual(expected);
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
        const rowsIn = new RowSplitter(mark).split(csv, true).map(({ cells }) => cells);
        expect(rowsIn).toEqual(given.filter((row) => row.some((value) => value.trim() !== "")));
      }),
    );
  });

  it("reads the same wherever its octets are cut, in every encoding", async () => {
    const long = `${text}\r\n"a ""b"";\r\nc",d\r\n`;
    const encodings = [Buffer.from(long), Buffer.from(`\ufeff${long}`, "utf16le"), Buffer.from(windows1256(long))];
    for (const bytes of encodings) {
      // Beyond what is read ahead to tell the separator.
      const many = Buffer.concat([
        bytes.subarray(0, 2),
        Buffer.concat(Array.from({ length: 2_000 }, () => bytes)).subarray(2),
      ]);
      const whole = await read(many);
      expect(whole.length).toBeGreaterThan(5_000);
      for (const step of [1_001, 4_097, 32_769]) expect(await read(many, undefined, step)).toEqual(whole);
    }
  });

  it("is read in Windows-1256 also where some pairs of its octets are UTF-8 by chance", async () => {
    expect(await read(windows1256("09121234567,اگر تک باشگاه شک"))).toEqual([["09121234567", "اگر تک باشگاه شک"]]);
  });

  it("refuses UTF-8 in which an octet is broken", async () => {
    const bytes = Buffer.from(`${text}\n09351234567,خوبی؟\n`);
    for (const place of [bytes.indexOf("س"), bytes.indexOf("؟") + 1, 0]) {
      const broken = Buffer.from(bytes);
      broken[place] = 0xff;
      await expect(read(broken)).rejects.toMatchObject({ fault: "notText" });
    }
  });

  it("refuses octets that are no text, or change their encoding half-way", async () => {
    const random = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7919 + (index >> 3) * 104_729) % 256);
    await expect(read(random, "numbers.xlsx")).rejects.toMatchObject({ fault: "notWorkbook" });
    await expect(read(random, "numbers.csv")).rejects.toMatchObject({ fault: "notText" });
    const half = Buffer.concat([Buffer.from("09121234567,سلام\n".repeat(3_000)), windows1256("09121234567,سلام\n")]);
    await expect(read(half)).rejects.toMatchObject({ fault: "notText" });
    await expect(read(Buffer.from(text), "numbers.xlsx")).rejects.toMatchObject({ fault: "notWorkbook" });
    await expect(read(zip(workbook), "numbers.csv")).rejects.toMatchObject({ fault: "notText" });
    await expect(read(Buffer.from(text), "numbers.xls")).rejects.toMatchObject({ fault: "oldExcel" });
  });

  it("refuses control characters in texts, but not beside a number", () => {
    const row = (...cells: string[]) => ({ number: 7, cells });
    expect(() => expectPlainTexts(row("\u001f09121234567", "a\tb\r\nc"), 0)).not.toThrow();
    for (const bad of ["a\u0007", "\u001f", "\u0085", "\ud800"])
      expect(() => expectPlainTexts(row("09121234567", bad), 0)).toThrow("control");
    try {
      expectPlainTexts(row("09121234567", "x", "\u0007"), 0);
    } catch (error) {
      expect(error).toMatchObject({ fault: "control", place: { row: 7, column: 3 } });
    }
  });

  it("tells the rows as a spreadsheet counts them", async () => {
    const found = await rowsOf(Buffer.from('sep=;\nname;number\n\n"a\nb";1\n;\nc;2'));
    expect(found.map(({ number }) => number)).toEqual([1, 3, 5]);
  });

  it("with a quote that is never closed names the cell", async () => {
    const bytes = Buffer.from(`a,b\nc,"d\n${"09121234567,x\n".repeat(10_000)}`);
    await expect(read(bytes)).rejects.toMatchObject({ fault: "cellTooLong", place: { row: 2, column: 2 } });
  });

  it("reads a hundred thousand rows, and nothing of what is not there", async () => {
    const many = (count: number) => new TextEncoder().encode("09121234567,سلام\n".repeat(count));
    expect(await read(many(100_001))).toHaveLength(100_001);
    expect(await read(new Uint8Array())).toEqual([]);
    await expect(read(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 1))).rejects.toMatchObject({ fault: "oldExcel" });
  });

  it("holds the event loop for short steps only", async () => {
    const bytes = new TextEncoder().encode('09121234567;"سلام, خوبی؟";x\n'.repeat(200_000));
    // Without the time in which the code is compiled.
    await read(bytes.subarray(0, 1_000_000));
    let longest = 0;
    let last = process.cpuUsage().user;
    const timer = setInterval(() => {
      longest = Math.max(longest, process.cpuUsage().user - last);
      last = process.cpuUsage().user;
    }, 1);
    expect(await read(bytes)).toHaveLength(200_000);
    clearInterval(timer);
    expect(longest / 1000).toBeLessThan(50);
  });
});

/** A ZIP archive, without the parts that readers of Excel's files do not look at. */
function zip(files: Readonly<Record<string, string>>, { method = 8, zip64 = false } = {}): Uint8Array {
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
    entry.writeUInt32LE(Buffer.byteLength(content), 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    // The size stands in a field of 64 bits behind the name.
    const extra = Buffer.alloc(zip64 ? 12 : 0);
    if (zip64) {
      entry.writeUInt32LE(0xffffffff, 24);
      entry.writeUInt16LE(extra.length, 30);
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(8, 2);
      extra.writeBigUInt64LE(BigInt(Buffer.byteLength(content)), 4);
    }
    locals.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name), extra);
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, ...directory, end]));
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relation = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="${relations}/${kind}" Target="${target}"/>`;
const workbook = {
  "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
  "_rels/.rels": `<Relationships>${relation("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
  "xl/workbook.xml": `<?xml version="1.0"?><workbook xmlns:r="${relations}"><sheets><sheet name="One" sheetId="1" r:id="rId7"/><sheet name="Two" sheetId="2" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": `<Relationships>${relation("rId1", "worksheet", "worksheets/sheet1.xml")}${relation("rId7", "worksheet", "worksheets/sheet2.xml")}${relation("rId8", "sharedStrings", "sharedStrings.xml")}${relation("rId9", "styles", "styles.xml")}</Relationships>`,
  "xl/sharedStrings.xml": `<sst><si><t>number</t></si><si><r><t>علی </t></r><r><t xml:space="preserve">&amp; سارا</t></r><rPh><t>no</t></rPh></si></sst>`,
  "xl/styles.xml": `<styleSheet/>`,
  "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`,
  "xl/worksheets/sheet2.xml": `<x:worksheet xmlns:x="y"><!-- <row> --><x:sheetData>
    <x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="C1" t="inlineStr"><x:is><x:t>name</x:t></x:is></x:c></x:row>
    <x:row r="2"/><x:row r="3"><x:c r="A3"><x:v>9121234567</x:v></x:c><x:c r="B3"/><x:c r="C3" t="s"><x:v>1</x:v></x:c></x:row>
    <x:row r="4"><x:c r="A4"><x:v>9.351234567E9</x:v></x:c><x:c r="C4" t="str"><x:f>A1&amp;"&gt;"</x:f><x:v>a&lt;b&#x41;</x:v></x:c></x:row>
    <x:row r="5"><x:c r="A5"><x:v>1.5</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
};

/** `cells`: of its first row. */
function workbookOf(cells: readonly string[], formats: readonly string[] = [], ids: readonly number[] = []) {
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', "&quot;")}"/>`,
  );
  const styles = [...ids, ...formats.map((_, index) => 164 + index)].map((id) => `<xf numFmtId="${id}"/>`);
  return {
    ...workbook,
    "xl/styles.xml":
      `<styleSheet><numFmts>${codes.join("")}</numFmts>` +
      `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join("")}</cellXfs></styleSheet>`,
    "xl/worksheets/sheet2.xml": `<worksheet><sheetData><row>${cells.join("")}</row></sheetData></worksheet>`,
  };
}

describe("Excel", () => {
  it.each([8, 0])("workbooks give their first sheet, with all digits of numbers (method %d)", async (method) => {
    const found = await rowsOf(zip(workbook, { method }), "numbers.xlsx");
    expect(found).toEqual([
      { number: 1, cells: ["number", "", "name"] },
      { number: 3, cells: ["9121234567", "", "علی & سارا"] },
      { number: 4, cells: ["9351234567", "", "a<bA"] },
      { number: 5, cells: ["1.5", "", ""] },
    ]);
  });

  it.each([false, true])("that unpack to too much are refused before they are read (ZIP64: %s)", async (zip64) => {
    const blank = " ".repeat(1_000_000);
    const large = { ...workbook, "xl/media/blank": blank.repeat(100) };
    await expect(read(zip(large, { zip64 }))).rejects.toMatchObject({ fault: "unpackedTooLarge" });
    const small = { ...workbook, "xl/media/blank": blank.repeat(90) };
    await expect(read(zip(small, { zip64 }))).resolves.toHaveLength(4);
  });

  it("of no use are named", async () => {
    const whole = zip(workbook);
    await expect(read(whole.subarray(0, 300))).rejects.toMatchObject({ fault: "notReadable" });
    await expect(read(zip({ "a.txt": "x" }))).rejects.toMatchObject({ fault: "notReadable" });
    await expect(read(zip(workbook, { method: 12 }))).rejects.toMatchObject({ fault: "notReadable" });
  });

  it("with a cell that is longer than any message is named at once", async () => {
    const cells = Array.from({ length: 540 }, (_, index) => `<row r="${index + 1}"><c t="s"><v>0</v></c></row>`);
    const shared = {
      ...workbook,
      "xl/sharedStrings.xml": `<sst><si><t>${"x".repeat(30_000)}</t></si></sst>`,
      "xl/worksheets/sheet2.xml": `<worksheet><sheetData>${cells.join("")}</sheetData></worksheet>`,
    };
    const bytes = zip(shared);
    expect(bytes.length).toBeLessThan(20_000);
    const begunAt = performance.now();
    await expect(read(bytes)).rejects.toMatchObject({ fault: "cellTooLong" });
    expect(performance.now() - begunAt).toBeLessThan(1_000);
    const csv = (length: number) => read(Buffer.from(`09121234567,${"x".repeat(length)}`));
    await expect(csv(4_001)).rejects.toMatchObject({ fault: "cellTooLong" });
    expect(await csv(4_000)).toHaveLength(1);
  });

  it("show dates, times and codes as the sheet does, and name errors of formulas", async () => {
    const codes = [
      "yyyy\\-mm\\-dd;@",
      "[$-fa-IR,16]yyyy/mm/dd",
      "[$-160429]d mmmm yyyy",
      "0000",
      '[Red]"day "#,##0',
      "[h]:mm:ss",
    ];
    const cell = (style: number, value: string) => `<c s="${style}"><v>${value}</v></c>`;
    const values = [
      ...[cell(0, "46354"), cell(1, "46354"), cell(2, "46354.604166666664"), cell(3, "0.3125"), cell(4, "46354.5")],
      ...[cell(5, "46354"), cell(6, "46354"), cell(7, "42"), cell(8, "1200"), cell(9, "0.5")],
      ...['<c t="b"><v>1</v></c>', "<c><v>0.30000000000000004</v></c>"],
    ];
    const book = workbookOf(values, codes, [0, 14, 22, 20]);
    expect(await read(zip(book))).toEqual([
      [
        ...["46354", "2026-11-28", "2026-11-28 14:30", "07:30", "2026-11-28"],
        ...["1405/09/07", "1405/09/07", "0042", "1200", "12:00", "TRUE", "0.3"],
      ],
    ]);
    const from1904 = {
      ...book,
      "xl/workbook.xml": workbook["xl/workbook.xml"].replace("<sheets>", '<workbookPr date1904="1"/><sheets>'),
    };
    expect((await read(zip(from1904)))[0]?.[1]).toBe("2030-11-29");
    const [row] = await rowsOf(Buffer.from("09121234567,سلام,#N/A\n"));
    expect(() => row && expectPlainTexts(row, 0)).toThrow(
      expect.objectContaining({ fault: "cellError", place: { row: 1, column: 3 } }),
    );
  });

  it.each([
    ["[$-160429]yyyy/mm/dd", true],
    ["[$-3160429]yyyy/mm/dd;@", true],
    ["[$-1160429]yyyy/mm/dd", true],
    ["[$-16048C]yyyy/mm/dd", true],
    ["[$-fa-IR,16]yyyy/mm/dd", true],
    ["[$-fa-IR,316]yyyy/mm/dd", true],
    ["[$-429]yyyy/mm/dd", false],
    ["[$-416]yyyy/mm/dd", false],
    ["[$-3000429]yyyy/mm/dd", false],
    ["[$-60416]yyyy/mm/dd", false],
  ])("of the format %s are in the Persian calendar: %s", async (code, isPersian) => {
    const book = workbookOf(['<c s="0"><v>46354</v></c>'], [code]);
    expect(await read(zip(book))).toEqual([[isPersian ? "1405/09/07" : "2026-11-28"]]);
  });

  it("keep control characters that are escaped, and count the rows as Excel does", async () => {
    const sheet = `<worksheet><sheetData><row r="3"><c r="A3" t="inlineStr"><is><t>_x001F_09121234567</t></is></c></row></sheetData></worksheet>`;
    const found = await rowsOf(zip({ ...workbook, "xl/worksheets/sheet2.xml": sheet }));
    expect(found).toEqual([{ number: 3, cells: ["\u001f09121234567"] }]);
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
        await read(bytes).catch((error: unknown) => expect(error).toHaveProperty("name", "FileProblem"));
      }),
      { numRuns: 300 },
    );
  });
});

describe("columns", () => {
  const table = (...cells: (readonly string[])[]) => cells.map((row, index) => ({ number: index + 1, cells: row }));

  it("are guessed by where the numbers stand", () => {
    expect(findColumns(table(["name", "mobile"], ["Sara", "9.12123E+09"], ["Ali", "۰۹۳۵۱۲۳۴۵۶۷"]))).toEqual({
      number: 1,
      hasNames: true,
    });
    expect(findColumns(table(["09121234567"]))).toEqual({ number: 0, hasNames: false });
    // A wrong number is no name.
    for (const wrong of ["02188776655", "091-212-345", "***"])
      expect(findColumns(table([wrong], ["09121234567"]))).toEqual({ number: 0, hasNames: false });
    expect(findColumns(table(["", "name"], ["09121234567", "Sara"]))).toEqual({ number: 0, hasNames: true });
  });

  it("are taken in calls that the API takes: each row once, in order", () => {
    const file = [
      ["number", "a", "b"],
      ...Array.from({ length: 2500 }, (_, at) => [` 0912${at}`, "x".repeat(at % 700), "y"]),
    ];
    const rows = table(...file);
    const columns = { hasNames: true, number: 0, values: [2, 1] };
    const calls: ReturnType<typeof takeRows>[] = [];
    for (let from = 0; ; from += calls.at(-1)?.length ?? 0) {
      const taken = takeRows(rows, columns, from);
      if (taken.length === 0) break;
      calls.push(taken);
    }
    expect(calls.flat()).toEqual(
      file.slice(1).map(([number = "", a, b], at) => ({ number: at + 2, cells: [number.trim(), b, a] })),
    );
    for (const taken of calls) {
      expect(taken.length).toBeLessThanOrEqual(1000);
      expect(JSON.stringify({ first: 1, rows: taken }).length).toBeLessThan(350_000);
    }
  });
});
