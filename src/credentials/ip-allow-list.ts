// Whether an address is on an allow list of addresses and CIDR blocks (error 1006). An empty list
// allows everything. A text that is not an address is on no list.
import { BlockList, isIP } from "node:net";

/** "10.0.0.0/8" or "10.0.0.1". A v4-mapped IPv6 block counts as the IPv4 block that it maps. */
export interface AddressBlock {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefixBits: number;
}

const mappedForm = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;
const mappedBits = 96;

/** The block in a text, or undefined when it is neither an address nor a CIDR block. */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return undefined;
  const widest = version === 4 ? 32 : 128;
  const prefixBits = slash < 0 ? widest : parsePrefixBits(text.slice(slash + 1), widest);
  if (prefixBits === undefined) return undefined;
  if (version === 4) return { address, family: "ipv4", prefixBits };
  const mapped = unmapAddress(address);
  if (mapped !== undefined && prefixBits >= mappedBits) {
    return { address: mapped, family: "ipv4", prefixBits: prefixBits - mappedBits };
  }
  return { address, family: "ipv6", prefixBits };
}

function parsePrefixBits(text: string, widest: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(text)) return undefined;
  const bits = Number(text);
  return bits <= widest ? bits : undefined;
}

/** The IPv4 address in a v4-mapped IPv6 address, in any of its notations. */
function unmapAddress(address: string): string | undefined {
  // The URL parser produces the canonical form of an IPv6 address.
  const mapped = mappedForm.exec(new URL(`http://[${address}]`).hostname);
  if (mapped === null) return undefined;
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

// Lists belong to one Directory and never change, so a compiled list stays valid as long as its
// source exists.
const compiled = new WeakMap<readonly string[], BlockList>();

function compile(list: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const text of list) {
    const block = parseAddressBlock(text);
    if (block !== undefined) blocks.addSubnet(block.address, block.prefixBits, block.family);
  }
  return blocks;
}

export function ipAllowed(list: readonly string[], address: string): boolean {
  if (list.length === 0) return true;
  const block = parseAddressBlock(address.replace(/%.*$/, ""));
  if (block === undefined) return false;
  let blocks = compiled.get(list);
  if (blocks === undefined) {
    blocks = compile(list);
    compiled.set(list, blocks);
  }
  return blocks.check(block.address, block.family);
}

// The subscriber that a source address stands for when callers are counted.

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
