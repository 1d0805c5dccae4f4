// Certificates of a link that no TLS could read. Those that are stored already go on. Pure.
import { X509Certificate } from "node:crypto";
import type { SetupFault } from "./fault.ts";
import type { Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

export function findBadCertificates({ connectors }: Setup, stored: SetupState): readonly SetupFault[] {
  return connectors.flatMap(({ path, name, settings: { tls } }) => {
    const ca = tls === undefined || tls === false ? undefined : tls.ca;
    const old = stored.connectors.get(name)?.settings.tls;
    if (ca === undefined || (old !== undefined && old !== false && old.ca === ca)) return [];
    const bad = certificatesIn(ca).findIndex((certificate) => !isReadable(certificate));
    if (bad === -1) return [];
    return [{ path: [...path, "tls", "ca"], message: `certificate ${bad + 1} of it is not a certificate of X.509` }];
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
