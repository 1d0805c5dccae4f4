// A database of migration 0040, with private keys in what connectors trust, goes on without them.
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
    });
  } finally {
    await drop();
  }
});
