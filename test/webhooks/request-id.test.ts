import { describe, expect, it } from "vitest";
import { isUuid, uuidv7 } from "../../src/platform/uuid.ts";
import { batchRequestId } from "../../src/webhooks/request-id.ts";

describe("webhook-id of a batch", () => {
  it("follows from the ids and their order alone", () => {
    const ids = Array.from({ length: 100 }, () => uuidv7());
    const made = batchRequestId(ids);
    expect(isUuid(made)).toBe(true);
    expect(made).toMatch(/^.{14}8.{4}[89ab]/);
    expect(batchRequestId([...ids])).toBe(made);
    expect(batchRequestId([...ids].reverse())).not.toBe(made);
    expect(batchRequestId(ids.slice(1))).not.toBe(made);
    expect(batchRequestId(ids.slice(0, 1))).not.toBe(ids[0]);
  });
});
