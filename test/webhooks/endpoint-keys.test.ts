import { describe, expect, it } from "vitest";
import { AddressRules } from "../../src/webhooks/address-rules.ts";
import { faultOfUrl } from "../../src/webhooks/endpoint-keys.ts";

const strict = new AddressRules([]);
const withLoopback = new AddressRules(["127.0.0.0/8", "10.0.0.0/8"]);
const longest = `https://shop.example/${"a".repeat(2048 - "https://shop.example/".length)}`;

describe("URL of an endpoint", () => {
  it.each([
    ["https://shop.example/hook", undefined],
    ["https://shop.example:8443/hook?a=1", undefined],
    ["https://1.1.1.1/", undefined],
    ["https://[2606:4700:4700::1111]/", undefined],
    ["https://فروشگاه.example/", undefined],
    [longest, undefined],
    [`${longest}a`, "length"],
    ["http://shop.example/", "scheme"],
    ["http://1.1.1.1/", "scheme"],
    ["ftp://shop.example/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["shop.example/hook", "form"],
    ["https://", "form"],
    ["https://shop.example/a b", "form"],
    ["https://shop.example/\n", "form"],
    ["https://shop.example/\u200f", "form"],
    ["https://user@shop.example/", "credentials"],
    ["https://user:secret@shop.example/", "credentials"],
    ["https://@shop.example/", "credentials"],
    ["https://shop.example/#part", "fragment"],
    ["https://shop.example/#", "fragment"],
    ["https://127.0.0.1/", "address"],
    ["https://127.1/", "address"],
    ["https://2130706433/", "address"],
    ["https://0x7f000001/", "address"],
    ["https://017700000001/", "address"],
    ["https://127.0.0.1./", "address"],
    ["https://１２７.0.0.1/", "address"],
    ["https://0/", "address"],
    ["https://localhost/", "address"],
    ["https://LOCALHOST./", "address"],
    ["https://a.localhost/", "address"],
    ["https://10.1.2.3/", "address"],
    ["https://[::1]/", "address"],
    ["https://[::ffff:10.0.0.1]/", "address"],
    ["https://[fd00::1]/", "address"],
    ["https://[64:ff9b::a00:1]/", "address"],
    ["https://169.254.169.254/latest/meta-data", "address"],
  ])("%s: %s", (url, fault) => {
    expect(faultOfUrl(url, strict)).toBe(fault);
  });

  it.each([
    ["http://127.0.0.1:8080/hook", undefined],
    ["http://localhost:8080/hook", undefined],
    ["https://127.1/", undefined],
    ["http://10.0.0.1/", undefined],
    // Only the connection tells where the name leads.
    ["http://receiver.internal/", undefined],
    ["http://1.1.1.1/", "scheme"],
    ["https://192.168.1.1/", "address"],
    ["http://[::1]/", "address"],
  ])("with addresses that are allowed, %s: %s", (url, fault) => {
    expect(faultOfUrl(url, withLoopback)).toBe(fault);
  });
});
