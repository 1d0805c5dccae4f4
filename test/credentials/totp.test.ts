import { describe, expect, it } from "vitest";
import {
  base32,
  cleanCode,
  findTotpStep,
  newRecoveryCodes,
  newTotpSecret,
  recoveryCodeHash,
  totpCode,
  totpStep,
  totpUri,
} from "../../src/credentials/second-factor.ts";

/** The key of RFC 6238, appendix B. */
const secret = Buffer.from("12345678901234567890");

describe("totpCode", () => {
  // The last six of the eight digits of RFC 6238, appendix B.
  it.each([
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ])("at %i s is %s", (unixSeconds, code) => {
    expect(totpCode(secret, totpStep(unixSeconds))).toBe(code);
  });
});

describe("findTotpStep", () => {
  const now = 1_700_000_010;
  const step = totpStep(now);
  const find = (code: string, lastStep = 0) => findTotpStep(secret, code, { unixSeconds: now, lastStep });

  it.each([-1, 0, 1])("takes the code of step %i from now", (away) => {
    expect(find(totpCode(secret, step + away))).toBe(step + away);
  });

  it.each([-3, -2, 2, 3])("takes no code of step %i from now", (away) => {
    expect(find(totpCode(secret, step + away))).toBeUndefined();
  });

  it("takes no code of the last step taken, or of one before it", () => {
    expect(find(totpCode(secret, step), step)).toBeUndefined();
    expect(find(totpCode(secret, step - 1), step)).toBeUndefined();
    expect(find(totpCode(secret, step + 1), step)).toBe(step + 1);
  });

  it.each(["", "12345", "1234567", "12345a", "１２３４５６"])("takes no text that is no code: %j", (code) => {
    expect(find(code)).toBeUndefined();
  });
});

describe("base32", () => {
  // RFC 4648 §10, without padding.
  it.each([
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ])("of %j is %j", (text, encoded) => expect(base32(Buffer.from(text))).toBe(encoded));
});

describe("totpUri", () => {
  it("is what authenticators read", () => {
    const uri = new URL(totpUri(secret, { issuer: "Hodhod", label: "demo/علی & co" }));
    expect(decodeURIComponent(uri.pathname)).toBe("/Hodhod:demo/علی & co");
    expect(uri.searchParams.get("secret")).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    expect(uri.searchParams.get("issuer")).toBe("Hodhod");
  });
});

describe("secrets and recovery codes", () => {
  it("are new each time, and long enough", () => {
    expect(newTotpSecret()).toHaveLength(20);
    const codes = [...newRecoveryCodes(), ...newRecoveryCodes()];
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  });

  it("count however they are typed", () => {
    const [code = ""] = newRecoveryCodes();
    const typed = ` ${code.toLowerCase().replaceAll("-", " ")} `;
    expect(recoveryCodeHash(cleanCode(typed))).toEqual(recoveryCodeHash(code));
    expect(cleanCode(" ۱۲۳ ٤٥٦")).toBe("123456");
  });
});
