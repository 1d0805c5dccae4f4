// In whose name a connection or a call holds what is shared: an IPv4 address, or the /64 of an IPv6 address, since whoever has one
// address of such a network has all.
import { ipAllowed } from "../../credentials/ip-allow-list.ts";
import { plainAddress } from "../client-address.ts";
import type { Subject } from "./shared-budget.ts";

const groupsOfNetwork = 4;
const groupsOfAddress = 8;

/** `address` as sockets and proxies tell it. What is no address stands for itself. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.toLowerCase().split("::", 2);
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : Math.max(0, groupsOfAddress - before.length - after.length);
  const groups = [...before, ...Array<string>(gap).fill("0"), ...after];
  const network = groups.slice(0, groupsOfNetwork).map((group) => group.replace(/^0+(?=.)/, ""));
  return `${network.join(":")}::/64`;
}

/** Who holds a connection and what is not read of it yet. */
export function subjectOfConnection(address: string, trustedProxies: readonly string[]): Subject {
  const isProxy = trustedProxies.length > 0 && ipAllowed(trustedProxies, plainAddress(address));
  return { key: networkOf(address), isBounded: !isProxy };
}

export function subjectOfAddress(address: string): Subject {
  return { key: networkOf(address), isBounded: true };
}

export function subjectOfAccount(accountId: number): Subject {
  return { key: `account ${accountId}`, isBounded: true };
}
