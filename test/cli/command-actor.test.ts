// Each command that changes something writes into the audit who ran it, in the transaction of the
// change.
import { hostname, userInfo } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandActor } from "../../src/cli/database.ts";
import { listAuditEntries } from "../../src/store/audit.ts";
import { useTestDatabase } from "../support/database.ts";
import { setupText } from "../support/test-api.ts";
import { hodhod, temporaryFolder } from "./run-hodhod.ts";

const test = useTestDatabase();

const run = async (args: readonly string[], input?: string, folder?: string) => {
  const options = { env: { DATABASE_URL: test.url }, ...(input !== undefined && { input }), ...(folder && { folder }) };
  const outcome = await hodhod(args, options);
  if (outcome.code !== 0) throw new Error(`${args.join(" ")}: ${outcome.stderr}`);
  return outcome;
};
const entries = async (limit: number) => (await listAuditEntries(test.db, { limit })).entries;
const lastEntry = async () => (await entries(1))[0];

describe("commandActor", () => {
  it("names the user of the system and the host", () => {
    expect(commandActor()).toEqual({ who: `command:${userInfo().username}@${hostname()}` });
  });
});

describe("commands that change something are audited", () => {
  it("apply: each object, without secrets", async () => {
    await run(["apply", "-"], setupText);
    const created = await entries(200);
    expect(created.every(({ who }) => who === commandActor().who)).toBe(true);
    expect(created.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(["account demo", "connector mci-1", "line 10001234", "tariff standard", "route routes"]),
    );
    const all = JSON.stringify(await entries(200), (_, item: unknown) => (typeof item === "bigint" ? "" : item));
    for (const secret of ["secret", "password-of-demo", "demo-key-of-the-tests", "argon2"])
      expect(all).not.toContain(secret);
  });

  it("token-key rotate", async () => {
    await run(["token-key", "rotate"]);
    expect((await run(["token-key", "rotate"])).stdout).toContain("Tokens issued before stay valid");
    expect(await lastEntry()).toMatchObject({ kind: "tokenKey", who: commandActor().who });
    const keys = () => test.rows("select from token_key");
    expect(await keys()).toHaveLength(2);
    expect((await run(["token-key", "rotate", "--now"])).stdout).toContain("no longer accepted");
    expect(await keys()).toHaveLength(1);
    expect(await lastEntry()).toMatchObject({ kind: "tokenKey", after: { tokens: "all ended" } });
  });

  it("restore: in the audit of what is restored; sessions do not come back", async () => {
    const folder = temporaryFolder();
    try {
      const sessions = () => test.rows("select from console_session");
      await test.rows(`insert into console_session (id, token_sha256, person_id, password_version, address, user_agent)
           select gen_random_uuid(), '\\x00', min(id), 1, '', '' from person`);
      expect(await sessions()).toHaveLength(1);
      const file = path.join(folder.path, "all.backup");
      await run(["backup", file]);
      const before = await lastEntry();
      await run(["restore", "--force", file]);
      const [restored, next] = await entries(2);
      expect(restored).toMatchObject({ kind: "database", name: "restore", who: commandActor().who });
      expect(next).toEqual(before);
      expect(await sessions()).toEqual([]);
    } finally {
      folder.remove();
    }
  });
});
