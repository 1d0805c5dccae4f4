// Reads a setup file, or a value of its form, without a database: references resolved, certificates
// in place, each key checked by itself.
import { readCertificates } from "./certificates.ts";
import { SetupFaults, type LocatedFault, type SetupFault } from "./fault.ts";
import { withoutEchoes } from "./judge-setup.ts";
import { readSetup, type ReadSetup } from "./read-setup.ts";
import { resolveVariables } from "./resolve-variables.ts";
import { parseSetupDocument, type SetupDocument } from "./setup-document.ts";
import type { Setup } from "./sections.ts";

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
