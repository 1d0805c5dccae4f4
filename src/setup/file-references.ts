// Values that a setup file gives by the name of a variable of the environment or of a file. What they
// hold appears in no fault.
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { ValueFault } from "./fault.ts";

export interface ReferenceSources {
  /**
   * File names are relative to this folder. Absent: the setup comes from elsewhere, and may name no
   * files and no variables.
   */
  readonly folder?: string | undefined;
  /** Values for `${NAME}`. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const variable = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** The value of the variable that is named, or else what is given. */
export function variableOr(given: unknown, { folder, environment }: ReferenceSources): unknown {
  const name = typeof given === "string" ? variable.exec(given)?.[1] : undefined;
  if (name === undefined) return given;
  if (folder === undefined) return new ValueFault("noVariableHere", { name }, { key: "giveValue" });
  const value = environment?.[name] ?? "";
  return value === "" ? new ValueFault("variableUnset", { name }, { key: "setVariable" }) : value;
}

const longestPasswordFile = 65_536;

export function passwordInFile(file: unknown, { folder }: ReferenceSources): string | ValueFault {
  if (folder === undefined) return new ValueFault("noFileHere", undefined, { key: "givePassword" });
  if (typeof file !== "string" || file === "") return new ValueFault("fileName");
  const text = readText(path.resolve(folder, file));
  if (text === undefined) return new ValueFault("unreadableFile", { file }, { key: "passwordFile" });
  return text === "" ? new ValueFault("emptyFile", { file }) : text;
}

/** Without the line break that editors and `echo` add at the end. */
function readText(file: string): string | undefined {
  try {
    const octets = readRegularFile(file, { mostBytes: longestPasswordFile });
    return octets && new TextDecoder("utf-8", { fatal: true }).decode(octets).replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}
