// The certificates of connectors: read from the files that a setup names, and checked.
import { createPrivateKey, X509Certificate } from "node:crypto";
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { type SetupFault, ValueFault } from "./fault.ts";
import { longestPem } from "./read-value.ts";
import type { Setup, SetupState } from "./sections.ts";

/**
 * The text of a file that is named, so that every node has it. Private keys are left out, because
 * certificates are shown to all staff.
 */
export function readCa(given: string, folder: string | undefined): string | ValueFault {
  const isFile = !given.includes("-----BEGIN") && folder !== undefined;
  const pem = isFile ? readPem(path.resolve(folder, given), certificatesOf) : certificatesOf(given);
  if (pem === undefined && isFile)
    return new ValueFault("noCertificateFile", { file: given }, { key: "certificateFile" });
  if (pem === undefined) return new ValueFault(given.includes("-----BEGIN") ? "noCertificate" : "notPem");
  const number = firstUnreadable(pem);
  return number === 0 ? pem : new ValueFault("badCertificate", { number });
}

/** A file of the key alone, or with its certificate. */
export function readKey(given: string, folder: string | undefined): string | ValueFault {
  if (given.includes("-----BEGIN") || folder === undefined)
    return privateKeyOf(given) ?? new ValueFault("noPrivateKey");
  return readPem(path.resolve(folder, given), privateKeyOf) ?? new ValueFault("noKeyFile", { file: given });
}

function privateKeyOf(text: string): string | undefined {
  return text.match(privateKeys)?.[0].trim();
}

function readPem(file: string, take: (text: string) => string | undefined): string | undefined {
  try {
    const text = readRegularFile(file, { mostBytes: longestPem })?.toString("utf8") ?? "";
    return take(text.trim());
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

/** Keys that are missing, or are not those of their certificates. */
export function findForeignKeys({ connectors }: Setup, desired: SetupState): readonly SetupFault[] {
  return connectors.flatMap(({ place, name, values }): SetupFault[] => {
    const { tls, tlsKey } = desired.connectors.get(name) ?? { tls: false as const, tlsKey: null };
    const isGiven = values.tls !== undefined || values.tlsKey !== undefined;
    if (!isGiven || tls === false || tls.cert === undefined) return [];
    const key = tlsKey === null ? "missing" : faultOfPair(tls.cert, tlsKey);
    return key === undefined ? [] : [{ path: [...place, "tls", "key"], key }];
  });
}

function faultOfPair(cert: string, key: string): ValueFault["key"] | undefined {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? undefined : "foreignPrivateKey";
  } catch {
    return "noPrivateKey";
  }
}

/** From 1; 0: all can be read. */
function firstUnreadable(pem: string): number {
  return certificatesIn(pem).findIndex((certificate) => !isReadable(certificate)) + 1;
}

/** A last one without its end, too. */
const certificates = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[\s\S]*?(?:-----END \1-----|$)/g;

function certificatesIn(pem: string): readonly string[] {
  return [...pem.matchAll(certificates)].map(([certificate]) => certificate);
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
