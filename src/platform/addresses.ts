// IP addresses: blocks of them, lists that allow (error 1006) or refuse them, and the subscriber behind one.
// An IPv4 address in its IPv6 form (::ffff:10.0.0.1) is that IPv4 address, as node:net has it.
import { BlockList, isIP } from "node:net";

/** "10.0.0.0/8" or "10.0.0.1". */
interface AddressBlock {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefixBits: number;
}

function familyOf(address: string): AddressBlock["family"] | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}

function parseAddressBlock(text: string): AddressBlock | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const family = familyOf(address);
  if (family === undefined || rest.length > 0 || address.includes("%")) return undefined;
  const widest = family === "ipv4" ? 32 : 128;
  const isNumber = bits === undefined || /^(?:0|[1-9][0-9]{0,2})$/.test(bits);
  const prefixBits = isNumber ? Number(bits ?? widest) : NaN;
  return prefixBits <= widest ? { address, family, prefixBits } : undefined;
}

/** Whether the text is an address or a CIDR block. */
export function isAddressBlock(text: string): boolean {
  return parseAddressBlock(text) !== undefined;
}

/** Of the texts that are addresses or blocks. */
export function blockListOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const block = parseAddressBlock(text);
    if (block !== undefined) list.addSubnet(block.address, block.prefixBits, block.family);
  }
  return list;
}

/** Without its zone. */
export function bareAddress(address: string): string {
  return address.replace(/%.*$/, "");
}

/** A text that is not an address is on no list. */
export function isOnList(list: BlockList, address: string): boolean {
  const bare = bareAddress(address);
  const family = familyOf(bare);
  return family !== undefined && list.check(bare, family);
}

// Lists belong to one Directory and never change, so a compiled list stays valid as long as its
// source exists.
const compiled = new WeakMap<readonly string[], BlockList>();

/** An empty list allows everything. */
export function ipAllowed(list: readonly string[], address: string): boolean {
  if (list.length === 0) return true;
  const blocks = compiled.get(list) ?? blockListOf(list);
  compiled.set(list, blocks);
  return isOnList(blocks, address);
}

/** The eight groups of an IPv6 address without a zone, without leading zeros. */
export function ipv6Groups(address: string): readonly string[] {
  // The URL parser produces the canonical form: no IPv4 part, the longest run of zeros as "::".
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = canonical.split("::").map((part) => (part === "" ? [] : part.split(":")));
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}

/** Longer than any address; a proxy may send a text of any length instead of an address. */
const maximumLength = 64;

/**
 * The subscriber that a source address stands for when callers are counted: an IPv4 address itself; the
 * /64 of an IPv6 address, which belongs to one subscriber; any other text as it is, truncated.
 */
export function sourceNetwork(address: string): string {
  const bare = bareAddress(address);
  if (isIP(bare) !== 6) return bare.slice(0, maximumLength);
  return `${ipv6Groups(bare).slice(0, 4).join(":")}::/64`;
}
