// A setup file of few accounts among many: what is read of the others, and what is found about them
// all the same.
import { beforeAll, describe, expect, it } from "vitest";
import { type AppliedSetup } from "../../src/setup/change-setup.ts";
import { concernedScope } from "../../src/setup/configured-object.ts";
import { faultMessage, hintText, SetupFaults } from "../../src/setup/fault.ts";
import { readSetupValue } from "../../src/setup/read-setup.ts";
import { useTestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";

const database = useTestDatabase();
beforeAll(async () => {
  await apply({
    tariffs: [{ name: "standard", prices: [{ operator: "*", line: "*", language: "*", price: 1 }] }],
    lines: [{ number: "1000" }],
    accounts: [
      account("one", {
        domain: "Shared.Example",
        users: [user("ali")],
        apiKeys: [{ name: "main", key: keyOf("one") }],
      }),
      account("two", {
        domain: "shared.example",
        users: [user("sara")],
        apiKeys: [{ name: "main", key: keyOf("two") }],
      }),
      account("three", { domain: "three.example", users: [user("ali")] }),
      account("Ölçü", { domain: "ÖLÇÜ.example", users: [user("reza")] }),
      account("far", {}),
    ],
    templates: [{ id: "T1", account: "three", content: "text" }],
  });
});

const keyOf = (name: string): string => `key-of-${name}-0123456789`;
const user = (username: string) => ({ username, password: "a-long-password-1" });
const account = (name: string, rest: object) => ({ name, tariff: "standard", ...rest });

function apply(setup: object, options: { prune?: boolean; dryRun?: boolean } = {}): Promise<AppliedSetup> {
  return applyDocument(database.db, setup, { ...options });
}

async function concerned(setup: object): Promise<readonly string[]> {
  const scope = await database.db.transaction((tx) => concernedScope(tx, readSetupValue(setup).setup));
  return [...(scope.accounts ?? ["everything"])].sort();
}

async function messagesOf(setup: object): Promise<readonly string[]> {
  const faults = await apply(setup).then(
    () => [],
    (error: unknown) => {
      if (error instanceof SetupFaults) return error.faults;
      throw error;
    },
  );
  return faults.map((fault) => faultMessage(fault, "en") + (fault.hint ? `; ${hintText(fault.hint, "en")}` : ""));
}

describe("the accounts that are read for a file", () => {
  it("are all for a file of many", async () => {
    expect(await concerned({ accounts: Array.from({ length: 1001 }, (_, index) => ({ name: `n${index}` })) })).toEqual([
      "everything",
    ]);
  });
});

describe("a file of one account among many", () => {
  it("is refused a key of another account", async () => {
    const setup = { accounts: [{ name: "far", apiKeys: [{ name: "x", key: keyOf("two") }] }] };
    expect(await messagesOf(setup)).toEqual(["is the key of another account"]);
  });

  it("is refused a login of another account", async () => {
    const message = "ali is also a user of account one in the domain SHARED.example";
    expect(await messagesOf({ accounts: [{ name: "three", domain: "SHARED.example" }] })).toEqual([message]);
    const other = await messagesOf({ accounts: [account("new", { domain: "ölçü.EXAMPLE", users: [user("reza")] })] });
    expect(other).toEqual(["reza is also a user of account Ölçü in the domain ölçü.EXAMPLE"]);
  });

  it("changes nothing of the others, and removes them only if it is told to", async () => {
    const { changes } = await apply({ accounts: [{ name: "far", requestsPerSecond: 9 }] });
    expect(changes).toMatchObject([
      { action: "change", kind: "account", name: "far", details: ["requestsPerSecond: 0 → 9"] },
    ]);
    const pruned = await apply({ accounts: [{ name: "far" }] }, { prune: true, dryRun: true });
    const removed = pruned.changes.filter(({ action, kind }) => action === "remove" && kind === "account");
    expect(removed.map(({ name }) => name).sort()).toEqual(["one", "three", "two", "Ölçü"]);
  });
});
