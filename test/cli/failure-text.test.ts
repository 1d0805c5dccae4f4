// What commands say where the database refuses them, with errors of a real server.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { reportFailure } from "../../src/cli/failure-text.ts";
import { Database } from "../../src/store/database.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";

function toldOf(error: unknown): string {
  let told = "";
  const stderr = new Writable({
    write(chunk: Buffer, _, done) {
      told += chunk.toString();
      done();
    },
  });
  reportFailure({ stdin: Readable.from([]), stdout: stderr, stderr }, error);
  return told;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a failure at the database", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createEmptyDatabase();
  });
  afterAll(() => database.drop());

  it("tells of connections where there are none left, and not that PostgreSQL does not run", async () => {
    const raise = "do $$ begin raise exception 'sorry, too many clients already' using errcode = '53300'; end $$";
    const told = toldOf(await failureOf(database.rows(raise)));
    expect(told).toContain("sorry, too many clients already\nhint: PostgreSQL has no connection left");
    expect(told).not.toContain("is running");
  });

  it("tells of a pooler where a statement that was prepared is another session's", async () => {
    const prepare = "prepare of_another_session as select 1";
    const failure = database.db.dedicatedSession(async (client) => {
      await client.query(prepare);
      await client.query(prepare);
    });
    const told = toldOf(await failureOf(failure));
    expect(told).toContain('"of_another_session" already exists\nhint: DATABASE_URL seems to lead to a pooler');
  });

  it("tells of a server that does not answer, and not that it ended the connection", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const db = Database.open({ url: `postgres://u:p@127.0.0.1:${port}/d`, poolSize: 4, statementTimeoutMs: 1000 });
    onTestFinished(async () => {
      await db.close();
      silent.close();
    });
    expect(toldOf(await failureOf(db.ping()))).toContain("cannot reach the database: it does not answer");
  });
});
