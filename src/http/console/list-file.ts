// Answers a list as a file, CSV or Excel: for people with headings, states and local times in their
// language and numbers as 09…, or raw for programs. It reads and sends page by page, no faster than
// the caller reads. Between two pages it holds no connection to the database. It stops when the
// connection closes, also because the caller reads nothing (server.ts), or when the session or its permission ends.
import { Readable } from "node:stream";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { columnTitles, isTitled, operatorText, yesNoTexts } from "../../texts/list-file-texts.ts";
import { type AnswerLanguage, localize, type LocalizedText } from "../../texts/localize.ts";
import { literal, oneOf, orAbsent, orDefault, plainText } from "../json-schema.ts";
import type { ConsoleCall } from "./console-call.ts";
import type { Page, PlacedEndpoint } from "./console-endpoint.ts";
import { callerKeyOf } from "./console-context.ts";

/** As programs read it: a localized text has another value for them. */
export type FileValue = string | number | bigint | boolean | Date | null | undefined;

export interface FileColumn<Item> {
  /** Names the column for programs, and its title (list-file-texts.ts). */
  readonly key: string;
  /** Of another key, for people. */
  readonly titledAs?: string;
  readonly raw: (item: Item) => FileValue;
  /** What people read, if it is not made of the raw value. */
  readonly shown?: (item: Item) => FileValue | LocalizedText;
  /** `programs`: people get another column instead. */
  readonly for?: "people" | "programs";
}

export interface ListFile<Item> {
  /** Without its ending. */
  readonly name: string;
  /** For people, instead of the name: with the day. */
  readonly title?: string;
  readonly columns: readonly FileColumn<Item>[];
  page(after: string | undefined): Promise<Page<Item>>;
}

/** Rows that are read at a time. */
export const filePageRows = 1_000;

