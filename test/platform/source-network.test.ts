import { expect, it } from "vitest";
import { sourceNetwork } from "../../src/platform/addresses.ts";

it.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::9", "2001:db8:0:0::/64"],
  ["2001:db8:1::192.0.2.1", "2001:db8:1:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["1:2:3:4::", "1:2:3:4::/64"],
  ["1::4:5:6:7:8", "1:0:0:4::/64"],
  ["unknown", "unknown"],
  ["", ""],
])("%s stands for %s", (address, network) => {
  expect(sourceNetwork(address)).toBe(network);
});

it("remembers no more of a long name than an address needs", () => {
  expect(sourceNetwork("x".repeat(100_000))).toHaveLength(64);
});
