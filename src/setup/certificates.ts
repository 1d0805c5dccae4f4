// The certificates of connectors: read from the files that a setup names, and checked. What is
// stored already stays in use.
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
  const isText = given.includes("-----BEGIN");
  if (isText || folder === undefined)
    return certificatesOf(given) ?? new ValueFault(isText ? "noCertificate" : "notPem");
  return (
    readPem(path.resolve(folder, given), certificatesOf) ??
    new ValueFault("noCertificateFile", { file: given }, { key: "certificateFile" })
  );
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

/** Certificates that no TLS could read, and keys that are not those of their certificate. */
export function findBadCertificates({ connectors }: Setup, stored: SetupState): readonly SetupFault[] {
  return connectors.flatMap(({ place, name, values: { tls, tlsKey } }): SetupFault[] => {
    const connector = stored.connectors.get(name);
    const old = connector?.tls === false ? undefined : connector?.tls;
    const now = tls === false ? undefined : (tls ?? old);
    const key = tlsKey === undefined ? connector?.tlsKey : tlsKey;
    const path = [...place.path, "tls"];
    const bad = (["ca", "cert"] as const).flatMap((which): SetupFault[] => {
      const number = now?.[which] === old?.[which] ? 0 : firstUnreadable(now?.[which] ?? "");
      return number === 0 ? [] : [{ path: [...path, which], key: "badCertificate", values: { number } }];
    });
    const isChanged = now?.cert !== old?.cert || key !== connector?.tlsKey;
    return bad.length > 0 || !isChanged ? bad : pairFaults(now?.cert, key, path);
  });
}

function pairFaults(cert: string | undefined, key: string | null | undefined, path: SetupFault["path"]): SetupFault[] {
  const hasKey = key !== undefined && key !== null;
  if (cert === undefined) return [];
  if (!hasKey) return [{ path: [...path, "key"], key: "missing" }];
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return [];
    return [{ path: [...path, "key"], key: "foreignPrivateKey" }];
  } catch {
    return [{ path: [...path, "key"], key: "noPrivateKey" }];
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
