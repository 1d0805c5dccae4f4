import { expect, it } from "vitest";
import { checkSetup } from "../../src/setup/check-setup.ts";
import { desireState } from "../../src/setup/desired-state.ts";
import { formatPath } from "../../src/setup/fault.ts";
import { emptyState, hashed, setupOf, whole } from "./setup-states.ts";

const { state: stored } = desireState(emptyState, setupOf(whole), hashed);

function faultsOf(value: object): string[] {
  const setup = setupOf(value);
  return checkSetup(setup, desireState(stored, setup, hashed).state).faults.map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  );
}

it("finds nothing wrong with references to what is stored or in the file", () => {
  expect(faultsOf(whole)).toEqual([]);
  expect(
    faultsOf({
      accounts: [{ name: "n", tariff: "t", lines: ["3000"] }],
      routes: [{ operator: "Unknown", line: "2000", connectors: ["c"] }],
    }),
  ).toEqual([]);
});

it.each([
  [{ portedNumbers: [{ number: "09121112233", operator: "X" }] }, "portedNumbers[0].operator: there is no operator X"],
  [{ routes: [{ operator: "X", connectors: ["c"] }] }, "routes[0].operator: there is no operator X"],
  [{ routes: [{ line: "9999", connectors: ["c"] }] }, "routes[0].line: there is no line 9999"],
  [{ routes: [{ connectors: ["c", "xyz"] }] }, "routes[0].connectors[1]: there is no connector xyz"],
  [{ lines: [{ number: "1000", connectors: ["c", "nope"] }] }, "lines[0].connectors[1]: there is no connector nope"],
  [{ lines: [{ number: "1000", inbound: "xyz" }] }, "lines[0].inbound: there is no account xyz"],
  [
    { tariffs: [{ name: "t", prices: [{ price: 1 }, { operator: "X", price: 2 }] }] },
    "tariffs[0].prices[1].operator: there is no operator X",
  ],
  [{ accounts: [{ name: "a", tariff: "xyz" }] }, "accounts[0].tariff: there is no tariff xyz"],
  [{ accounts: [{ name: "a", lines: ["1000", "9999"] }] }, "accounts[0].lines[1]: there is no line 9999"],
  [{ templates: [{ id: "T", account: "xyz" }] }, "templates[0].account: there is no account xyz"],
  [{ templates: [{ id: "T", sender: "9999" }] }, "templates[0].sender: there is no line 9999"],
  [{ systemLines: { advertising: "9999" } }, "systemLines.advertising: there is no line 9999"],
  [
    { accounts: [{ name: "b", domain: "A", users: [{ username: "u", password: "a password of u" }] }] },
    "accounts[0].users: u is also a user of account a in the domain A",
  ],
  [
    { accounts: [{ name: "b", apiKeys: [{ name: "k", key: "secret-key-1" }] }] },
    "accounts[0].apiKeys[0].key: is the key of another account",
  ],
])("of %j tells %s", (value, fault) => {
  expect(faultsOf(value)).toEqual([fault]);
});

it("does not limit the credit of an account that has spent more than it has", () => {
  const account = stored.accounts.get("a");
  if (account === undefined) throw new Error("no account");
  const spent = { ...stored, accounts: new Map([["a", { ...account, unlimited: true, balance: -1n }]]) };
  const setup = setupOf({ accounts: [{ name: "a", credit: 5 }] });
  const { faults } = checkSetup(setup, desireState(spent, setup, hashed).state);
  expect(faults).toMatchObject([
    { path: ["accounts", 0, "credit"], hint: "add credit with hodhod credit, then apply again" },
  ]);
});
