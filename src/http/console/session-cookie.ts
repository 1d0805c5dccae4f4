// The cookie that holds the token of a session: for the console's paths only, out of reach of
// scripts and of other sites. Pure.

const name = "hodhod_session";
/** A session lives no longer. */
const maximumAgeSeconds = 7 * 86_400;
const longestHeader = 16_384;

/**
 * The token in a Cookie header. If there are several, the first counts, because browsers send the
 * cookie with the narrowest path first.
 */
export function tokenOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > longestHeader) return undefined;
  for (const pair of header.split(";")) {
    const start = pair.indexOf("=");
    if (start > 0 && pair.slice(0, start).trim() === name) return pair.slice(start + 1).trim();
  }
  return undefined;
}

export function cookieOf(token: string, { secure }: { readonly secure: boolean }): string {
  return write(token, maximumAgeSeconds, secure);
}

export function endedCookie({ secure }: { readonly secure: boolean }): string {
  return write("", 0, secure);
}

function write(value: string, maximumAge: number, secure: boolean): string {
  const attributes = `Path=/console; Max-Age=${maximumAge}; HttpOnly; SameSite=Strict`;
  return `${name}=${value}; ${attributes}${secure ? "; Secure" : ""}`;
}
