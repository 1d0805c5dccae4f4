import { describe, expect, it } from "vitest";
import { csvRecord } from "../../../src/http/console/list-file.ts";

describe("csvRecord", () => {
  it("separates by commas and quotes what needs it", () => {
    const at = new Date(0);
    expect(csvRecord(["a", 1, 2n, true, at, null, undefined])).toBe("a,1,2,true,1970-01-01T00:00:00.000Z,,\r\n");
    expect(csvRecord(['say "x", now', "two\nlines", " blank"])).toBe('"say ""x"", now","two\nlines"," blank"\r\n');
  });

  it.each(["=1+1", "+98", "-1", "@SUM(A1)", "\t=1", "\r", "  =1", "＝1", "\u0000=1"])(
    "writes %j as text, not as a formula",
    (text) => {
      const field = csvRecord([text]).replace(/^"|"?\r\n$/g, "");
      expect(field).toBe(`'${text}`);
    },
  );

  it.each(["x;=1;y", "a;b", "x\t=1"])("quotes %j, which programs that know several separators would divide", (text) => {
    expect(csvRecord(["a", text])).toBe(`a,"${text}"\r\n`);
  });

  it("leaves numbers and other texts as they are", () => {
    expect(csvRecord([-5, "989121234567", "سلام"])).toBe("-5,989121234567,سلام\r\n");
  });
});
