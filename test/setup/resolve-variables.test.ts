import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultMessage } from "../../src/setup/fault.ts";
import { readSetupValue } from "../../src/setup/read-setup.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-references-"));
  writeFileSync(path.join(folder, "password.txt"), "  geheim ${NOT} \n");
  writeFileSync(path.join(folder, "windows.txt"), "geheim-and-longer\r\n");
  writeFileSync(path.join(folder, "empty.txt"), "\n");
  writeFileSync(path.join(folder, "long.txt"), "x".repeat(70_000));
  writeFileSync(path.join(folder, "latin1.txt"), Buffer.from([0xe9, 0xe8]));
  mkdirSync(path.join(folder, "directory"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = {
  SMSC_PASSWORD: "from-outside",
  SMSC_HOST: "smsc.example",
  EMPTY: "",
  API_KEY: "key-from-outside",
};
const resolve = (value: unknown) => readSetupValue(value, { folder, environment });
const values = (given: readonly { readonly name: string; readonly values: object }[] = []) =>
  given.map(({ name, values }) => ({ name, ...values }));

describe("what a setup file refers to", () => {
  it("takes the whole value of a secret, a host or a systemId from the environment", () => {
    const { setup, faults } = resolve({
      connectors: [{ name: "a", host: "${SMSC_HOST}", systemId: "${SMSC_PASSWORD}", password: "${SMSC_PASSWORD}" }],
      accounts: [
        {
          name: "demo",
          users: [{ username: "u", password: "${SMSC_PASSWORD}" }],
          apiKeys: [{ name: "k", key: "${API_KEY}" }],
        },
      ],
    });
    expect(faults).toEqual([]);
    expect(values(setup.connectors)).toEqual([
      { name: "a", host: "smsc.example", systemId: "from-outside", password: "from-outside" },
    ]);
    const { users, apiKeys } = setup.accounts[0]?.values ?? {};
    expect(values(users)).toEqual([{ name: "u", password: "from-outside" }]);
    expect(values(apiKeys)).toEqual([{ name: "k", key: hash("sha256", "key-from-outside") }]);
  });

  it("leaves it as text in any other place, and where it is a part of a value", () => {
    const { setup, faults } = resolve({
      connectors: [{ name: "${SMSC_HOST}", systemType: "${SMSC_HOST}", password: "x${SMSC_PASSWORD}" }],
      templates: [{ id: "t", content: "${SMSC_HOST}" }],
      accounts: [{ name: "a", domain: "${SMSC_HOST}", users: [{ username: "${SMSC_HOST}" }] }],
    });
    expect(faults).toEqual([]);
    expect(values(setup.connectors)).toEqual([
      { name: "${SMSC_HOST}", systemType: "${SMSC_HOST}", password: "x${SMSC_PASSWORD}" },
    ]);
    expect(values(setup.templates)).toEqual([{ name: "t", content: "${SMSC_HOST}" }]);
    expect(setup.accounts[0]?.values).toMatchObject({ domain: "${SMSC_HOST}", users: [{ name: "${SMSC_HOST}" }] });
  });

  it("reads a password from a file, without the line break at its end and with everything else", () => {
    const { setup, faults } = resolve({
      connectors: [{ name: "a", passwordFile: "password.txt" }],
      accounts: [{ name: "demo", users: [{ username: "u", passwordFile: path.join(folder, "windows.txt") }] }],
    });
    expect(faults).toEqual([]);
    expect(values(setup.connectors)).toEqual([{ name: "a", password: "  geheim ${NOT} " }]);
    expect(values(setup.accounts[0]?.values.users)).toEqual([{ name: "u", password: "geheim-and-longer" }]);
  });

  it("names each reference that leads nowhere by its path, and no value of any other", () => {
    const { faults } = resolve({
      connectors: [
        { name: "a", host: "${UNSET}", password: "${EMPTY}" },
        { name: "b", passwordFile: "absent.txt" },
        { name: "c", passwordFile: "password.txt", password: "beside" },
        ...["empty.txt", "long.txt", "directory", "latin1.txt", "/dev/zero", 7].map((passwordFile, index) => ({
          name: `d${index}`,
          passwordFile,
        })),
      ],
      accounts: [{ name: "demo", apiKeys: [{ name: "k", key: "${UNSET}" }] }],
    });
    expect(faults.map((fault) => `${fault.path.join(".")}: ${faultMessage(fault, "en")}`)).toEqual([
      "connectors.0.host: the variable UNSET is unset or empty",
      "connectors.0.password: the variable EMPTY is unset or empty",
      "connectors.1.passwordFile: absent.txt cannot be read",
      "connectors.2.passwordFile: cannot be combined with password",
      "connectors.3.passwordFile: empty.txt is empty",
      "connectors.4.passwordFile: long.txt cannot be read",
      "connectors.5.passwordFile: directory cannot be read",
      "connectors.6.passwordFile: latin1.txt cannot be read",
      "connectors.7.passwordFile: /dev/zero cannot be read",
      "connectors.8.passwordFile: must be the name of a file",
      "accounts.0.apiKeys.0.key: the variable UNSET is unset or empty",
    ]);
    expect(JSON.stringify(faults)).not.toMatch(/geheim|outside|beside\b.*beside/);
  });
});
