import { describe, expect, it } from "vitest";
import { safeDestination } from "../../console/src/pages/sign-in/destination.ts";
import { browserOf } from "../../console/src/pages/profile/browser-name.ts";

describe("where the sign-in page leads", () => {
  it.each([
    ["?next=/messages", "/messages"],
    [`?next=${encodeURIComponent("/messages?recipient=0912&status=open")}`, "/messages?recipient=0912&status=open"],
    ["?next=/accounts/%25D8%25A8", "/accounts/%D8%A8"],
    ["?next=//evil.example", undefined],
    ["?next=/\\evil.example", undefined],
    ["?next=/a\\..\\b", undefined],
    ["?next=https://evil.example/", undefined],
    ["?next=javascript:alert(1)", undefined],
    ["?next=/a%0ab", undefined],
    // A browser resolves dots before it opens an address, however they are encoded.
    ["?next=/../docs", undefined],
    ["?next=/..//evil.example", undefined],
    ["?next=/a/../../docs", undefined],
    ["?next=/%252e%252e/docs", undefined],
    ["?next=/.%252e/docs", undefined],
    ["?next=/a/../messages", "/messages"],
    ["?next=/messages?q=/../..", "/messages?q=/../.."],
    ["?next=%2f%2fevil.example", undefined],
    ["?next=%2f%5cevil.example", undefined],
    ["?next=/%0a/evil.example", undefined],
    ["?next=/%09/evil.example", undefined],
    ["?next=/sign-in", undefined],
    ["?next=/a/../sign-in", undefined],
    ["?next=", undefined],
    ["", undefined],
  ])("is for %j: %j", (search, destination) => {
    expect(safeDestination(search)).toBe(destination);
  });
});

describe("the browser of a session", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox · Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 Edg/156.0",
      "Edge · Windows",
    ],
    [
      "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Mobile Safari/537.36",
      "Chrome · Android",
    ],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1", "Safari · iOS"],
    ["curl/8.5.0", undefined],
    ["", undefined],
  ])("of %j is %j", (userAgent, name) => {
    expect(browserOf(userAgent)).toBe(name);
  });
});
