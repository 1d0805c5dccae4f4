import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { Authenticator } from "../../src/credentials/authenticator.ts";
import { replaceTokenKey } from "../../src/credentials/access-token.ts";
import { DirectoryService } from "../../src/directory/directory-service.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { createTestDatabase } from "../support/database.ts";
import { setupText } from "../support/test-api.ts";
import { hodhod } from "./run-hodhod.ts";
import { applyDocument } from "../support/apply-document.ts";

it("hodhod token-key rotate makes a new key and retires the one before", async () => {
  const { db, url, drop } = await createTestDatabase();
  for (let round = 0; round < 2; round += 1) {
    const { code, stdout } = await hodhod(["token-key", "rotate"], { env: { DATABASE_URL: url } });
    expect(code).toBe(0);
    expect(stdout).toContain("Tokens issued before stay valid");
  }
  const { tokenKeys } = await db.transaction(loadConfiguration);
  expect(tokenKeys.map(({ retiredAt }) => retiredAt !== undefined)).toEqual([true, false]);
  await drop();
});

it("hodhod token-key rotate --now ends the tokens that were given out, and the key they were signed with, on all nodes", async () => {
  const { db, url, drop } = await createTestDatabase();
  await applyDocument(db, setupText);
  // Two: a key that was retired the ordinary way verifies still.
  await replaceTokenKey({ database: db, tokenLifetimeSeconds: 3600 });
  const nodes = await Promise.all(
    [1, 2].map(async () => {
      const telemetry = new Telemetry();
      const directory = new DirectoryService({ database: db, telemetry, maximumParts: 10 });
      await directory.start();
      return { telemetry, directory, authenticator: new Authenticator({ directory, tokenLifetimeSeconds: 3600 }) };
    }),
  );
  const [one, other] = nodes;
  const demo = { username: "demo", password: "password-of-demo", domain: "demo.example" };
  const issue = async () => (await one?.authenticator.issueToken(demo))?.accessToken ?? "";
  const first = await issue();
  await replaceTokenKey({ database: db, tokenLifetimeSeconds: 3600 });
  const stolen = one?.directory.current.tokenKeys.at(-1);
  const user = one?.directory.current.findUser("demo.example", "demo");
  const forge = () =>
    new SignJWT({ acc: user?.account.id, pv: user?.passwordVersion })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: String(stolen?.id) })
      .setIssuer("hodhod")
      .setSubject(String(user?.personId))
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(stolen?.secret ?? Buffer.alloc(32));
  for (const { directory } of nodes) await directory.refresh();
  const accepted = async (token: string) =>
    Promise.all(nodes.map(async ({ authenticator }) => (await authenticator.byAccessToken(token)) !== undefined));
  expect(await accepted(first)).toEqual([true, true]);
  expect(await accepted(await forge())).toEqual([true, true]);

  const followed = Promise.all(nodes.map(({ telemetry }) => telemetry.next("configuration.reloaded")));
  const { code, stdout } = await hodhod(["token-key", "rotate", "--now"], { env: { DATABASE_URL: url } });
  expect([code, stdout]).toEqual([0, expect.stringContaining("no longer accepted")]);
  await followed;
  expect(await accepted(first)).toEqual([false, false]);
  expect(await accepted(await forge())).toEqual([false, false]);
  const fresh = await issue();
  expect(await accepted(fresh)).toEqual([true, true]);
  expect(other?.directory.current.tokenKeys).toHaveLength(1);

  for (const { directory } of nodes) await directory.stop();
  await drop();
});
