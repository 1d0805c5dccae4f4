import { expect, it } from "vitest";
import { hashPassword, passwordMatches } from "../../src/credentials/password.ts";
import { SetupPasswords } from "../../src/setup/passwords.ts";
import { desireState } from "../../src/setup/desired-state.ts";
import { emptyState, setupOf, whole } from "./setup-states.ts";

it("keeps the stored hash of a password that is the same, and makes one for another", async () => {
  const setup = setupOf(whole);
  const right = await hashPassword("a password of u");
  const stored = desireState(emptyState, setup, { hashFor: () => right }).state;
  const same = new SetupPasswords(setup);
  await same.prepare(stored);
  expect(same.hashFor("a", "u")).toBe(right);
  const other = new SetupPasswords(setupOf({ accounts: [{ name: "a", users: [{ username: "u", password: "another of u" }] }] }));
  await other.prepare(stored);
  const hash = other.hashFor("a", "u") ?? "";
  expect(await passwordMatches(hash, "another of u")).toBe(true);
  await other.prepare(stored);
  expect(other.hashFor("a", "u")).toBe(hash);
  expect(other.hashFor("b", "u")).toBeUndefined();
});