/** Of a CSV file for programs. */
const rawType = "text/csv; charset=utf-8";
const types = {
  csv: "text/csv; charset=utf-16le",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;
type Format = keyof typeof types;

const formParameters = {
  raw: orAbsent(literal("true", "For programs: names of the API as headings, its values, times in UTC.")),
  language: orAbsent(oneOf(["en", "fa"], "Of headings, states and times; absent: Accept-Language.")),
  timeZone: orDefault(plainText("Of the times, such as Asia/Tehran."), "UTC"),
};

type FileEndpoint<Item> = Omit<PlacedEndpoint, "method" | "handle" | "contents"> & {
  /** `language`: of the file. Throws what is wrong with the call. */
  readonly list: (call: ConsoleCall, language: AnswerLanguage) => Promise<ListFile<Item>>;
};

/** `path` without the ending: one endpoint for each. */
export function fileEndpoints<Item>({ list, ...endpoint }: FileEndpoint<Item>): PlacedEndpoint[] {
  const { path, needs, summary, description, query } = endpoint;
  return (["csv", "xlsx"] as const).map((format) => ({
    ...endpoint,
    method: "GET",
    path: `${path}.${format}`,
    summary: `${summary}, as a ${format === "csv" ? "CSV file" : "workbook of Excel"}`,
    description: `${description} One file at a time for each person, two for an account (429).`,
    query: { ...query, ...formParameters },
    contents: { [types[format].replace(/;.*/, "")]: plainText() },
    handle: async (call) => {
      const admit = () => call.context.admit(call.request, { method: "GET", path, needs });
      const form = readForm(call);
      return answerFile(call, await list(call, form.language), { ...form, format }, admit);
    },
  }));
}

/** The first page is read before anything is sent, so that what is wrong is answered as such. */
async function answerFile<Item>(
  call: ConsoleCall,
  list: ListFile<Item>,
  form: FileForm & { readonly format: Format },
  admit: () => Promise<void>,
): Promise<Readable> {
  const { format } = form;
  const release = call.context.files.tryAcquire(callerKeyOf(call.session));
  if (release === undefined) throw new ApiError("tooManyRequests", { text: findingCatalogue["console.fileUnderWay"] });
  try {
    const first = await list.page(undefined);
    const columns = list.columns.filter((column) => column.for !== (form.isRaw ? "people" : "programs"));
    const sheet: Sheet = {
      name: list.name,
      form,
      titles: columns.map(({ key, titledAs: title = key }) =>
        form.isRaw || !isTitled(title) ? key : columnTitles[title][form.language],
      ),
      pages: valuesOf(columns, form, pagesOf(admit, list, first)),
    };
    const chunks = format === "csv" ? csvOf(sheet) : workbookOf(sheet);
    const stream = Readable.from(chunks, { objectMode: false, highWaterMark: 1 });
    stream.once("close", release);
    void call.reply
      .header("content-type", format === "csv" && form.isRaw ? rawType : types[format])
      .header("content-disposition", `attachment; filename="${list.name}.${format}"${titled(list, form, format)}`);
    return stream;
  } catch (error) {
    release();
    throw error;
  }
}

/** In any script (RFC 8187), without what file systems take for something else. */
function titled({ title }: { readonly title?: string }, { isRaw, timeOf }: FileForm, format: Format): string {
  if (title === undefined || isRaw) return "";
  const [day = ""] = timeOf(new Date()).split(" ");
  const name = `${title} ${day.replaceAll("/", "-")}.${format}`.replace(/[\\/:*?"<>|\p{Cc}]/gu, "_");
  return `; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;
}

interface FileForm {
  readonly isRaw: boolean;
  readonly language: AnswerLanguage;
  readonly timeOf: (time: Date) => string;
}

/** Throws 1001. */
function readForm(call: ConsoleCall): FileForm {
  const { raw, language = call.language, timeZone } = call.readQuery(formParameters);
  try {
    return { isRaw: raw === "true", language, timeOf: timeWriter(language, timeZone) };
  } catch {
    throw ApiError.invalidParameter("timeZone", "console.range");
  }
}

async function* pagesOf<Item>(
  admit: () => Promise<void>,
  list: ListFile<Item>,
  first: Page<Item>,
): AsyncGenerator<readonly Item[]> {
  for (let page = first; ; page = await list.page(page.nextCursor)) {
    yield page.items;
    if (page.nextCursor === undefined) return;
    await admit();
  }
}

interface Sheet {
  readonly name: string;
  readonly form: FileForm;
  readonly titles: readonly string[];
  readonly pages: AsyncIterable<readonly (readonly FileValue[])[]>;
}

async function* valuesOf<Item>(
  columns: readonly FileColumn<Item>[],
  form: FileForm,
  pages: AsyncIterable<readonly Item[]>,
): Sheet["pages"] {
  for await (const items of pages)
    yield items.map((item) =>
      columns.map((column) => (form.isRaw ? column.raw(item) : shownValue(column, item, form))),
    );
}

/** Columns of phone numbers and lines. */
const numberKeys: ReadonlySet<string> = new Set(["senderNumber", "recipientNumber", "line"]);

function shownValue<Item>(column: FileColumn<Item>, item: Item, { language, timeOf }: FileForm): FileValue {
  const value = (column.shown ?? column.raw)(item);
  if (value instanceof Date) return timeOf(value);
  if (typeof value === "boolean") return yesNoTexts[`${value}`][language];
  if (typeof value === "string" && column.key === "operator") return localize(operatorText(value), language);
  if (typeof value === "string") return numberKeys.has(column.key) ? value.replace(/^98(9\d{9})$/, "0$1") : value;
  return typeof value === "object" && value !== null ? localize(value, language) : value;
}

// Excel, row by row, by a library that is loaded when it is needed.

async function* workbookOf({ name, titles, pages, form }: Sheet): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import("hucre/xlsx");
  async function* rows() {
    for await (const page of pages) for (const values of page) yield values.map(cellValue);
  }
  const columns = titles.map((header) => ({ header, width: form.isRaw ? 20 : 22 }));
  yield* writeXlsxStream(rows(), { name, columns, freezePane: { rows: 1 } });
}

function cellValue(value: FileValue): string | number | boolean | null {
  if (value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return Number(value);
  // What looks like an escaped character would be read as that character.
  return typeof value === "string" ? value.replace(/_x(?=[\dA-Fa-f]{4}_)/g, "_x005F_x") : value;
}

// Separated values. For programs: commas and UTF-8 (RFC 4180). For people: tabs and UTF-16, which
// Excel itself calls Unicode text. It is the one form that Excel divides into columns by a double
// click whatever the list separator of the machine is (in Persian Windows it is no comma), and whose
// Persian it reads. With a line `sep=` it takes no notice of the mark of UTF-8.

/** Excel takes a file without it for one in the code page of the machine. */
const byteOrderMark = "\uFEFF";

async function* csvOf({ titles, pages, form }: Sheet): AsyncGenerator<Uint8Array> {
  const encode = (text: string) => Buffer.from(text, form.isRaw ? "utf8" : "utf16le");
  let text = byteOrderMark + csvRecord(titles, form.isRaw);
  for await (const page of pages) {
    text += page.map((values) => csvRecord(values, form.isRaw)).join("");
    if (text !== "") yield encode(text);
    text = "";
  }
}

/** What a spreadsheet would take for a formula, whatever blanks or controls stand before it. */
const formula = /^[\s\u0000-\u001f]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Semicolons and tabs, too: LibreOffice divides at them as well as at commas. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;
/** Digits of which a spreadsheet would drop the first or the last ones. */
const longDigits = /^(?:0\d+|\d{12,})$/;

/** One line with its end. */
export function csvRecord(values: readonly FileValue[], isRaw = true): string {
  return `${values.map((value) => csvField(value, isRaw)).join(isRaw ? "," : "\t")}\r\n`;
}

function csvField(value: FileValue, isRaw: boolean): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "string") return String(value);
  if (!isRaw && longDigits.test(value)) return `"=""${value}"""`;
  // An apostrophe makes it text.
  const text = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Times and days as people write them, in digits that spreadsheets sort: Jalali in Persian,
// Gregorian in English. Pure.

const locales = { en: "en-GB-u-ca-gregory-nu-latn", fa: "en-GB-u-ca-persian-nu-latn" } as const;

/**
 * Writes `1405/08/29 14:05:09` or `2026-11-20 14:05:09`. Throws RangeError for a time zone that does
 * not exist. Made once for many times, because that takes long.
 */
export function timeWriter(language: AnswerLanguage, timeZone: string): (time: Date) => string {
  const two = "2-digit";
  const format = new Intl.DateTimeFormat(locales[language], {
    ...{ timeZone, year: "numeric", month: two, day: two, hour: two, minute: two, second: two, hourCycle: "h23" },
  });
  return (time) => {
    const parts = format.formatToParts(time);
    const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
    const day = ["year", "month", "day"].map(part).join(language === "fa" ? "/" : "-");
    return `${day} ${["hour", "minute", "second"].map(part).join(":")}`;
  };
}

const utcWriters = { en: timeWriter("en", "UTC"), fa: timeWriter("fa", "UTC") };

/** `1405/08/29` or `2026-11-20`, of a day as the API writes it. */
export function localDay(day: string, language: AnswerLanguage): string {
  return utcWriters[language](new Date(`${day}T00:00:00Z`)).slice(0, 10);
}
