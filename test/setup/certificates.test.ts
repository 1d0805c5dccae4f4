import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { applySetup } from "../../src/setup/change-setup.ts";
import { describeObject, exportSetup } from "../../src/setup/describe-object.ts";
import { faultMessage, SetupFaults } from "../../src/setup/fault.ts";
import { stateOf } from "../../src/setup/load-state.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { useTestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";

const pem = (file: string): string => readFileSync(new URL(`../fixtures/tls/${file}`, import.meta.url), "utf8").trim();
const real = pem("ca.pem");
const link = { name: "sim", type: "smpp", host: "smsc.example", port: 2776, systemId: "x", password: "y" };
const broken = "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----";

const database = useTestDatabase();

async function faultsOf(ca: string, others: object = {}): Promise<readonly string[]> {
  const text = JSON.stringify({ connectors: [{ ...link, tls: { ca }, ...others }] });
  try {
    await applyDocument(database.db, text);
    return [];
  } catch (error) {
    if (!(error instanceof SetupFaults)) throw error;
    return error.faults.map((fault) => `${fault.path.join(".")} ${faultMessage(fault, "en")}`);
  }
}

it("takes certificates that can be read, and names the first that cannot", async () => {
  const trusted = real.replaceAll("BEGIN CERT", "BEGIN TRUSTED CERT").replaceAll("END CERT", "END TRUSTED CERT");
  for (const ca of [real, `${real}\n${real}`, `# of the operator\n${real}\n`, trusted])
    expect([ca, await faultsOf(ca)]).toEqual([ca, []]);
  const fault = (number: number) => [`connectors.0.tls.ca certificate ${number} of it is not a certificate of X.509`];
  expect(await faultsOf(broken)).toEqual(fault(1));
  expect(await faultsOf(`${real}\n${broken}`)).toEqual(fault(2));
  expect(await faultsOf(`${real}\n${real.slice(0, -40)}`)).toEqual(fault(2));
});

it("takes a certificate of this side with its key, which nobody is shown", async () => {
  const [cert, key] = [pem("server.pem"), pem("server-key.pem")];
  expect(await faultsOf(real, { tls: { cert } })).toEqual(["connectors.0.tls.key is missing"]);
  expect(await faultsOf(real, { tls: { cert: real, key } })).toEqual([
    "connectors.0.tls.key is not the private key of the certificate",
  ]);
  expect(await faultsOf(real, { tls: { cert, key: cert } })).toEqual([
    "connectors.0.tls.key must contain a private key in PEM format without a passphrase",
  ]);
  expect(await faultsOf(real, { tls: { cert, minVersion: "1.4" } })).toEqual([
    "connectors.0.tls must have one of 1.0, 1.1, 1.2, 1.3 as minVersion",
  ]);
  expect(await faultsOf(real, { tlsKey: key })).toEqual(["connectors.0.tlsKey tlsKey is an unknown key"]);
  // One text may hold both.
  expect(await faultsOf(real, { tls: { cert: `${cert}\n${key}`, key: `${cert}\n${key}`, minVersion: 1 } })).toEqual([]);
  const state = stateOf(await loadConfiguration(database.db));
  expect(state.connectors.get("sim")).toMatchObject({ tls: { cert, minVersion: "1.0" }, tlsKey: key });
  const secret = key.split("\n")[1] ?? "";
  const exported = exportSetup(state);
  const shown = describeObject(state, { section: "connectors", name: "sim" });
  expect(shown).toMatchObject({ tlsKeySet: true });
  for (const text of [exported, JSON.stringify(shown)]) expect(text).not.toContain(secret);
  const again = { text: exported, folder: "/", prune: false, dryRun: false };
  expect((await applySetup(database.db, again)).changes).toEqual([]);
  const { changes } = await applySetup(database.db, {
    ...again,
    text: JSON.stringify({ connectors: [{ name: "sim", tls: { cert, key: "" } }] }),
    dryRun: true,
  }).catch((error: unknown) => ({ changes: (error as SetupFaults).faults }));
  expect(JSON.stringify(changes)).not.toContain(secret);
});

it("reads the certificate and the key from files, and the key from a variable", async () => {
  const folder = fileURLToPath(new URL("../fixtures/tls", import.meta.url));
  const apply = (tls: object, environment = {}) =>
    applySetup(database.db, {
      text: JSON.stringify({ connectors: [{ ...link, name: "filed", tls }] }),
      ...{ folder, environment, prune: false, dryRun: true },
    });
  await apply({ cert: "server.pem", key: "server-key.pem" });
  await apply({ cert: "server.pem", key: "${KEY}" }, { KEY: pem("server-key.pem") });
  await expect(apply({ cert: "server.pem", key: "ca.pem" })).rejects.toThrow(SetupFaults);
});
