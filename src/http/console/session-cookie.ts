// What a browser sends with a call of the console: the cookie of its session, and the origin of its
// page.
import type { IncomingMessage } from "node:http";
import { ipAllowed } from "../../platform/addresses.ts";
import { plainAddress } from "../client-address.ts";

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

// Under which origin (scheme and host) the browser sees this server, as far as trusted proxies
// tell. Pure.

type Request = Pick<IncomingMessage, "headers" | "socket">;

/** Whether the browser came by https. */
export function isSecure(request: Request, trustedProxies: readonly string[]): boolean {
  return schemeOf(request, trustedProxies) === "https";
}

/** Whether the Origin header names this server; a call without one came from no page. */
export function isOwnOrigin(request: Request, trustedProxies: readonly string[]): boolean {
  const { origin } = request.headers;
  return origin === undefined || sameOrigin(origin, ownOrigin(request, trustedProxies));
}

/** Such as https://sms.example.com. As the caller writes it: it may be no origin at all. */
export function ownOrigin(request: Request, trustedProxies: readonly string[]): string {
  const host = forwarded(request, "x-forwarded-host", trustedProxies) ?? request.headers.host ?? "";
  return `${schemeOf(request, trustedProxies)}://${host}`;
}

function schemeOf(request: Request, trustedProxies: readonly string[]): string {
  return forwarded(request, "x-forwarded-proto", trustedProxies)?.toLowerCase() ?? "http";
}

function forwarded({ headers, socket }: Request, name: string, trustedProxies: readonly string[]): string | undefined {
  const value = headers[name];
  if (typeof value !== "string" || trustedProxies.length === 0) return undefined;
  if (!ipAllowed(trustedProxies, plainAddress(socket.remoteAddress ?? ""))) return undefined;
  // Of several proxies the first one met the browser.
  const first = value.slice(0, 300).split(",", 1)[0]?.trim();
  return first === "" ? undefined : first;
}

/** More than any scheme, host (RFC 1035: 255 octets) and port. A longer origin is nobody's. */
const longestOrigin = 300;

/** Both with their default ports left out. */
function sameOrigin(one: string, other: string): boolean {
  if (one.length > longestOrigin || other.length > longestOrigin) return false;
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const { origin } = new URL(one);
  return origin !== "null" && origin === new URL(other).origin;
}
