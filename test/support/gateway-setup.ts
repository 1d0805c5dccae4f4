// The setup that the flows run on: accounts of every kind, lines, templates, two tariffs' worth of
// prices. Data only.

/** Keys of the setup file, as `hodhod apply` reads it. */
export type SetupDocument = Readonly<Record<string, unknown>>;

export const keys = {
  demo: "demo-key-of-the-flows-0001",
  second: "second-key-of-the-flows-01",
  other: "other-key-of-the-flows-001",
  poor: "poor-key-of-the-flows-0001",
  statusOnly: "status-key-of-the-flows-01",
  fenced: "fenced-key-of-the-flows-01",
  slow: "slow-key-of-the-flows-0001",
} as const;

export const credentials = { username: "demo", password: "password-of-demo-7", domain: "demo.example" } as const;

/** Rials a part. */
export const price = { persian: 1390n, other: 2800n } as const;

export const openingCredit = 100_000_000n;

/** Three parts in UCS-2 (161 UTF-16 units). */
export const longText = `${"این متن بلند است. ".repeat(9)}پایان`.slice(0, 161);

const template = (id: string, rest: object): object => ({
  id,
  account: "demo",
  content: "کد شما: {code}",
  approved: true,
  ...rest,
});

/**
 * For what is about silence. All others have the timeout of the product, so that a slow machine is
 * not taken for a silent operator.
 */
export const impatient = { responseTimeoutMs: 300, enquireLinkSeconds: 1, inactivitySeconds: 60 };

export function baseConnectors(ports: readonly number[], settings: SetupDocument = {}): readonly SetupDocument[] {
  return ports.map((port, index) => ({
    name: `smsc-${index + 1}`,
    type: "smpp",
    host: "127.0.0.1",
    port,
    systemId: "hodhod",
    password: "secret-7",
    ...settings,
  }));
}

export function baseSetup(ports: readonly number[], connector: SetupDocument): SetupDocument {
  const lines = ["10001234", "10005678"];
  const plain = { credit: Number(openingCredit), tariff: "standard", lines: ["10001234"] };
  return {
    operators: [{ name: "RighTel", enabled: false }],
    connectors: baseConnectors(ports, connector),
    routes: [{ operator: "*", line: "*", connectors: ports.map((_, index) => `smsc-${index + 1}`) }],
    lines: [
      { number: "10001234", kind: "dedicated", inbound: "demo" },
      { number: "10005678", kind: "dedicated" },
      { number: "30001111", kind: "service" },
      { number: "30002222", kind: "advertising" },
    ],
    systemLines: { service: "30001111", advertising: "30002222" },
    tariffs: [
      {
        name: "standard",
        prices: [
          { operator: "*", line: "*", language: "fa", price: Number(price.persian) },
          { operator: "*", line: "*", language: "*", price: Number(price.other) },
        ],
      },
    ],
    accounts: [
      {
        ...plain,
        name: "demo",
        domain: credentials.domain,
        lines,
        users: [{ username: credentials.username, password: credentials.password }],
        apiKeys: [
          { name: "main", key: keys.demo },
          { name: "second", key: keys.second },
        ],
        blockedRecipients: ["09129999999"],
      },
      { ...plain, name: "other", domain: "other.example", apiKeys: [{ name: "main", key: keys.other }] },
      { ...plain, name: "poor", domain: "poor.example", credit: 5600, apiKeys: [{ name: "main", key: keys.poor }] },
      {
        ...plain,
        name: "statusOnly",
        domain: "status.example",
        permissions: ["status"],
        apiKeys: [{ name: "main", key: keys.statusOnly }],
      },
      {
        ...plain,
        name: "fenced",
        domain: "fenced.example",
        allowedIps: ["10.0.0.0/8"],
        apiKeys: [{ name: "main", key: keys.fenced }],
      },
      {
        ...plain,
        name: "slow",
        domain: "slow.example",
        requestsPerSecond: 1,
        apiKeys: [{ name: "main", key: keys.slow }],
      },
    ],
    templates: [
      template("OwnLineTpl", { sender: "10005678" }),
      template("ServiceTpl", { sender: "service" }),
      template("AdvertTmpl", { sender: "advertising", content: "Sale!" }),
      template("NoLineTmpl", {}),
      template("TwoSeconds", { sender: "10001234", validSeconds: 2 }),
      template("ThreeSLong", { sender: "10001234", validSeconds: 3, content: `{code} ${longText}` }),
      // For what must happen twice within the time, also on a busy machine.
      template("EightSecs", { sender: "10001234", validSeconds: 8 }),
      template("EightSLong", { sender: "10001234", validSeconds: 8, content: `{code} ${longText}` }),
      template("Unapproved", { approved: false }),
      template("ForeignTpl", { account: "other" }),
    ],
  };
}
