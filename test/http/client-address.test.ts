import { describe, expect, it } from "vitest";
import { clientAddress, isLocalOrAllowed, plainAddress } from "../../src/http/client-address.ts";

it.each([
  ["1.2.3.4", "1.2.3.4"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["::FFFF:1.2.3.4", "1.2.3.4"],
  ["::1", "::1"],
  ["[::1]", "::1"],
  ["fe80::1%eth0", "fe80::1"],
])("plainAddress %s → %s", (address, plain) => expect(plainAddress(address)).toBe(plain));

describe("clientAddress", () => {
  it("walks no more than a hundred entries", () => {
    expect(clientAddress("10.0.0.1", `1.1.1.1,${"10.0.0.2,".repeat(99)}10.0.0.3`, ["10.0.0.0/8"])).toBe("10.0.0.2");
  });

  const proxies = ["10.0.0.0/8", "::1"];
  it.each([
    ["nobody is trusted: the header is not looked at", "9.9.9.9", "1.1.1.1", [], "9.9.9.9"],
    ["no header", "10.0.0.1", undefined, proxies, "10.0.0.1"],
    ["a trusted proxy tells", "10.0.0.1", "1.1.1.1", proxies, "1.1.1.1"],
    ["an IPv4-mapped proxy is the IPv4 one", "::ffff:10.0.0.1", "1.1.1.1", proxies, "1.1.1.1"],
    ["the peer is no proxy: its header is made up", "9.9.9.9", "1.1.1.1", proxies, "9.9.9.9"],
    ["what the caller wrote before the proxy's entry is made up", "10.0.0.1", "127.0.0.1, 1.1.1.1", proxies, "1.1.1.1"],
    ["a chain of proxies", "10.0.0.1", "1.1.1.1, 10.0.0.3, 10.0.0.2", proxies, "1.1.1.1"],
    ["only proxies: the farthest", "10.0.0.1", "10.0.0.3, 10.0.0.2", proxies, "10.0.0.3"],
    ["with a port", "10.0.0.1", "1.1.1.1:5678", proxies, "1.1.1.1"],
    ["IPv6 with a port", "10.0.0.1", "[2001:db8::1]:443", proxies, "2001:db8::1"],
    ["IPv6", "::1", "2001:db8::1", proxies, "2001:db8::1"],
    ["rubbish stays rubbish", "10.0.0.1", "unknown", proxies, "unknown"],
    ["what is too long for an address is none", "10.0.0.1", `1.1.1.1${" ".repeat(200)}`, proxies, "unknown"],
    ["also where its first piece would be one", "10.0.0.1", `9.9.9.9, 10.0.0.2${" ".repeat(200)}x`, proxies, "unknown"],
    ["a comma without an entry before it", "10.0.0.1", ",10.0.0.2", proxies, ""],
    ["an empty header", "10.0.0.1", "", proxies, ""],
  ] as const)("%s", (_, socket, header, trusted, address) => {
    expect(clientAddress(socket, header, trusted)).toBe(address);
  });
});

it.each([
  ["127.0.0.1", [], true],
  ["127.9.9.9", [], true],
  ["::1", [], true],
  ["10.0.0.1", [], false],
  ["10.0.0.1", ["10.0.0.0/8"], true],
  ["1.1.1.1", ["10.0.0.0/8"], false],
  ["unknown", ["0.0.0.0/0"], false],
])("isLocalOrAllowed %s %j → %s", (address, allowed, expected) =>
  expect(isLocalOrAllowed(address, allowed)).toBe(expected),
);
