import { describe, expect, it } from "vitest";
import { desireState } from "../../src/setup/desired-state.ts";
import { emptyState, hashed, noPasswords, setupOf, whole } from "./setup-states.ts";

const { state: stored, faults } = desireState(emptyState, setupOf(whole), hashed);
const change = (value: object) => desireState(stored, setupOf(value), noPasswords);

describe("the desired state", () => {
  it("of new objects has the defaults", () => {
    expect(faults).toEqual([]);
    expect(stored.connectors.get("c")).toMatchObject({ enabled: true, settings: { window: 100 } });
    expect(stored.lines.get("2000")).toEqual({ kind: "dedicated", inbound: null, connectors: null, optOut: null });
    expect(stored.accounts.get("b")).toMatchObject({ domain: "b", permissions: ["*"], balance: 0n, unlimited: false });
    expect(stored.templates.get("T")).toMatchObject({ approved: false, validSeconds: null });
  });

  it("keeps what is not given, object and key", () => {
    const { state } = change({ accounts: [{ name: "a", domain: "d" }] });
    expect(state.accounts.get("a")).toEqual({ ...stored.accounts.get("a"), domain: "d" });
    expect(state.accounts.get("b")).toBe(stored.accounts.get("b"));
    expect(state.routes).toBe(stored.routes);
  });

  it("replaces lists whole", () => {
    const { state } = change({ accounts: [{ name: "a", users: [], lines: ["2000"] }], routes: [] });
    expect(state.accounts.get("a")).toMatchObject({ lines: ["2000"], users: new Map() });
    expect(state.accounts.get("a")?.apiKeys.size).toBe(1);
    expect(state.routes).toEqual([]);
  });

  it("keeps secrets that are not given, of those who have some", () => {
    const { state, faults: none } = change({
      accounts: [{ name: "a", users: [{ username: "u" }], apiKeys: [{ name: "k" }] }],
    });
    expect(none).toEqual([]);
    expect(state.accounts.get("a")).toEqual(stored.accounts.get("a"));
    const missing = change({ accounts: [{ name: "a", users: [{ username: "v" }], apiKeys: [{ name: "l" }] }] });
    expect(missing.faults.map(({ path }) => path.join("."))).toEqual([
      "accounts.0.users.0.password",
      "accounts.0.apiKeys.0.key",
    ]);
  });

  it("books credit for new accounts only, and changes the limit of old ones", () => {
    const { state } = change({
      accounts: [
        { name: "a", credit: 99 },
        { name: "b", credit: "unlimited" },
        { name: "n", tariff: "t", credit: 7 },
      ],
    });
    expect(
      ["a", "b", "n"].map((name) => [state.accounts.get(name)?.balance, state.accounts.get(name)?.unlimited]),
    ).toEqual([
      [5n, false],
      [0n, true],
      [7n, false],
    ]);
  });

  it("takes a prefix from the operator that had it", () => {
    const { state } = change({ operators: [{ name: "Taliya", prefixes: ["912", "932"] }] });
    expect(state.operators.get("MCI")?.prefixes).toEqual([]);
    expect(state.operators.get("Taliya")?.prefixes).toEqual(["912", "932"]);
  });
});
