// Reads a setup file, or a value of its form, by the declarations of its sections: each
// key by itself, and without a database. check-setup.ts checks what depends on other objects. Secrets
// never appear in a fault.
import { connectorFields } from "../connectors/connector-settings.ts";
import type {
  SetupField,
  Fields,
  KeyedValue,
  ListValue,
  RecordValue,
  RowsValue,
  Tls,
  WordOrObjectValue,
} from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { readCa, readKey } from "./certificates.ts";
import { checkLists, checkPrices, checkRow } from "./check-rows.ts";
import {
  hintFor,
  type LocatedFault,
  type SetupFault,
  SetupFaults,
  type SetupPath,
  ValueFault,
  withoutEchoes,
} from "./fault.ts";
import { parseSetupDocument, type SetupDocument } from "./setup-document.ts";
import { passwordInFile, type ReferenceSources, variableOr } from "./file-references.ts";
import { readValue } from "./read-value.ts";
import {
  type Given,
  type GivenRow,
  listNames,
  listSections,
  type NamedTable,
  namedSections,
  sectionNames,
  type Setup,
} from "./sections.ts";

export interface ReadSetup {
  readonly setup: Setup;
  readonly faults: readonly SetupFault[];
}

export interface SetupSource extends ReferenceSources {
  /** The text of the setup file. */
  readonly text: string;
}

export interface SetupFile {
  readonly setup: Setup;
  readonly document: SetupDocument;
  /** Faults that the file shows without the database. */
  readonly faults: readonly SetupFault[];
}

/** Throws SetupFaults if it is neither YAML nor JSON. */
export function readSetupFile({ text, ...sources }: SetupSource): SetupFile {
  const document = parseSetupDocument(text);
  return { document, ...readSetupValue(document.value, sources) };
}

/** Reads what a setup file holds. Without sources it may name no files and no variables. */
export function readSetupValue(value: unknown, sources: ReferenceSources = {}): ReadSetup {
  const { setup, faults } = readSetup(value, sources);
  return { setup, faults: withoutEchoes(faults) };
}

/** Throws SetupFaults with all faults that the file shows without the database. */
export function expectSound({ faults, document }: SetupFile): void {
  if (faults.length > 0) throw new SetupFaults(locate(faults, document));
}

export function locate(faults: readonly SetupFault[], document: SetupDocument): readonly LocatedFault[] {
  const located = faults.map((fault): LocatedFault => {
    const line = document.lineOf(fault.path);
    return line === undefined ? fault : { ...fault, line };
  });
  return located.sort((left, right) => (left.line ?? 0) - (right.line ?? 0));
}

/** What is given, by key; the values are read. */
type Keys = Readonly<Record<string, unknown>>;

export function readSetup(value: unknown, sources: ReferenceSources = {}): ReadSetup {
  const reader = new SetupReader(sources);
  const root = withoutEmptySections(reader.object(value, []) ?? {});
  const named = sectionNames.map((section) => [section, reader.named(namedSections[section], root[section], section)]);
  const lists = listNames.flatMap((section) => {
    const list = reader.rows({ kind: "rows", ...listSections[section] }, root[section], [section]);
    return list === undefined ? [] : [[section, list]];
  });
  // Each section was read by the declaration of its type.
  const setup = {
    ...Object.fromEntries([...named, ...lists]),
    settings: reader.values(settingsFields, root, [], [...sectionNames, ...listNames]),
    saysStaff: root["staff"] !== undefined,
  } as unknown as Setup;
  const prices = reader.faults.length === 0 ? checkPrices(setup) : [];
  return { setup, faults: [...reader.faults, ...checkLists(setup), ...prices] };
}

/** The settings of a connector among the given keys; others are ignored. */
export function readConnector(given: Keys): { readonly values: Keys; readonly faults: readonly SetupFault[] } {
  const reader = new SetupReader({});
  const known = Object.entries(given).filter(([key]) => Object.hasOwn(connectorFields, key));
  return { values: reader.values(connectorFields, Object.fromEntries(known), []), faults: reader.faults };
}

/**
 * A section with nothing below it counts as absent. YAML leaves one when all its items are
 * commented out.
 */
function withoutEmptySections(root: Keys): Keys {
  return Object.fromEntries(Object.entries(root).filter(([, section]) => section !== null));
}

class SetupReader {
  readonly faults: SetupFault[] = [];
  readonly #sources: ReferenceSources;
  /** Of declared fields, those that stand within another's value. */
  readonly #nested = new Map<Fields, readonly (readonly [name: string, field: SetupField])[]>();

  constructor(sources: ReferenceSources) {
    this.#sources = sources;
  }

  object(value: unknown, place: SetupPath): Keys | undefined {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Keys;
    if (place.length === 0 && (value === null || value === undefined)) return {};
    this.#fault(new ValueFault("object"), place);
    return undefined;
  }

