import { describe, expect, it } from "vitest";
import { desireState } from "../../src/setup/desired-state.ts";
import { findChanges } from "../../src/setup/setup-changes.ts";
import { emptyState, hashed, setupOf, whole } from "./setup-states.ts";

const { state: stored } = desireState(emptyState, setupOf(whole), hashed);
const changed = (value: object) => findChanges(stored, desireState(stored, setupOf(value), hashed).state);

describe("changes", () => {
  it("are none between equal states", () => {
    expect(changed(whole)).toEqual([]);
    expect(changed({})).toEqual([]);
  });

  it("of a new service tell every object, and no secret", () => {
    const changes = findChanges(emptyState, stored);
    expect(changes.every(({ action, kind }) => action === (kind === "settings" ? "change" : "create"))).toBe(true);
    expect(JSON.stringify(changes)).not.toMatch(/secret|hash of/);
    expect(findChanges(stored, emptyState).filter(({ action }) => action === "remove")).toHaveLength(
      changes.length - 1,
    );
  });

  it.each([
    [{ operators: [{ name: "MCI", enabled: false }] }, ["enabled: true → false"]],
    [{ operators: [{ name: "MCI", prefixes: ["913"] }] }, ["prefixes: +913 -912"]],
    [{ portedNumbers: [{ number: "09121112233", operator: "MCI" }] }, ["operator: Taliya → MCI"]],
    [{ connectors: [{ name: "c", systemType: "x" }] }, ["systemType: none → x"]],
    [{ connectors: [{ name: "c", throttledStatuses: [0x405] }] }, ["throttledStatuses: +0x00000405"]],
    [{ connectors: [{ name: "c", password: "other" }] }, ["password changed"]],
    [{ connectors: [{ name: "c", tls: true }] }, ['tls: false → {"verify":true}']],
    [{ connectors: [{ name: "c", enabled: false }] }, ["enabled: true → false"]],
    [
      { lines: [{ number: "1000", kind: "service", inbound: null }] },
      ["kind: dedicated → service", "inbound: a → none"],
    ],
    [{ lines: [{ number: "1000", connectors: ["c"] }] }, ["connectors: all → c"]],
    [{ tariffs: [{ name: "t", prices: [{ price: 7000 }] }] }, ["prices: +*/*/*=7,000 -*/*/*=5"]],
    [{ accounts: [{ name: "a", credit: "unlimited" }] }, ["credit: limited → unlimited"]],
    [{ accounts: [{ name: "a", apiKeys: [{ name: "k", key: "secret-key-2" }] }] }, ["API key k: key changed"]],
    [{ accounts: [{ name: "a", apiKeys: [{ name: "k", allowedIps: ["::1"] }] }] }, ["API key k, allowedIps: +::1"]],
    [{ templates: [{ id: "T", content: "y" }] }, ['content: "x" → "y"']],
    [{ routes: [{ operator: "MCI", connectors: ["c"] }] }, ["+ MCI/* to c (place 1 of 1)", "- */* to c"]],
    [
      { systemLines: { service: null }, retentionDays: 3 },
      ["systemLines.service: 3000 → none", "retentionDays: 400 → 3"],
    ],
  ])("%j is told as %j", (value, details) => {
    expect(changed(value)).toMatchObject([{ action: "change", details }]);
  });

  it("of long lists tell their first items, and count the others", () => {
    const lines = Array.from({ length: 50 }, (_, n) => String(5000 + n));
    const setup = { lines: lines.map((number) => ({ number })), accounts: [{ name: "a", lines }] };
    const told = lines.slice(0, 40).map((line) => `+${line}`);
    expect(changed(setup).find(({ kind }) => kind === "account")?.details).toEqual([
      `lines: ${told.join(" ")} (and 10 more added) -1000`,
    ]);
  });

  it("of a certificate tell which one, not all of it", () => {
    const ca = `-----BEGIN CERTIFICATE-----\n${"A".repeat(500)}ENDOFCERT123\n-----END CERTIFICATE-----`;
    const [change] = changed({ connectors: [{ name: "c", tls: { ca } }] });
    expect(change?.details[0]).toMatch(/certificates of \d+ characters, …ENDOFCERT123/);
    expect(change?.details[0]?.length).toBeLessThan(120);
  });
});
