import { expect, it } from "vitest";
import { networkOf, subjectOfConnection } from "../../../src/http/limits/caller-share.ts";

it.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002:ffff::", "2001:db8:1:2::/64"],
  ["2001:db8::5", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["", ""],
])("%s holds in the name of %s", (address, network) => expect(networkOf(address)).toBe(network));

it("a trusted proxy has no share", () => {
  expect(subjectOfConnection("::ffff:10.0.0.7", ["10.0.0.0/8"])).toEqual({ key: "10.0.0.7", isBounded: false });
  expect(subjectOfConnection("10.0.0.7", [])).toEqual({ key: "10.0.0.7", isBounded: true });
  expect(subjectOfConnection("11.0.0.7", ["10.0.0.0/8"])).toEqual({ key: "11.0.0.7", isBounded: true });
});
