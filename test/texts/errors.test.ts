import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ApiError, errorCatalogue, errorNameOf, findingCatalogue, findingText } from "../../src/texts/errors.ts";
import { localize } from "../../src/texts/localize.ts";

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe("the catalogue of errors", () => {
  it.each(Object.entries({ ...errorCatalogue, ...findingCatalogue }))(
    "%s is worded in English and Persian, with the same placeholders",
    (_, { en, fa }) => {
      expect(en).toMatch(/^[\u0020-\u007e]+$/);
      // Some have no words of their own: what they tell is worded elsewhere.
      if (/[a-z]/i.test(en.replace(/\{\w+\}/g, ""))) expect(fa).toMatch(/[\u0600-\u06ff]/);
      expect(placeholders(fa)).toEqual(placeholders(en));
    },
  );

  it("has one name for each code", () => {
    const codes = Object.values(errorCatalogue).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("has the published codes and statuses", () => {
    const statuses = Object.fromEntries(Object.values(errorCatalogue).map(({ code, status }) => [code, status]));
    expect(statuses).toMatchObject({
      1001: 400,
      1003: 400,
      1005: 403,
      1006: 403,
      1048: 400,
      1053: 400,
      1106: 400,
      1107: 400,
      1201: 400,
      1202: 400,
      1203: 400,
      1204: 400,
      1205: 409,
      1206: 422,
      401: 401,
      404: 404,
      405: 405,
      413: 413,
      415: 415,
      429: 429,
      503: 503,
    });
    for (const reason of [1301, 1302, 1303, 1304, 1305, 1306, 1310]) expect(errorNameOf(reason)).toBeDefined();
  });
});

describe("text", () => {
  it("fills placeholders", () => {
    expect(findingText({ field: "batchId", messageKey: "id.form" }, "en")).toBe("batchId must be a UUID.");
    expect(findingText({ field: "batchId", messageKey: "id.form" }, "fa")).toBe("batchId باید یک UUID باشد.");
  });

  it("writes numbers in Persian texts with Persian digits, and what is copied as it is", () => {
    const text = { en: "{field}: 1 to {maximum}", fa: "{field}: ۱ تا {maximum}" };
    expect(localize(text, "fa", { field: "count2", maximum: 100 })).toBe("count2: ۱ تا ۱۰۰");
    expect(localize(text, "en", { field: "count2", maximum: 100 })).toBe("count2: 1 to 100");
    expect(localize(text, "fa", { field: "x", maximum: "100" })).toBe("x: ۱ تا 100");
  });

  it("never takes a value for a template", () => {
    expect(localize({ en: "{a}{b}", fa: "" }, "en", { a: "{b}", b: "x" })).toBe("{b}x");
  });

  it("leaves nothing of a placeholder without a value", () => {
    expect(localize({ en: "refused{detail}.", fa: "" }, "en")).toBe("refused.");
  });
});

describe("ApiError", () => {
  it("carries code and status of its name", () => {
    const error = new ApiError("idempotencyKeyReused");
    expect([error.code, error.status]).toEqual([1206, 422]);
    expect(error.message).toBe(errorCatalogue.idempotencyKeyReused.en);
  });

  it("tells when to try again", () => {
    const error = ApiError.unavailable(7);
    expect(error.details.headers).toEqual({ "retry-after": "7" });
    expect(error.message).toContain("7 s");
  });
});

it.each(["en", "fa"] as const)("is what docs/errors shows in %s", async (language) => {
  const { errorsText } = await import("../../bin/generate-docs.ts");
  const file = new URL(`../../docs/errors${language === "fa" ? ".fa" : ""}.md`, import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(errorsText(language));
});
