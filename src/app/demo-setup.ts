// What the demo sets up: one operator link to its own simulated SMSC, one account with credit, and
// secrets made at random, which are kept in the data folder so that a second start shows the same
// ones.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { wrongUsage } from "../platform/command-failed.ts";
import { readRegularFile, replaceFile, termsOfOwnFile } from "../platform/trusted-file.ts";

export interface DemoSecrets {
  readonly apiKey: string;
  readonly password: string;
  readonly smscPassword: string;
  /** Of the administrator `demoStaff`. */
  readonly staffPassword: string;
}

export const demoUser = { username: "demo", organisation: "demo.example" };
export const demoStaff = "admin";
export const demoAccount = "demo";
export const demoTemplate = "TydSt1skQE";

const secretsFile = "demo-secrets.json";
const longestSecrets = 65_536;

/**
 * Makes the secrets on the first start, and reads them on the next. The file is for its owner only.
 * Throws for a data folder that holds a
 * database and no such file: a gateway at work has its data there, and the demo would turn all its
 * routes to the simulated operator.
 */
export function demoSecrets(dataDir: string): DemoSecrets {
  const file = path.join(dataDir, secretsFile);
  const text = readRegularFile(file, termsOfOwnFile(file, longestSecrets))?.toString();
  if (text !== undefined) return JSON.parse(text) as DemoSecrets;
  if (existsSync(path.join(dataDir, "postgres"))) {
    throw wrongUsage(
      `${dataDir} holds the data of a gateway that is no demo`,
      "give the demo a folder of its own: HODHOD_DATA_DIR=demo-data hodhod demo",
    );
  }
  const secrets = newSecrets();
  replaceFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function newSecrets(): DemoSecrets {
  return {
    apiKey: `demo-${randomBytes(24).toString("base64url")}`,
    password: randomBytes(12).toString("base64url"),
    // A password of SMPP 3.4 has at most 8 characters (§5.2.2).
    smscPassword: randomBytes(4).toString("hex"),
    staffPassword: randomBytes(12).toString("base64url"),
  };
}

export const demoLine = "10001234";
/** It honours opt-outs. */
export const demoServiceLine = "20001234";
export const demoSystemId = "hodhod";

/** The setup file of the demo, as `hodhod apply` reads it. */
export function demoSetup(
  { apiKey, password, smscPassword }: Omit<DemoSecrets, "staffPassword">,
  smscPort: number,
): string {
  return JSON.stringify({
    connectors: [
      {
        name: "simulated-operator",
        type: "smpp",
        host: "127.0.0.1",
        port: smscPort,
        systemId: demoSystemId,
        password: smscPassword,
        // Of the receipts to numbers that end with 0001.
        receiptErrors: { "027": "unreachable" },
      },
    ],
    routes: [{ operator: "*", line: "*", connectors: ["simulated-operator"] }],
    lines: [
      { number: demoLine, kind: "dedicated", inbound: demoAccount },
      { number: demoServiceLine, kind: "service", inbound: demoAccount },
    ],
    systemLines: { service: demoServiceLine },
    tariffs: [
      {
        name: "standard",
        prices: [
          { operator: "*", line: "*", language: "fa", price: 1390 },
          { operator: "*", line: "*", language: "*", price: 2800 },
        ],
      },
    ],
    accounts: [
      {
        name: demoAccount,
        domain: demoUser.organisation,
        // More than it ever sends.
        credit: 10_000_000_000,
        tariff: "standard",
        lines: [demoLine, demoServiceLine],
        users: [{ username: demoUser.username, password }],
        apiKeys: [{ name: "main", key: apiKey }],
      },
    ],
    templates: [
      {
        id: demoTemplate,
        account: demoAccount,
        content: "کد ورود شما: {code}",
        sender: demoLine,
        approved: true,
        validSeconds: 120,
      },
    ],
  });
}
