import { describe, expect, it } from "vitest";
import { acceptedEncoding, type ContentEncoding } from "../../../src/http/accept-headers.ts";

const both: readonly ContentEncoding[] = ["br", "gzip"];

describe("the form of an asset that is sent", () => {
  it.each<[string | undefined, readonly ContentEncoding[], ContentEncoding]>([
    ["gzip, deflate, br, zstd", both, "br"],
    ["gzip, deflate", both, "gzip"],
    ["GZIP;q=0.5", both, "gzip"],
    ["br;q=0, gzip", both, "gzip"],
    ["br; q=0.000, gzip;q=0", both, "identity"],
    ["br;q=0.001", both, "br"],
    ["br", ["gzip"], "identity"],
    ["br, gzip", [], "identity"],
    ["", both, "identity"],
    [undefined, both, "identity"],
    ["brotli,xgzip, ;;,q=1", both, "identity"],
  ])("is for %j of %j: %s", (header, kept, encoding) => {
    expect(acceptedEncoding(header, kept)).toBe(encoding);
  });

  it("is not looked for in a header that is longer than any browser's", () => {
    expect(acceptedEncoding(`br${" ".repeat(498)}`, both)).toBe("br");
    expect(acceptedEncoding(`br,${",".repeat(1 << 20)}`, both)).toBe("identity");
  });
});
