import { describe, expect, it } from "vitest";
import { SemaphoreFull } from "../../src/platform/semaphore.ts";
import { ApiError } from "../../src/texts/errors.ts";
import { asApiError } from "../../src/http/error-response.ts";
import { DatabaseUnavailable, TransactionConflict } from "../../src/store/database-errors.ts";

const framework = (statusCode: number, code = "FST_ERR_SOMETHING") =>
  Object.assign(new Error("x"), { statusCode, code });

describe("asApiError", () => {
  it.each([
    ["one of ours", new ApiError("canceled"), 1305],
    ["the database away", new DatabaseUnavailable("x", { inDoubt: false }), 503],
    ["a change that the database undid", new TransactionConflict("40P01", new Error("deadlock detected")), 503],
    ["a flood of passwords", new SemaphoreFull(), 503],
    ["a bad URL", framework(400, "FST_ERR_BAD_URL"), 400],
    ["an overlong parameter", framework(414), 413],
    ["a media type that the framework refuses", framework(415), 415],
  ])("%s", (_, error, code) => expect(asApiError(error)?.code).toBe(code));

  it("says that the database is away, and nothing of overload", () => {
    const error = asApiError(new DatabaseUnavailable("x", { inDoubt: false }));
    expect(error?.message).toMatch(/^The service cannot reach its database/);
    expect(error?.details.headers).toEqual({ "retry-after": "2" });
  });

  it.each([
    ["a failure of ours", new Error("x")],
    ["a failure of the framework", framework(500)],
    ["an error of a library that carries a status", framework(400, "EFOO")],
    ["something thrown that is no error", "x"],
    ["nothing", undefined],
  ])("%s is none of the catalogue", (_, error) => expect(asApiError(error)).toBeUndefined());
});
