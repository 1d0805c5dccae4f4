// The subscriber that a source address stands for when callers are counted. Pure.
import { isIP } from "node:net";

/** Longer than any address; a proxy may send a text of any length instead of an address. */
const maximumLength = 64;

/**
 * An IPv4 address itself; the /64 of an IPv6 address, which belongs to one subscriber; any other
 * text as it is, truncated.
 */
export function sourceNetwork(address: string): string {
  const bare = address.includes("%") ? address.replace(/%.*$/, "") : address;
  if (isIP(bare) !== 6) return bare.slice(0, maximumLength);
  // The URL parser produces the canonical form: no leading zeros, no IPv4 part, the longest run of
  // zeros as "::".
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [left = "", right] = canonical.split("::");
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
