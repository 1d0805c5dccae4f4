import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { faultMessage, SetupFaults } from "../../src/setup/fault.ts";
import { useTestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";

const real = readFileSync(new URL("../fixtures/tls/ca.pem", import.meta.url), "utf8").trim();
const broken = "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----";

const database = useTestDatabase();

async function faultsOf(ca: string, others: object = {}): Promise<readonly string[]> {
  const link = { name: "sim", type: "smpp", host: "smsc.example", port: 2776, systemId: "x", password: "y" };
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

it("lets a link go on whose certificates were stored before they were read", async () => {
  expect(await faultsOf(real)).toEqual([]);
  const store =
    "update connector set settings = jsonb_set(settings, '{tls,ca}', to_jsonb($1::text)) where name = 'sim'";
  await database.rows(store, [broken]);
  expect(await faultsOf(broken, { window: 7 })).toEqual([]);
  expect(await faultsOf(`${broken}\n${broken}`)).toHaveLength(1);
});
