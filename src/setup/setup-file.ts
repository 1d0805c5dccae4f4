// Reads a setup file, or a value of its form, without a database: variables and files put in, each key
// checked by itself. What they held appears in no fault.
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { readCertificates } from "./certificates.ts";
import { type LocatedFault, type SetupFault, SetupFaults, type SetupPath, ValueFault } from "./fault.ts";
import { withoutEchoes } from "./judge-setup.ts";
import { readSetup, type ReadSetup } from "./read-setup.ts";
import type { Setup } from "./sections.ts";
import { parseSetupDocument, type SetupDocument } from "./setup-document.ts";

export interface SetupSource {
  /** The text of the setup file. */
  readonly text: string;
  /**
   * Names of certificate and password files are relative to this folder. Absent: the setup comes
   * from elsewhere and may name no files.
   */
  readonly folder?: string;
  /** Values for `${NAME}`; absent: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
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
export function readSetupValue(value: unknown, { folder, environment }: Omit<SetupSource, "text"> = {}): ReadSetup {
  const { value: resolved, faults: unresolved } = resolveVariables(value, { folder, environment });
  const { setup: read, faults } = readSetup(resolved);
  const { setup, faults: fileFaults } = readCertificates(read, folder);
  return { setup, faults: withoutEchoes([...unresolved, ...faults, ...fileFaults]) };
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

export interface ReferenceSources {
  /** File names are relative to this folder; absent: no files may be named. */
  readonly folder?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

type Plain = Readonly<Record<string, unknown>>;

/** Asked only for a fault: files of thousands of accounts hardly have any. */
type Place = () => SetupPath;

const userKeys = ["password"];
const apiKeyKeys = ["key"];
const webhookKeys = ["secret"];
const longestPasswordFile = 65_536;
const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * Returns the value with its references resolved. One that cannot be resolved becomes a fault and a
 * placeholder.
 */
export function resolveVariables(
  value: unknown,
  sources: ReferenceSources,
): { readonly value: unknown; readonly faults: readonly SetupFault[] } {
  const resolver = new Resolver(sources);
  if (!isPlain(value)) return { value, faults: [] };
  const connectors = eachOf(
    value["connectors"],
    () => ["connectors"],
    (connector, place) => {
      const { tls } = connector;
      const resolved = resolver.resolve(connector, place, ["host", "systemId", "password"]);
      if (!isPlain(tls)) return resolved;
      return withChanged(resolved, { tls: resolver.resolve(tls, () => [...place(), "tls"], ["key"]) });
    },
  );
  const accounts = eachOf(
    value["accounts"],
    () => ["accounts"],
    (account, place) => {
      const listOf = (list: string, keys: readonly string[]): readonly unknown[] | undefined =>
        eachOf(
          account[list],
          () => [...place(), list],
          (item, at) => resolver.resolve(item, at, keys),
        );
      const users = listOf("users", userKeys);
      const apiKeys = listOf("apiKeys", apiKeyKeys);
      const webhooks = listOf("webhooks", webhookKeys);
      return withChanged(account, { users, apiKeys, webhooks });
    },
  );
  const staff = eachOf(
    value["staff"],
    () => ["staff"],
    (person, place) => resolver.resolve(person, place, userKeys),
  );
  return { value: withChanged(value, { connectors, accounts, staff }), faults: resolver.faults };
}

const nothing: Plain = {};

class Resolver {
  readonly faults: SetupFault[] = [];
  readonly #sources: ReferenceSources;

  constructor(sources: ReferenceSources) {
    this.#sources = sources;
  }

  /**
   * The object with the given keys resolved. If they include `password`, `passwordFile` becomes
   * `password`.
   */
  resolve(object: Plain, place: Place, keys: readonly string[]): Plain {
    let changed = nothing;
    for (const key of keys) {
      const value = object[key];
      const name = typeof value === "string" ? reference.exec(value)?.[1] : undefined;
      if (name !== undefined) changed = { ...changed, [key]: this.#fromEnvironment(name, [...place(), key]) };
    }
    const file = object["passwordFile"];
    if (file === undefined || !keys.includes("password")) return withChanged(object, changed);
    const password = this.#fromFile(file, object["password"], [...place(), "passwordFile"]);
    const rest = Object.entries(object).filter(([key]) => key !== "passwordFile");
    return { ...Object.fromEntries(rest), ...changed, password };
  }

  #fromEnvironment(name: string, place: SetupPath): string {
    const { folder, environment } = this.#sources;
    if (folder === undefined)
      return this.#missing(place, new ValueFault("noVariableHere", { name }, { key: "giveValue" }));
    const value = environment?.[name];
    if (value !== undefined && value !== "") return value;
    return this.#missing(place, new ValueFault("variableUnset", { name }, { key: "setVariable" }));
  }

  #fromFile(file: unknown, password: unknown, place: SetupPath): string {
    const { folder } = this.#sources;
    if (folder === undefined)
      return this.#missing(place, new ValueFault("noFileHere", undefined, { key: "givePassword" }));
    if (typeof file !== "string" || file === "") return this.#missing(place, new ValueFault("fileName"));
    if (password !== undefined && password !== null) return this.#missing(place, new ValueFault("notWithPassword"));
    const text = this.#read(path.resolve(folder, file));
    if (text === undefined)
      return this.#missing(place, new ValueFault("unreadableFile", { file }, { key: "passwordFile" }));
    return text === "" ? this.#missing(place, new ValueFault("emptyFile", { file })) : text;
  }

  /** Drops the line break that editors and `echo` add at the end. */
  #read(file: string): string | undefined {
    try {
      const octets = readRegularFile(file, { mostBytes: longestPasswordFile });
      return octets && new TextDecoder("utf-8", { fatal: true }).decode(octets).replace(/\r?\n$/, "");
    } catch {
      return undefined;
    }
  }

  /** All placeholders differ, so that two of them never look like the same key. */
  #missing(path: SetupPath, { key, values, hint }: ValueFault): string {
    this.faults.push({ path, key, values, hint });
    return `unresolved-${this.faults.length}`;
  }
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list with each of its objects changed; undefined if it is not a list. */
function eachOf(
  list: unknown,
  place: Place,
  change: (object: Plain, place: Place) => Plain,
): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const changed = list.map((item: unknown, index) => (isPlain(item) ? change(item, () => [...place(), index]) : item));
  return changed.some((item, index) => item !== list[index]) ? changed : (list as readonly unknown[]);
}

/** The object itself, if nothing in it changed: a file of thousands of accounts is not copied. */
function withChanged(object: Plain, changed: Plain): Plain {
  let result = object;
  for (const key in changed) {
    const value = changed[key];
    if (value !== undefined && value !== object[key]) result = { ...result, [key]: value };
  }
  return result;
}
