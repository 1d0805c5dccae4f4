// Whose address a request comes from, for error 1006, /metrics and the limit of logins. X-Forwarded-For is believed only as
// far as proxies that the configuration names have written it; anything else in it can be made up by the caller.
import type { IncomingMessage } from "node:http";
import { ipAllowed } from "../credentials/ip-allow-list.ts";

const mappedAddress = /^::ffff:([0-9]{1,3}(?:\.[0-9]{1,3}){3})$/i;

/** Without brackets, zone and IPv4 mapping. */
export function plainAddress(address: string): string {
  if (!address.includes(":")) return address;
  const bare = address.replace(/^\[([^\]]*)\]$/, "$1").replace(/%.*$/, "");
  return mappedAddress.exec(bare)?.[1] ?? bare;
}

// A proxy may add the port: "1.2.3.4:5678" or "[::1]:5678".
const addressWithPort = /^(\[[^\]]*\]|[0-9.]+):[0-9]{1,5}$/;

/** The field may have 2 MiB; no chain of proxies is that long, and no address. */
const maximumHops = 100;
const maximumHopCharacters = 100;
const noAddress = "unknown";

/**
 * The nearest address that is not a trusted proxy's. Walks X-Forwarded-For from its end, where the nearest proxy wrote. An
 * entry that is no address is answered as it stands: it is on nobody's list.
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

/** As `clientAddress`, of a request as it came. */
export function requestAddress({ headers, socket }: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwardedFor = headers["x-forwarded-for"] as string | undefined;
  return clientAddress(socket.remoteAddress ?? "", forwardedFor, trustedProxies);
}

const loopback: readonly string[] = ["127.0.0.0/8", "::1"];

const proxyTraces = ["via", "forwarded", "x-real-ip"];

/** Whether a proxy has left its name: then the address of the socket is the proxy's, and says nothing of the caller. */
export function cameThroughProxy({ headers }: IncomingMessage): boolean {
  return proxyTraces.some((name) => name in headers) || Object.keys(headers).some(isForwardedHeader);
}

function isForwardedHeader(name: string): boolean {
  return name.startsWith("x-forwarded-");
}

/** Whether a trusted proxy has written whom the call is from. */
export function isForwardedByTrusted({ headers, socket }: IncomingMessage, trustedProxies: readonly string[]): boolean {
  const proxy = plainAddress(socket.remoteAddress ?? "");
  return headers["x-forwarded-for"] !== undefined && trustedProxies.length > 0 && ipAllowed(trustedProxies, proxy);
}

/** Whether the address may read what only the machine itself and named networks may. */
export function isLocalOrAllowed(address: string, allowed: readonly string[]): boolean {
  return ipAllowed(loopback, address) || (allowed.length > 0 && ipAllowed(allowed, address));
}
