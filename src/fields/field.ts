// How the keys of configured objects are declared. A field says once of which kind a value is,
// within which bounds, what a new object has without it, and where it is stored. Plain data: the
// reader, comparison, export, audit, schemas, columns and the console's forms are all made of it.

/** What a text must be besides its length (setup/read-value.ts). */
export type TextForm =
  | "any"
  | "addressBlock"
  | "apiKey"
  | "ascii"
  | "asciiOrEmpty"
  | "date"
  | "domain"
  | "endOfDay"
  | "endpointName"
  | "endpointSecret"
  | "endpointUrl"
  | "eventPattern"
  | "hex"
  | "host"
  | "ipOrEmpty"
  | "lineMatch"
  | "lineNumber"
  | "mobile"
  | "name"
  | "notice"
  | "operatorName"
  | "prefix"
  | "privateKey"
  | "refusal"
  | "sendable"
  | "secret"
  | "staffName"
  | "status"
  | "templateId"
  | "templateSender"
  | "timeOfDay"
  | "timeZone"
  | "tlvTag"
  | "word"
  | "wordPattern";

/** Sections of the setup file whose objects others name. */
export type ReferredSection = "operators" | "connectors" | "lines" | "tariffs" | "accounts";

export interface TextValue {
  readonly kind: "text";
  /** In characters. Checked before anything else. */
  readonly max: number;
  readonly form: TextForm;
  /** The text names an object of this section. */
  readonly refersTo?: ReferredSection;
}

export interface NumberValue {
  readonly kind: "whole" | "number";
  readonly min: number;
  readonly max: number;
  /** The word `auto` is taken, too. */
  readonly auto?: true;
}

export interface ChoiceValue {
  readonly kind: "choice";
  readonly words: readonly string[];
}

/** Values of one kind, each once. */
export interface ListValue {
  readonly kind: "list";
  readonly of: TextValue | ChoiceValue;
  readonly most: number;
  /** It must not be empty. */
  readonly filled?: true;
  /** The order means nothing: it is stored sorted. */
  readonly sorted?: true;
}

/** Objects without names, each complete. */
export interface RowsValue {
  readonly kind: "rows";
  readonly fields: Fields;
  readonly most: number;
  readonly filled?: true;
  /** The order means nothing. */
  readonly unordered?: true;
}

/** One object with keys that the user names, or that `key` lists, and values of one kind. */
export interface RecordValue {
  readonly kind: "record";
  readonly key: TextValue | ChoiceValue;
  readonly of: ListValue | WordOrObjectValue;
  readonly most: number;
}

/** An object; where it would have only this key, the word of that key stands for it. */
export interface WordOrObjectValue {
  readonly kind: "wordOrObject";
  readonly key: string;
  readonly fields: Fields;
}

/** Objects with names of their own within this one. */
export interface KeyedValue {
  readonly kind: "keyed";
  /** The key that holds the name. */
  readonly key: string;
  readonly name: TextValue;
  readonly fields: Fields;
  readonly most: number;
  /** In the words of texts (kindTexts). */
  readonly item: "user" | "apiKey" | "webhook";
}

export type ValueKind =
  | TextValue
  | NumberValue
  | ChoiceValue
  | ListValue
  | RowsValue
  | RecordValue
  | WordOrObjectValue
  | KeyedValue
  | { readonly kind: "rials" | "credit" | "yesNo" | "yes" | "instant" | "tls" };

export interface FieldOptions<Value> {
  /** What a new object has that does not give it. Absent: it must be given. */
  readonly default?: Value;
  /** Null or an empty text says that there is none, and null is stored. */
  readonly nullable?: true;
  /** It may be absent; null and an empty text mean the same. Of rows only. */
  readonly optional?: true;
  /** Of the object's own table. */
  readonly column?: string;
  /**
   * Never exported or shown; comparison and audit say only that it changed. A file may name a
   * variable of the environment for it.
   */
  readonly secret?: true;
  /** No secret, and a file may name a variable for it. */
  readonly variable?: true;
  /** It stays where a whole replacement of the object leaves it out. */
  readonly kept?: true;
  /** A row that leaves it out takes the default, not the stored value. */
  readonly resets?: true;
  /** Left out of exported files, or of the console's answers about the object. */
  readonly hiddenIn?: "file" | "console";
  /** The key of the file that holds this one. */
  readonly within?: { readonly key: string; readonly as: string };
  /** Of the console's form: fields of one section stand together. */
  readonly section?: string;
}

export type FieldOf<Value> = ValueKind & FieldOptions<Value>;
export type SetupField = ValueKind & FieldOptions<unknown>;
export type Fields = Readonly<Record<string, SetupField>>;

/** An object with a value for each of the fields. */
export type Values<Declared extends Fields> = {
  readonly [Key in keyof Declared]: Declared[Key] extends FieldOptions<infer Value> ? Value : never;
};

/** What an object has that gives nothing. Required keys are undefined. */
export function defaultsOf<Declared extends Fields>(fields: Declared): Values<Declared> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.default])) as Values<Declared>;
}

