// Answers a list as a CSV file. It reads and sends page by page, no faster than the caller reads.
// Between two pages it holds no connection to the database. It stops when the connection closes,
// when the caller reads nothing for a minute, or when the session ends.
import { Readable } from "node:stream";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import type { ConsoleCall } from "./console-call.ts";
import { callerKeyOf } from "./present-caller.ts";

export interface CsvPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

export interface CsvList<Item> {
  /** Without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  record(item: Item): readonly CsvValue[];
  page(after: string | undefined): Promise<CsvPage<Item>>;
}

/** Rows that are read at a time. */
export const csvPageRows = 1_000;
const stallMs = 60_000;

/** The first page is read before anything is sent, so that what is wrong is answered as such. */
export async function answerCsv<Item>(call: ConsoleCall, list: CsvList<Item>): Promise<Readable> {
  const release = call.context.files.tryAcquire(callerKeyOf(call.session));
  if (release === undefined) throw new ApiError("tooManyRequests", { text: findingCatalogue["console.fileUnderWay"] });
  try {
    const first = await list.page(undefined);
    const stream = streamOf(call, list, first);
    stream.once("close", release);
    void call.reply
      .header("content-type", "text/csv; charset=utf-8")
      .header("content-disposition", `attachment; filename="${list.name}.csv"`);
    return stream;
  } catch (error) {
    release();
    throw error;
  }
}

function streamOf<Item>(call: ConsoleCall, list: CsvList<Item>, first: CsvPage<Item>): Readable {
  let stall: NodeJS.Timeout | undefined;
  async function* records(): AsyncGenerator<string> {
    let text = byteOrderMark + csvRecord(list.columns);
    for (let page: CsvPage<Item> | undefined = first; page !== undefined; page = await nextPage(page)) {
      text += page.items.map((item) => csvRecord(list.record(item))).join("");
      if (text === "") continue;
      stall = setTimeout(() => stream.destroy(new Error("the caller takes nothing")), stallMs).unref();
      yield text;
      clearTimeout(stall);
      text = "";
    }
  }
  async function nextPage({ nextCursor }: CsvPage<Item>): Promise<CsvPage<Item> | undefined> {
    // A caller that has gone is noticed here, too: many pages in a row may have nothing to send.
    if (nextCursor === undefined || stream.destroyed) return undefined;
    if ((await call.context.findSession(call.request)) === undefined) throw new Error("the session has ended");
    return list.page(nextCursor);
  }
  const stream = Readable.from(records(), { objectMode: false, highWaterMark: 1 });
  stream.once("close", () => clearTimeout(stall));
  return stream;
}

// Comma-separated values as spreadsheets read them (RFC 4180). Pure.

export type CsvValue = string | number | bigint | boolean | Date | null | undefined;

/** Excel takes a file without it for one in the code page of the machine. */
export const byteOrderMark = "\uFEFF";

/** What a spreadsheet would take for a formula, whatever blanks or controls stand before it. */
const formula = /^[\s\u0000-\u001f]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Semicolons and tabs, too: LibreOffice divides at them as well as at commas. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** One line with its end. */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "string") return String(value);
  // An apostrophe makes it text.
  const text = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
