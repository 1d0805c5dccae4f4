import { describe, expect, it } from "vitest";
import { ipAllowed, isAddressBlock } from "../../src/platform/addresses.ts";

describe("an allow list", () => {
  it.each([
    [[], "203.0.113.9", true],
    [["203.0.113.9"], "203.0.113.9", true],
    [["203.0.113.9"], "203.0.113.8", false],
    [["10.0.0.0/8"], "10.255.255.255", true],
    [["10.0.0.0/8"], "11.0.0.0", false],
    [["0.0.0.0/0"], "8.8.8.8", true],
    [["0.0.0.0/0"], "2001:db8::1", false],
    [["::/0"], "2001:db8::1", true],
    [["2001:db8::/32"], "2001:db8:ffff::1", true],
    [["2001:db8::/32"], "2001:db9::1", false],
    [["2001:DB8:0:0::1"], "2001:db8::1", true],
    // A server that listens on both families sees IPv4 callers in their mapped form.
    [["203.0.113.0/24"], "::ffff:203.0.113.77", true],
    [["203.0.113.0/24"], "::ffff:cb00:714d", true],
    [["::ffff:203.0.113.0/120"], "203.0.113.77", true],
    [["::ffff:203.0.113.0/120"], "203.0.114.77", false],
    [["fe80::/10"], "fe80::1%eth0", true],
    [["10.0.0.0/8", "192.168.1.1"], "192.168.1.1", true],
    [["10.0.0.0/8"], "not an address", false],
    [["10.0.0.0/8"], "", false],
  ])("%j for %s: %s", (list, address, allowed) => {
    expect(ipAllowed(list, address)).toBe(allowed);
  });

  it.each([
    "",
    "10",
    "10.0.0",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "::1/129",
    "1",
    "0x7f.1",
    "010.0.0.1",
    "10.0.0.0/8/8",
    "fe80::1%eth0",
    "a.example",
  ])("%j is no block", (text) => {
    expect(isAddressBlock(text)).toBe(false);
  });
});
