import { describe, expect, it } from "vitest";
import { foldText } from "../../src/sms/folding.ts";
import { findHosts, topLevelDomains } from "../../src/sms/link-hosts.ts";

describe("hosts of links", () => {
  it.each([
    ["https://example.com/a?b=c", ["example.com"]],
    ["see example.com/x", ["example.com"]],
    ["EXAMPLE.COM.", ["example.com"]],
    ["www.shop.co.uk", ["www.shop.co.uk"]],
    ["t.me/join", ["t.me"]],
    ["10.20.30.40:8080", ["10.20.30.40"]],
    ["۱۰.۲۰.۳۰.۴۰", ["10.20.30.40"]],
    ["ex\u200Bample.c\u200Com", ["example.com"]],
    ["سلامexample.com", ["سلامexample.com"]],
    ["example.comسلام", ["example.com"]],
    ["example.com-50%", ["example.com"]],
    ["فروشگاه.ایران", ["فروشگاه.ایران"]],
    ["مثال.com", ["مثال.com"]],
    ["shop.xn--mgba3a4f16a", ["shop.xn--mgba3a4f16a"]],
    ["http://intranet/x", ["intranet"]],
    ["https://good.ir@evil.com/", ["good.ir", "evil.com"]],
    ["a.my-site.ir", ["a.my-site.ir"]],
    ["example。com", ["example.com"]],
    ["evil.comسلام.good.ir", ["evil.com", "سلام.good.ir"]],
    ["https://shop.ir/list.zip", ["shop.ir"]],
    ["shop.ir:8443/a/login.do?next=evil.com", ["shop.ir", "evil.com"]],
    ["t.me/first.last", ["t.me"]],
    ["shop.ir/a.zip,evil.com", ["shop.ir", "evil.com"]],
    ["shop.ir/https://evil.com", ["shop.ir", "evil.com"]],
    ["shop.ir/aسلامevil.com", ["shop.ir", "سلامevil.com"]],
    ["evil.comسلام/good.ir", ["evil.com", "good.ir"]],
    ["and/evil.com", ["evil.com"]],
    ["http://intranet/list.zip", ["intranet"]],
    ["http://[2001:DB8::1]/x", ["2001:db8::1"]],
    ["see http://[2001:DB8::1]/", ["2001:db8::1"]],
    ["no links. Here we go", []],
    ["version 1.2.3", []],
    ["1.2.3.4.5", []],
    ["1405.08.30", []],
    ["999.1.1.1", []],
    ["سلام.خوبی", []],
    ["...", []],
    [".com", []],
  ])("in %j: %j", (text, hosts) => {
    expect(findHosts(foldText(text))).toEqual(hosts);
  });
});

describe("top-level domains", () => {
  it("are known in their own letters and in Punycode", () => {
    for (const name of ["com", "ir", "ایران", "xn--mgba3a4f16a", "online"])
      expect([name, topLevelDomains.has(name)]).toEqual([name, true]);
    expect(topLevelDomains.has("local")).toBe(false);
  });
});
