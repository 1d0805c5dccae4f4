import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressRules } from "../../src/webhooks/address-rules.ts";

const rules = new AddressRules([]);

/** First and last address of each block, and the ones beside it where they are public. */
const refused = [
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.0.0",
  "169.254.169.254",
  "172.16.0.0",
  "172.31.255.255",
  "192.0.0.0",
  "192.0.0.255",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.0",
  "192.168.255.255",
  "198.18.0.0",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.255",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fec0::1",
  "fc00::1",
  "fdff::1",
  "ff02::1",
  "ff0e::1",
  "2001:db8::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "3fff::1",
  "100::1",
  "64:ff9b:1::a00:1",
  "4000::1",
  "e000::1",
  "5f00::1",
  "0:0:0:0:0:0:0:1",
  // Inside IPv6.
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.1.2.3",
  "::ffff:192.168.1.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::1",
  "2002:a00:1::",
  "2002:c0a8:101:1::1",
  // Nobody is reached by these.
  "::ffff:1.1.1.1",
  "2002:101:101::1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:0:127.0.0.1",
  "::FFFF:169.254.169.254",
  "",
  "localhost",
  "1.2.3",
  "0x7f.1",
  "127.1",
  "2130706433",
  "1.2.3.4.5",
  "[::1]",
];
const open = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "64:ff9b::1.1.1.1",
  "3ffe::1",
];

describe("addresses that events may be sent to", () => {
  it.each(refused)("refuses %s", (address) => {
    expect(rules.judge(address)).toBe("refused");
  });

  it.each(open)("takes %s", (address) => {
    expect(rules.judge(address)).toBe("public");
  });

  it("allows what the operator names, and nothing beside it", () => {
    const own = new AddressRules(["127.0.0.0/8", "10.1.2.3", "fd00:1::/32", "::1"]);
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "10.1.2.3", "fd00:1::9", "::1"])
      expect([address, own.judge(address)]).toEqual([address, "allowed"]);
    for (const address of ["10.1.2.4", "fd00:2::9", "::2", "64:ff9b::10.1.2.3", "2002:a01:203::1"])
      expect([address, own.judge(address)]).toEqual([address, "refused"]);
    expect(own.judge("1.1.1.1")).toBe("public");
  });

  it("judges an IPv4 address behind NAT64 as the address itself, for any address", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
        const groups = `${hex(a, b)}:${hex(c, d)}`;
        const verdict = rules.judge(plain);
        for (const carried of [`64:ff9b::${plain}`, `64:ff9b::${groups}`])
          expect([carried, rules.judge(carried)]).toEqual([carried, verdict]);
        for (const carried of [`::ffff:${plain}`, `::ffff:${groups}`, `2002:${groups}::5`])
          expect([carried, rules.judge(carried)]).toEqual([carried, "refused"]);
      }),
    );
  });
});
