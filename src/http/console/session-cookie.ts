// The cookie that holds the token of a session, out of reach of scripts and of other sites. Under
// https its name has the prefix __Host-, so that no other host of the domain can set it (RFC 6265bis
// §4.1.3.2). Such a cookie is for all paths; others are for the console's only. Pure.

const plainName = "hodhod_session";
const secureName = `__Host-${plainName}`;
/** A session lives no longer. */
const maximumAgeSeconds = 7 * 86_400;
const longestHeader = 16_384;

interface Connection {
  /** The browser came by https. */
  readonly secure: boolean;
}

/**
 * The token in a Cookie header. If there are several, the first counts, because browsers send the
 * cookie with the narrowest path first.
 */
export function tokenOf(header: string | undefined, { secure }: Connection): string | undefined {
  const name = nameOf(secure);
  if (header === undefined || header.length > longestHeader) return undefined;
  for (const pair of header.split(";")) {
    const start = pair.indexOf("=");
    if (start > 0 && pair.slice(0, start).trim() === name) return pair.slice(start + 1).trim();
  }
  return undefined;
}

export function cookieOf(token: string, { secure }: Connection): string {
  return write(token, maximumAgeSeconds, secure);
}

export function endedCookie({ secure }: Connection): string {
  return write("", 0, secure);
}

function write(value: string, maximumAge: number, secure: boolean): string {
  const attributes = `Path=${secure ? "/" : "/console"}; Max-Age=${maximumAge}; HttpOnly; SameSite=Strict`;
  return `${nameOf(secure)}=${value}; ${attributes}${secure ? "; Secure" : ""}`;
}

function nameOf(secure: boolean): string {
  return secure ? secureName : plainName;
}
