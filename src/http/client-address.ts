// The client address of a request, for error 1006, /metrics and the limit of logins. Only entries
// of X-Forwarded-For that configured proxies have written are trusted, because the caller can
// invent the others.
import type { IncomingMessage } from "node:http";
import { ipAllowed } from "../platform/addresses.ts";

const mappedAddress = /^::ffff:([0-9]{1,3}(?:\.[0-9]{1,3}){3})$/i;

/** Without brackets, zone and IPv4 mapping. */
export function plainAddress(address: string): string {
  if (!address.includes(":")) return address;
  const bare = address.replace(/^\[([^\]]*)\]$/, "$1").replace(/%.*$/, "");
  return mappedAddress.exec(bare)?.[1] ?? bare;
}

// A proxy may add the port: "1.2.3.4:5678" or "[::1]:5678".
const addressWithPort = /^(\[[^\]]*\]|[0-9.]+):[0-9]{1,5}$/;

/**
 * Longest value that is read. A header field may have 1 MiB, but no chain of proxies is that long.
 */
const maximumHops = 100;
const maximumHopCharacters = 100;
const noAddress = "unknown";

/**
 * The nearest address that is not a trusted proxy's. Reads X-Forwarded-For from its end, where the
 * nearest proxy wrote. An entry that is not an address is returned unchanged, and is on no list.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  let address = plainAddress(socketAddress);
  if (trustedProxies.length === 0 || forwardedFor === undefined) return address;
  let end = forwardedFor.length;
  for (let hops = 0; hops < maximumHops && end >= 0 && ipAllowed(trustedProxies, address); hops += 1) {
    const start = forwardedFor.lastIndexOf(",", end - 1) + 1;
    const hop = end - start > maximumHopCharacters ? noAddress : forwardedFor.slice(start, Math.max(start, end)).trim();
    address = plainAddress(addressWithPort.exec(hop)?.[1] ?? hop);
    end = start - 1;
  }
  return address;
}

/** `clientAddress` of a request. */
export function requestAddress({ headers, socket }: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwardedFor = headers["x-forwarded-for"] as string | undefined;
  return clientAddress(socket.remoteAddress ?? "", forwardedFor, trustedProxies);
}

const loopback: readonly string[] = ["127.0.0.0/8", "::1"];

const proxyTraces = ["via", "forwarded", "x-real-ip"];

/**
 * Whether the header fields show a proxy. The address of the socket is then the proxy's, not the
 * caller's.
 */
function cameThroughProxy({ headers }: IncomingMessage): boolean {
  return proxyTraces.some((name) => name in headers) || Object.keys(headers).some(isForwardedHeader);
}

function isForwardedHeader(name: string): boolean {
  return name.startsWith("x-forwarded-");
}

/** Whether a trusted proxy names the client. */
function isForwardedByTrusted({ headers, socket }: IncomingMessage, trustedProxies: readonly string[]): boolean {
  const proxy = plainAddress(socket.remoteAddress ?? "");
  return headers["x-forwarded-for"] !== undefined && trustedProxies.length > 0 && ipAllowed(trustedProxies, proxy);
}

/**
 * Behind a proxy on this machine every call looks local, unless the proxy is trusted and names the
 * client.
 */
export function isClientKnown(request: IncomingMessage, trustedProxies: readonly string[]): boolean {
  return !cameThroughProxy(request) || isForwardedByTrusted(request, trustedProxies);
}

/** Whether the address is this machine's or in a configured network. */
export function isLocalOrAllowed(address: string, allowed: readonly string[]): boolean {
  return ipAllowed(loopback, address) || (allowed.length > 0 && ipAllowed(allowed, address));
}
