import { expect, it } from "vitest";
import { findLiteralBraces, permissionNames, readAccount, readTemplate } from "../../src/setup/read-account.ts";
import type { SetupFault } from "../../src/setup/fault.ts";
import { ObjectReader } from "../../src/setup/read-values.ts";

function read<Value>(what: (reader: ObjectReader) => Value, value: Record<string, unknown>): [Value, string[]] {
  const faults: SetupFault[] = [];
  const result = what(new ObjectReader(value, [], faults));
  return [result, faults.map(({ path, message }) => `${path.join(".")} ${message}`)];
}

it("keeps of an API key its hash only, and of doubles one", () => {
  const [account, faults] = read(readAccount, {
    ...{ name: "a", credit: "unlimited", permissions: ["send", "send"], allowedIps: ["::1", "::1"] },
    apiKeys: [{ name: "k", key: "12345678" }],
    blockedRecipients: ["09121112233", "+989121112233"],
  });
  expect(faults).toEqual([]);
  expect(account).toMatchObject({
    ...{ credit: "unlimited", permissions: ["send"], allowedIps: ["::1"], blockedRecipients: ["989121112233"] },
    apiKeys: [
      {
        sha256Hex: "ef797c8118f02dfb649607dd5d3f8c7623048c9c063d532cc95c5ed7a898a64f",
        allowedIps: [],
        expiresAt: null,
      },
    ],
  });
});

it.each([
  [{ name: "a", apiKeys: [{ name: "k", key: "short" }] }, /apiKeys\.0\.key must have at least 8/],
  [{ name: "a", apiKeys: [{ name: "k", key: "with a blank" }] }, /without blanks/],
  [{ name: "a", apiKeys: [{ name: "k" }, { name: "k" }] }, /apiKeys\.1\.name k is listed twice/],
  [{ name: "a", users: [{ username: "u" }, { username: "u" }] }, /users\.1\.username u is listed twice/],
  [{ name: "a", users: [{ username: "u", password: "" }] }, /users\.0\.password must have 10 to 200/],
  [{ name: "a", requestsPerSecond: -1 }, /requestsPerSecond must be/],
  [{ name: "a", permissions: "*" }, /permissions must be a list/],
])("of %j tells what is wrong, but no secret", (value, message) => {
  const [, faults] = read(readAccount, value);
  expect(faults.join("\n")).toMatch(message);
  expect(faults.join("\n")).not.toMatch(/short|with a blank/);
});

it("knows the permissions of the decisions", () => {
  expect(permissionNames).toHaveLength(13);
});

it.each([
  [{ id: "x", content: "   " }, /content must be a text that is not blank/],
  [{ id: "x", content: "a\0" }, /cannot be sent/],
  [{ id: "x", content: "\ud83d" }, /cannot be sent/],
  [{ id: "x", content: "x".repeat(4001) }, /longer/],
  [{ id: "x", validSeconds: 0 }, /validSeconds must be/],
  [{ id: "x", sender: "somebody" }, /sender must be/],
  [{ id: "" }, /id must have/],
  [{}, /id is missing/],
])("refuses the template %j", (value, message) => {
  expect(read(readTemplate, value)[1].join("\n")).toMatch(message);
});

it("sees braces that are no placeholders", () => {
  expect(findLiteralBraces("{ok} {نام_۱} {a b} {} { {x}")).toEqual(["{a b}", "{}"]);
});
