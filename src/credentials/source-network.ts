// Whom a source address stands for where callers are counted. Pure.
import { isIP } from "node:net";

/** Longer than any address: what a proxy names instead of one may be of any length. */
const maximumLength = 64;

/** An IPv4 address itself; of an IPv6 address its /64, all of which belongs to one subscriber; anything else as it stands, cut. */
export function sourceNetwork(address: string): string {
  const bare = address.includes("%") ? address.replace(/%.*$/, "") : address;
  if (isIP(bare) !== 6) return bare.slice(0, maximumLength);
  // The URL parser knows the one canonical form: no leading zeros, no IPv4 part, the longest run of zeros as "::".
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [left = "", right] = canonical.split("::");
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
