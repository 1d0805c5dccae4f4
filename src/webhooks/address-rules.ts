// Which addresses events may be sent to: those of the public internet (IANA's special-purpose
// registries, RFC 6890), also inside IPv6, and those that the operator allows. Pure.
import { BlockList, isIP } from "node:net";

/** Private, loopback, link-local, shared, unspecified, multicast, documentation, reserved, … */
const refusedIpv4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
];
/** Only this is global unicast (RFC 4291 §2.4). */
const globalIpv6 = "2000::/3";
/** Protocol assignments with Teredo, benchmarks and ORCHID; documentation. */
const refusedIpv6 = ["2001::/23", "2001:db8::/32", "3fff::/20"];

/** IPv6 that carries an IPv4 address: where it stands, in octets. */
const carriers = [
  { block: "::ffff:0:0/96", at: 12 },
  { block: "64:ff9b::/96", at: 12 },
  { block: "2002::/16", at: 2 },
].map(({ block, at }) => ({ list: blockList([block]), at }));

const refused4 = blockList(refusedIpv4);
const global6 = blockList([globalIpv6]);
const refused6 = blockList(refusedIpv6);

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  return list;
}

/** The 16 octets of an IPv6 address without a zone. */
function octetsOf(ipv6: string): readonly number[] {
  // The URL parser produces the canonical form.
  const [head = "", tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [front, back] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array.from({ length: zeros }, () => 0), ...back].flatMap((group) => [group >> 8, group & 0xff]);
}

/** The address as IPv4, if it is IPv6 that stands for one. */
function carriedIpv4(ipv6: string): string | undefined {
  const carrier = carriers.find(({ list }) => list.check(ipv6, "ipv6"));
  return (
    carrier &&
    octetsOf(ipv6)
      .slice(carrier.at, carrier.at + 4)
      .join(".")
  );
}

export type AddressVerdict = "public" | "allowed" | "refused";

export class AddressRules {
  readonly #allowed: BlockList;
  /** Whether the operator allows any address. */
  readonly allowsSome: boolean;

  /** `allow`: addresses and CIDR blocks that are allowed whatever they are. */
  constructor(allow: readonly string[]) {
    this.#allowed = blockList(allow);
    this.allowsSome = allow.length > 0;
  }

  /** What is no address is refused. */
  judge(text: string): AddressVerdict {
    const address = text.replace(/%.*$/, "");
    const version = isIP(address);
    if (version === 0) return "refused";
    if (this.#allowed.check(address, version === 4 ? "ipv4" : "ipv6")) return "allowed";
    if (version === 4) return refused4.check(address, "ipv4") ? "refused" : "public";
    const carried = carriedIpv4(address);
    if (carried !== undefined) {
      // A mapped address is the IPv4 address; the others go through a gateway.
      if (address.toLowerCase().startsWith("::ffff:") && this.#allowed.check(carried, "ipv4")) return "allowed";
      return refused4.check(carried, "ipv4") ? "refused" : "public";
    }
    return global6.check(address, "ipv6") && !refused6.check(address, "ipv6") ? "public" : "refused";
  }
}