  /** Objects with names; without those whose name is missing or wrong. */
  named(
    table: Pick<NamedTable, "key" | "name" | "fields">,
    value: unknown,
    section: string,
  ): readonly Given<unknown>[] {
    const place = [section];
    return value === undefined ? [] : (this.#keyed(table, value, place) ?? []);
  }

  /** Rows, each complete with its defaults. Undefined where there is no list. */
  rows(kind: RowsValue, value: unknown, place: SetupPath): readonly GivenRow<Keys>[] | undefined {
    if (value === undefined) return undefined;
    return this.#items(kind, value, place, (item, at) => {
      const raw = this.object(item, at);
      const row = raw && this.#row(kind.fields, raw, at);
      return row && { place: at, row };
    });
  }

  #expectKnown(keys: readonly string[], known: readonly string[], place: SetupPath): void {
    for (const key of keys) {
      if (!known.includes(key)) this.#fault(new ValueFault("unknownKey", { key }, hintFor(key, known)), place, key);
    }
  }

  #keyed(table: Pick<KeyedValue, "key" | "name" | "fields"> & { most?: number }, value: unknown, place: SetupPath) {
    const { key, name: nameKind, fields, most = Infinity } = table;
    const seen = new Set<string>();
    return this.#items({ most }, value, place, (item, at): Given<Keys> | undefined => {
      const raw = this.object(item, at);
      if (raw === undefined) return undefined;
      // Its other faults are reported, too.
      const values = this.values(fields, raw, at, [key]);
      const name = this.#required(nameKind, raw[key], [...at, key]) as string | undefined;
      if (name === undefined) return undefined;
      if (seen.has(name)) this.#fault(new ValueFault("repeated", { name }), at, key);
      seen.add(name);
      return { place: at, name, values };
    });
  }

  /** The given keys without their faults; others are read elsewhere. */
  values(fields: Fields, raw: Keys, place: SetupPath, others: readonly string[] = []): Keys {
    const values: Record<string, unknown> = {};
    for (const [key, given] of Object.entries(raw)) {
      if (others.includes(key) || given === undefined) continue;
      const at = [...place, key];
      if (key === "passwordFile" && fields["password"] !== undefined) {
        values["password"] = this.#password(fields["password"], given, raw["password"], place);
        continue;
      }
      const field = Object.hasOwn(fields, key) && fields[key]?.within === undefined ? fields[key] : undefined;
      const inner = this.#nestedIn(fields).filter(([, { within }]) => within?.key === key);
      if (field === undefined && inner.length === 0) {
        const known = Object.entries(fields).map(([name, { within }]) => within?.key ?? name);
        this.#expectKnown([key], [...others, ...known], place);
        continue;
      }
      const own = inner.length === 0 ? given : this.#takeInner(inner, given, at, values);
      if (field === undefined) {
        const known = inner.map(([name, { within }]) => within?.as ?? name);
        this.#expectKnown(Object.keys(this.object(own, at) ?? {}), known, at);
        continue;
      }
      const value = this.#value(field, own, at);
      if (value !== undefined) values[key] = value;
    }
    return values;
  }

  #password(field: SetupField, file: unknown, beside: unknown, place: SetupPath): unknown {
    const isAlone = beside === undefined || beside === null;
    const text = isAlone ? passwordInFile(file, this.#sources) : new ValueFault("notWithPassword");
    const read = text instanceof ValueFault ? text : readValue(field, text);
    if (!(read instanceof ValueFault)) return read;
    this.#fault(read, place, read === text ? "passwordFile" : "password");
    // So that no password is missing besides. After a fault nothing is stored.
    return "unresolved-password";
  }

  /** Found once for all objects of a kind: there may be very many. */
  #nestedIn(fields: Fields): readonly (readonly [name: string, field: SetupField])[] {
    const nested = this.#nested.get(fields) ?? Object.entries(fields).filter(([, { within }]) => within !== undefined);
    this.#nested.set(fields, nested);
    return nested;
  }

  /** Reads the keys that fields of their own have within the value, and returns it without them. */
  #takeInner(
    inner: readonly (readonly [name: string, field: SetupField])[],
    given: unknown,
    place: SetupPath,
    values: Record<string, unknown>,
  ): unknown {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
    const rest: Record<string, unknown> = { ...given };
    for (const [name, field] of inner) {
      const as = field.within?.as ?? name;
      const value = rest[as] === undefined ? undefined : this.#value(field, rest[as], [...place, as]);
      if (value !== undefined) values[name] = value;
      Reflect.deleteProperty(rest, as);
    }
    return rest;
  }

  /** Undefined where something that is required is missing or wrong. */
  #row(fields: Fields, raw: Keys, place: SetupPath): Keys | undefined {
    let isComplete = true;
    const given = this.values(fields, raw, place);
    const row: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(fields)) {
      const value = given[key] ?? field.default;
      if (value !== undefined) row[key] = value;
      else if (field.optional !== true) {
        isComplete = false;
        if (raw[key] === undefined) this.#fault(new ValueFault("missing"), place, key);
      }
    }
    checkRow(fields, { row, raw }, (fault, key) => this.#fault(fault, place, key));
    return isComplete ? row : undefined;
  }

  #required(field: SetupField, value: unknown, place: SetupPath): unknown {
    if (value !== undefined && value !== null) return this.#value(field, value, place);
    this.#fault(new ValueFault("missing"), place);
    return undefined;
  }

  /** Undefined after a fault, and for an optional value that is empty. */
  #value(field: SetupField, value: unknown, place: SetupPath): unknown {
    if ((value === null || value === "") && (field.nullable === true || field.optional === true))
      return field.nullable === true ? null : undefined;
    if (field.kind === "list") return this.#list(field, value, place);
    if (field.kind === "rows") return this.rows(field, value, place)?.map(({ row }) => row);
    if (field.kind === "keyed") return this.#keyed(field, value, place);
    if (field.kind === "record") return this.#record(field, value, place);
    if (field.kind === "wordOrObject") return this.#wordOrObject(field, value, place);
    const given = field.secret === true || field.variable === true ? variableOr(value, this.#sources) : value;
    const read = given instanceof ValueFault ? given : readValue(field, given);
    if (!(read instanceof ValueFault)) return this.#withFiles(field, read, place);
    this.#fault(read, place);
    return undefined;
  }

  /** With the text of certificates and keys in place of the names of their files. */
  #withFiles(field: SetupField, value: unknown, place: SetupPath): unknown {
    const { folder } = this.#sources;
    if (field.kind === "text" && field.form === "privateKey")
      return this.#sound(readKey(value as string, folder), place);
    if (field.kind !== "tls" || value === false) return value;
    const { ca, cert, ...tls } = value as Tls;
    return {
      ...(ca !== undefined && { ca: this.#sound(readCa(ca, folder), [...place, "ca"]) }),
      ...(cert !== undefined && { cert: this.#sound(readCa(cert, folder), [...place, "cert"]) }),
      ...tls,
    };
  }

  #sound(read: string | ValueFault, place: SetupPath): string | undefined {
    if (!(read instanceof ValueFault)) return read;
    this.#fault(read, place);
    return undefined;
  }

  /** Without its faulty entries. */
  #record(kind: RecordValue, value: unknown, place: SetupPath): Keys | undefined {
    const entries = Object.entries(this.object(value, place) ?? {});
    if (entries.length > kind.most) {
      this.#fault(new ValueFault("tooMany", { most: kind.most }), place);
      return undefined;
    }
    const read = entries.map(([key, item]) => {
      const at = [...place, key];
      return [this.#value(kind.key, key, at), this.#value(kind.of, item, at)] as const;
    });
    const sound = read.filter(([key, item]) => key !== undefined && item !== undefined);
    return Object.fromEntries(sound) as Keys;
  }

  /** The word alone where it says everything. */
  #wordOrObject({ key, fields }: WordOrObjectValue, value: unknown, place: SetupPath): unknown {
    const raw = typeof value === "string" ? { [key]: value } : this.object(value, place);
    const row = raw && this.#row(fields, raw, place);
    return row !== undefined && Object.keys(row).length === 1 ? row[key] : row;
  }

  #list(kind: ListValue, value: unknown, place: SetupPath): readonly unknown[] | undefined {
    const items = this.#items(kind, value, place, (item, at) => this.#value(kind.of, item, at));
    if (items === undefined || items.length < 2) return items;
    const once = [...new Set(items)];
    return kind.sorted === true ? once.sort() : once;
  }

  /** A list without its faulty items. */
  #items<Item>(
    { most, filled }: Pick<ListValue, "most" | "filled">,
    value: unknown,
    place: SetupPath,
    read: (item: unknown, place: SetupPath) => Item | undefined,
  ): readonly Item[] | undefined {
    if (!Array.isArray(value)) {
      this.#fault(new ValueFault("list"), place);
      return undefined;
    }
    if (value.length > most) {
      this.#fault(new ValueFault("tooMany", { most }), place);
      return undefined;
    }
    if (filled === true && value.length === 0) this.#fault(new ValueFault("filled"), place);
    const items: Item[] = [];
    for (const [index, raw] of (value as unknown[]).entries()) {
      const item = read(raw, [...place, index]);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  #fault({ key, values, hint }: ValueFault, place: SetupPath, below?: string): void {
    const path = [...place, ...(below === undefined ? [] : [below])];
    this.faults.push({ path, key, ...(values && { values }), ...(hint && { hint }) });
  }
}
