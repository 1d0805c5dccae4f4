// A database of migration 0040, with private keys in what connectors trust, goes on without them:
// in the connectors, and in what the audit tells of them.
import { expect, it } from "vitest";
import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { createEmptyDatabase, statement } from "../support/database.ts";

const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";

it("loses private keys of tls.ca, and nothing else", async () => {
  const { db, drop } = await createEmptyDatabase();
  try {
    await migrate(db, { migrations: readMigrations().slice(0, 40) });
    const given = {
      beside: { port: 1, tls: { ca: `${certificate}\n${key}\n${certificate}` } },
      first: { tls: { ca: `${key}\n${certificate}`, serverName: "smsc.example" } },
      alone: { tls: { ca: key, serverName: "smsc.example" } },
      unended: { tls: { ca: `${certificate}\n-----BEGIN PRIVATE KEY-----\nMIIE` } },
      attributes: { tls: { ca: `Bag Attributes\n${key}` } },
      trusted: { tls: { ca: "-----BEGIN TRUSTED CERTIFICATE-----\nMIIB\n-----END TRUSTED CERTIFICATE-----" } },
      good: { tls: { ca: `${certificate}\n${certificate}` } },
      plain: { port: 2 },
    };
    for (const [name, settings] of Object.entries(given))
      await db.query(
        statement("insert into connector (name, settings) values ($1, $2::jsonb)", [name, JSON.stringify(settings)]),
      );
    await migrate(db);
    const rows = await db.query<{ name: string; settings: object }>(statement("select name, settings from connector"));
    expect(Object.fromEntries(rows.map(({ name, settings }) => [name, settings]))).toEqual({
      ...given,
      beside: { port: 1, tls: { ca: `${certificate}\n\n${certificate}` } },
      first: { tls: { ca: certificate, serverName: "smsc.example" } },
      alone: { tls: { serverName: "smsc.example" } },
      unended: { tls: { ca: certificate } },
      attributes: { tls: {} },
    });
  } finally {
    await drop();
  }
});

it("leaves no private key in the audit, and every entry as it was but for that", async () => {
  const { db, drop } = await createEmptyDatabase();
  const secret = `MIIEvQ${"secret/+=\n".repeat(30)}`;
  const keyOf = (kind: string, head = "") =>
    `-----BEGIN ${kind}PRIVATE KEY-----\n${head}${secret}\n-----END ${kind}PRIVATE KEY-----`;
  const locked = keyOf("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\n");
  const whole = (ca: string) => ({ tls: { ca, serverName: "smsc-1.example" }, note: 'a\\b "c" … -' });
  // As the audit keeps what is longer than 2,000 characters.
  const cut = (ca: string, length: number) => ({ tls: `${JSON.stringify({ ca }).slice(0, length)}…` });
  const given: Readonly<Record<string, readonly [object | null, object | null]>> = {
    object: [whole(`${certificate}\n${keyOf("")}\r\n${locked}\n${certificate}`), null],
    both: [whole(keyOf("EC ")), whole(certificate)],
    unended: [null, whole(`${certificate}\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n${secret}`)],
    text: [cut(`${certificate}\n${keyOf("")}\n${certificate}`, 10_000), null],
    cutInside: [null, cut(`${certificate}\n${keyOf("RSA ")}`, 200)],
    cutAtEscape: [null, cut(`-----BEGIN PRIVATE KEY-----\nMIIE\nsecret`, 41)],
    plain: [whole(certificate), { paused: true }],
  };
  try {
    await migrate(db, { migrations: readMigrations().slice(0, 40) });
    for (const [name, [before, after]] of Object.entries(given))
      for (const kind of ["connector", "account"])
        await db.query(
          statement(
            "insert into audit_entry (who, action, kind, name, before, after) values ('x', 'change', $1, $2, $3::jsonb, $4::jsonb)",
            [kind, name, before && JSON.stringify(before), after && JSON.stringify(after)],
          ),
        );
    await migrate(db);
    const rows = await db.query<{ kind: string; name: string; before: object | null; after: object | null }>(
      statement("select kind, name, before, after from audit_entry order by id"),
    );
    const left = (wanted: string) =>
      Object.fromEntries(
        rows.flatMap(({ kind, name, before, after }) => (kind === wanted ? [[name, [before, after]]] : [])),
      );
    // Nothing else is touched.
    expect(left("account")).toEqual(given);
    const removed = "(private key removed)";
    expect(left("connector")).toEqual({
      object: [whole(`${certificate}\n${removed}\r\n${removed}\n${certificate}`), null],
      both: [whole(removed), whole(certificate)],
      unended: [null, whole(`${certificate}\n${removed}`)],
      text: [cut(`${certificate}\n${removed}\n${certificate}`, 10_000), null],
      cutInside: [null, { tls: `${JSON.stringify({ ca: `${certificate}\n` }).slice(0, -2)}${removed}…` }],
      cutAtEscape: [null, { tls: String.raw`{"ca":"${removed}\…` }],
      plain: given["plain"],
    });
    expect(JSON.stringify(left("connector"))).not.toContain("secret");
  } finally {
    await drop();
  }
});
