import { expect, it } from "vitest";
import { hashPassword, passwordMatches } from "../../src/credentials/password-check.ts";

it("hashes by argon2id with 19 MiB and two passes, each time with another salt", async () => {
  const [one, two] = [await hashPassword("رمز عبور"), await hashPassword("رمز عبور")];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await passwordMatches(one, "رمز عبور")).toBe(true);
  expect(await passwordMatches(one, "رمز عبور ")).toBe(false);
});

it("takes a hash that cannot be read as one that nothing matches", async () => {
  expect(await passwordMatches("", "x")).toBe(false);
  expect(await passwordMatches("$argon2id$broken", "x")).toBe(false);
});
