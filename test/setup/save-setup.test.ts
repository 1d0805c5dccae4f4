import { expect, it } from "vitest";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { desireState } from "../../src/setup/desired-state.ts";
import { saveSetup } from "../../src/setup/save-setup.ts";
import { findChanges } from "../../src/setup/setup-changes.ts";
import { stateOf } from "../../src/setup/setup-state.ts";
import { createTestDatabase } from "../support/database.ts";
import { emptyState, hashed, setupOf, whole } from "./setup-states.ts";

it("stores a state so that it is read back the same, and removes it again", async () => {
  const { db, drop } = await createTestDatabase();
  const load = async () => stateOf(await db.transaction(loadConfiguration));
  const { state } = desireState(emptyState, setupOf(whole), hashed);
  const before = await load();
  const version = await db.transaction((tx) => saveSetup(tx, state, findChanges(before, state)));
  expect(version).toBe(2n);
  expect(findChanges(await load(), state)).toEqual([]);
  expect(await load()).toMatchObject({
    operators: state.operators,
    templates: state.templates,
    settings: state.settings,
  });
  await db.transaction((tx) => saveSetup(tx, emptyState, findChanges(state, emptyState)));
  expect(await load()).toEqual(emptyState);
  await drop();
});
