// Under which origin (scheme and host) the browser sees this server, as far as trusted proxies
// tell. Pure.
import type { IncomingMessage } from "node:http";
import { ipAllowed } from "../../credentials/ip-allow-list.ts";
import { plainAddress } from "../client-address.ts";

type Request = Pick<IncomingMessage, "headers" | "socket">;

/** Whether the browser came by https. */
export function isSecure(request: Request, trustedProxies: readonly string[]): boolean {
  return schemeOf(request, trustedProxies) === "https";
}

/** Whether the Origin header names this server; a call without one came from no page. */
export function isOwnOrigin(request: Request, trustedProxies: readonly string[]): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  const ownHost = forwarded(request, "x-forwarded-host", trustedProxies) ?? host;
  return sameOrigin(origin, `${schemeOf(request, trustedProxies)}://${ownHost ?? ""}`);
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
