// Which addresses events may be sent to: those of the public internet (IANA's special-purpose
// registries, RFC 6890), also inside IPv6, and those that the operator allows. Pure.
import { type BlockList, isIP } from "node:net";
import { bareAddress, blockListOf, ipv6Groups, isOnList } from "../platform/addresses.ts";

/** Private, loopback, link-local, shared, unspecified, multicast, documentation, reserved, … */
const refusedIpv4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
];
/** Only this is global unicast (RFC 4291 §2.4). */
const globalIpv6 = "2000::/3";
/** Protocol assignments with Teredo, benchmarks and ORCHID; documentation; 6to4, which is no longer used. */
const refusedIpv6 = ["2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16"];
/** Its last 32 bits are an IPv4 address, to which a gateway of the network leads (RFC 6052). */
const nat64 = blockListOf(["64:ff9b::/96"]);

const refused4 = blockListOf(refusedIpv4);
const global6 = blockListOf([globalIpv6]);
const refused6 = blockListOf(refusedIpv6);

/** The address itself; for one of NAT64 the IPv4 address that it stands for. */
function reachedBy(address: string): string {
  if (!isOnList(nat64, address)) return address;
  const octets = ipv6Groups(address)
    .slice(6)
    .map((group) => Number.parseInt(group, 16));
  return octets.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

export type AddressVerdict = "public" | "allowed" | "refused";

export class AddressRules {
  readonly #allowed: BlockList;
  /** Whether the operator allows any address. */
  readonly allowsSome: boolean;

  /** `allow`: addresses and CIDR blocks that are allowed whatever they are. */
  constructor(allow: readonly string[]) {
    this.#allowed = blockListOf(allow);
    this.allowsSome = allow.length > 0;
  }

  /** What is no address is refused. */
  judge(text: string): AddressVerdict {
    const address = bareAddress(text);
    if (isIP(address) === 0) return "refused";
    if (isOnList(this.#allowed, address)) return "allowed";
    const reached = reachedBy(address);
    if (isIP(reached) === 4) return isOnList(refused4, reached) ? "refused" : "public";
    return isOnList(global6, reached) && !isOnList(refused6, reached) ? "public" : "refused";
  }
}