/** The values of an object that is stored as JSON: a key that was added since is not in it. */
export function storedValues<Declared extends Fields>(
  fields: Declared,
  body: Readonly<Record<string, unknown>>,
): Values<Declared> {
  const values: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const value = body[key] === undefined ? field.default : storedValue(field, body[key]);
    if (value !== undefined) values[key] = value;
  }
  return values as Values<Declared>;
}

function storedValue(field: SetupField, value: unknown): unknown {
  if (field.kind === "rials") return BigInt(value as number);
  if (field.kind !== "rows") return value;
  return (value as readonly Readonly<Record<string, unknown>>[]).map((row) => storedValues(field.fields, row));
}

/** TLS of a link to an operator. `ca`: PEM text; absent: the authorities of Node.js. */
export interface Tls {
  readonly ca?: string;
  /** Of this side, PEM text, where the server wants one. Its key is a field of its own. */
  readonly cert?: string;
  readonly verify: boolean;
  /** Absent: 1.2. */
  readonly minVersion?: TlsVersion;
}

export const tlsVersions = ["1.0", "1.1", "1.2", "1.3"] as const;
export type TlsVersion = (typeof tlsVersions)[number];

type Options<Value> = Omit<FieldOptions<Value>, "nullable" | "optional">;

export function string(
  max: number,
  form: TextForm,
  options: Options<string> & { readonly refersTo?: ReferredSection } = {},
): FieldOf<string> & TextValue {
  return { kind: "text", max, form, ...options };
}

export function whole(min: number, max: number, options: Options<number> = {}): FieldOf<number> & NumberValue {
  return { kind: "whole", min, max, ...options };
}

/**
 * An amount, booked once, or `unlimited`. Of what is stored only whether it is unlimited: null is
 * limited.
 */
export function credit(options: Options<"unlimited" | bigint | null>): FieldOf<"unlimited" | bigint | null> {
  return { kind: "credit", ...options };
}

/** `auto`: the gateway chooses. */
export function wholeOrAuto(min: number, max: number): FieldOf<number | "auto"> {
  return { kind: "whole", min, max, auto: true, default: "auto" };
}

export function number(min: number, max: number, options: Options<number> = {}): FieldOf<number> {
  return { kind: "number", min, max, ...options };
}

export function rials(options: Options<bigint> = {}): FieldOf<bigint> {
  return { kind: "rials", ...options };
}

export function yesNo(options: Options<boolean> = {}): FieldOf<boolean> {
  return { kind: "yesNo", ...options };
}

/** Only true can be given. */
export function onlyYes(): FieldOf<true> {
  return { kind: "yes" };
}

export function instant(options: Options<Date> = {}): FieldOf<Date> {
  return { kind: "instant", ...options };
}

export function tls(options: Options<false | Tls> = {}): FieldOf<false | Tls> {
  return { kind: "tls", ...options };
}

export function choice<const Word extends string>(
  words: readonly Word[],
  options: Options<Word> = {},
): FieldOf<Word> & ChoiceValue {
  return { kind: "choice", words, ...options };
}

export function list<Item extends string>(
  of: (TextValue | ChoiceValue) & FieldOptions<Item>,
  most: number,
  options: Options<readonly NoInfer<Item>[]> & Partial<Pick<ListValue, "filled" | "sorted">> = {},
): FieldOf<readonly Item[]> & ListValue {
  return { kind: "list", of, most, ...options };
}

export function objects<Declared extends Fields>(
  fields: Declared,
  most: number,
  options: Options<readonly Values<Declared>[]> & Partial<Pick<RowsValue, "filled" | "unordered">> = {},
): FieldOf<readonly Values<Declared>[]> {
  return { kind: "rows", fields, most, ...options };
}

export function entriesOf<Key extends string, Value>(
  key: (TextValue | ChoiceValue) & FieldOptions<Key>,
  of: RecordValue["of"] & FieldOptions<Value>,
  most: number,
  options: Options<Readonly<Partial<Record<Key, Value>>>> = {},
): FieldOf<Readonly<Partial<Record<Key, Value>>>> {
  return { kind: "record", key, of, most, ...options };
}

export function wordOrObject<Declared extends Fields>(
  key: keyof Declared & string,
  fields: Declared,
): WordOrObjectValue & FieldOptions<string | Values<Declared>> {
  return { kind: "wordOrObject", key, fields };
}

export function keyed<Declared extends Fields>(
  kind: Pick<KeyedValue, "key" | "name" | "most" | "item">,
  fields: Declared,
  options: Options<ReadonlyMap<string, Values<Declared>>> = {},
): FieldOf<ReadonlyMap<string, Values<Declared>>> {
  return { kind: "keyed", ...kind, fields, default: new Map(), ...options };
}

/** null: there is none, as for a new object that does not give it. */
export function orNone<Value>(field: FieldOf<Value>): FieldOf<Value | null> {
  return { ...field, default: null, nullable: true };
}

/** Of a row: it may be absent. */
export function optional<Value>(field: FieldOf<Value>): FieldOf<Value | undefined> {
  return { ...field, optional: true };
}
