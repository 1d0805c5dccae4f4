// Whose address a request comes from, for error 1006, /metrics and the limit of logins. X-Forwarded-For is believed only as
// far as proxies that the configuration names have written it; anything else in it can be made up by the caller.
import { BlockList, isIP, isIPv4 } from "node:net";

/** Addresses and CIDR ranges; an IPv4-mapped IPv6 address counts as the IPv4 address. */
export class AddressList {
  readonly #list = new BlockList();
  readonly isEmpty: boolean;

  constructor(entries: readonly string[]) {
    this.isEmpty = entries.length === 0;
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: string): void {
    const [text = "", prefix] = entry.trim().split("/");
    const address = plainAddress(text);
    if (isIP(address) === 0) return; // Checked where it is set; one that slipped through allows nobody.
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const wasMapped = address !== text && text.includes(":") && family === "ipv4";
    const bits = prefix === undefined ? undefined : Number(prefix) - (wasMapped ? 96 : 0);
    if (bits === undefined) this.#list.addAddress(address, family);
    else if (Number.isInteger(bits) && bits >= 0) this.#list.addSubnet(address, bits, family);
  }

  has(address: string): boolean {
    if (isIP(address) === 0) return false;
    return this.#list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }
}

const mappedAddress = /^::ffff:([0-9]{1,3}(?:\.[0-9]{1,3}){3})$/i;

/** Without brackets, zone and IPv4 mapping. */
export function plainAddress(address: string): string {
  const bare = address.replace(/^\[([^\]]*)\]$/, "$1").replace(/%.*$/, "");
  return mappedAddress.exec(bare)?.[1] ?? bare;
}

// A proxy may add the port: "1.2.3.4:5678" or "[::1]:5678".
const addressWithPort = /^(\[[^\]]*\]|[0-9.]+):[0-9]{1,5}$/;

/**
 * The nearest address that is not a trusted proxy's. Walks X-Forwarded-For from its end, where the nearest proxy wrote. An entry that
 * is no address is answered as it stands: it is in nobody's list.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | readonly string[] | undefined,
  trustedProxies: AddressList,
): string {
  let address = plainAddress(socketAddress);
  if (trustedProxies.isEmpty || forwardedFor === undefined) return address;
  const hops = (typeof forwardedFor === "string" ? forwardedFor : forwardedFor.join(",")).split(",");
  for (let index = hops.length - 1; index >= 0 && trustedProxies.has(address); index -= 1) {
    const hop = (hops[index] ?? "").trim();
    address = plainAddress(addressWithPort.exec(hop)?.[1] ?? hop);
  }
  return address;
}
