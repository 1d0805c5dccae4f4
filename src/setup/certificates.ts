// The certificates of connectors: read from the files that a setup names, and checked. What is
// stored already goes on.
import { X509Certificate } from "node:crypto";
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { type SetupFault, ValueFault } from "./fault.ts";
import { longestPem } from "./read-value.ts";
import type { Setup, SetupState } from "./sections.ts";

/**
 * Replaces the names of certificate files with their text, so that every node has them, and leaves
 * private keys out, because `ca` is shown to all staff.
 */
export function readCertificates(
  setup: Setup,
  folder: string | undefined,
): { readonly setup: Setup; readonly faults: readonly SetupFault[] } {
  const faults: SetupFault[] = [];
  const connectors = setup.connectors.map((connector) => {
    const { tls } = connector.values;
    if (tls === undefined || tls === false || tls.ca === undefined) return connector;
    const ca = readCa(tls.ca, folder);
    if (typeof ca === "string") return { ...connector, values: { ...connector.values, tls: { ...tls, ca } } };
    const { key, values, hint } = ca;
    faults.push({ path: [...connector.place.path, "tls", "ca"], key, values, hint });
    return connector;
  });
  return { setup: { ...setup, connectors }, faults };
}

function readCa(given: string, folder: string | undefined): string | ValueFault {
  const isText = given.includes("-----BEGIN");
  if (isText || folder === undefined)
    return certificatesOf(given) ?? new ValueFault(isText ? "noCertificate" : "notPem");
  return (
    readPem(path.resolve(folder, given)) ??
    new ValueFault("noCertificateFile", { file: given }, { key: "certificateFile" })
  );
}

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

/** Certificates that no TLS could read. */
export function findBadCertificates({ connectors }: Setup, stored: SetupState): readonly SetupFault[] {
  return connectors.flatMap(({ place, name, values: { tls } }): SetupFault[] => {
    const ca = tls === undefined || tls === false ? undefined : tls.ca;
    const old = stored.connectors.get(name)?.tls;
    if (ca === undefined || (old !== undefined && old !== false && old.ca === ca)) return [];
    const bad = certificatesIn(ca).findIndex((certificate) => !isReadable(certificate));
    if (bad === -1) return [];
    return [{ path: [...place.path, "tls", "ca"], key: "badCertificate", values: { number: bad + 1 } }];
  });
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
