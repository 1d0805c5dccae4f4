// The caller to whom shared resources are charged: an IPv4 address, or the /64 of an IPv6 address,
// because whoever has one address of that network has all of them.
import { ipAllowed } from "../../credentials/ip-allow-list.ts";
import { plainAddress } from "../client-address.ts";
import type { Subject } from "./shared-budget.ts";

const groupsOfNetwork = 4;
const groupsOfAddress = 8;

/** `address` as sockets and proxies give it. A text that is no address is returned unchanged. */
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

/** The caller who holds a connection and its unread octets. */
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
