// Reads a setup file, or a value of its form, without a database: references resolved, certificates
// in place, each key checked by itself.
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { SetupFaults, type LocatedFault, type SetupFault } from "./fault.ts";
import { withoutEchoes } from "./judge-setup.ts";
import { readSetup, type ReadSetup } from "./read-setup.ts";
import { resolveReferences } from "./references.ts";
import { parseSetupDocument, type SetupDocument } from "./setup-document.ts";
import type { ConnectorSetup, Setup } from "./setup.ts";

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
  const { value: resolved, faults: unresolved } = resolveReferences(value, { folder, environment });
  const { setup: read, faults } = readSetup(resolved);
  const { setup, faults: fileFaults } = readCertificates(read, folder);
  return { setup, faults: withoutEchoes([...unresolved, ...faults, ...fileFaults]) };
}

/**
 * Throws SetupFaults with all faults that the file shows without the database, before one is
 * opened.
 */
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

/**
 * Replaces the names of certificate files with their text, so that every node has them, and leaves
 * private keys out, because `ca` is shown to all staff.
 */
function readCertificates(setup: Setup, folder: string | undefined): { setup: Setup; faults: SetupFault[] } {
  const faults: SetupFault[] = [];
  const connectors = setup.connectors.map((connector): ConnectorSetup => {
    const { tls } = connector.settings;
    if (tls === undefined || tls === false || tls.ca === undefined) return connector;
    const isText = tls.ca.includes("-----BEGIN");
    const file = folder === undefined || isText ? undefined : path.resolve(folder, tls.ca);
    const ca = file === undefined ? certificatesOf(tls.ca) : readPem(file);
    if (ca !== undefined) return { ...connector, settings: { ...connector.settings, tls: { ...tls, ca } } };
    if (file === undefined) {
      const message = isText
        ? "must contain a certificate in PEM format"
        : "must be the text of certificates in PEM format, not the name of a file";
      faults.push({ path: [...connector.path, "tls", "ca"], message });
      return connector;
    }
    const message = `${tls.ca} cannot be read or contains no certificate`;
    const hint = "a file of certificates in PEM format, of at most 1 MiB";
    faults.push({ path: [...connector.path, "tls", "ca"], message, hint });
    return connector;
  });
  return { setup: { ...setup, connectors }, faults };
}

const longestPem = 1_048_576;

function readPem(file: string): string | undefined {
  try {
    const text = readRegularFile(file, { mostBytes: longestPem })?.toString("utf8") ?? "";
    return certificatesOf(text.trim());
  } catch {
    return undefined;
  }
}

/** As it is, but for private keys, which stand beside the certificates in some files. */
function certificatesOf(text: string): string | undefined {
  const open = text.includes("PRIVATE KEY-----") ? text.replace(privateKeys, "").trim() : text;
  return /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(open) ? open : undefined;
}

/** To the end of the text where the end of a key is missing. */
const privateKeys = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----\s*|$)/g;
