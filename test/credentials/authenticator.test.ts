import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { Authenticator } from "../../src/credentials/authenticator.ts";
import { directoryWith } from "./credential-rows.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

it("leaves a note of each key that was used, once however often, and none of a wrong or ended one", () => {
  const keyUses = new Set<string>();
  const key = { accountId: 1, allowedIps: [], expiresAt: null };
  const current = directoryWith({
    apiKeys: [
      { ...key, name: "open", sha256Hex: sha256("open-key") },
      { ...key, name: "fenced", sha256Hex: sha256("fenced-key"), allowedIps: ["10.0.0.1"] },
      { ...key, name: "ending", sha256Hex: sha256("ending-key"), expiresAt: new Date(5_000) },
    ],
  });
  const wait = async () => undefined;
  const authenticator = new Authenticator({
    directory: { current },
    tokenLifetimeSeconds: 3600,
    keyUses,
    now: () => 6_000,
    wait,
  });
  for (const given of ["open-key", "fenced-key", "open-key", "other-key", "ending-key"]) authenticator.byApiKey(given);
  expect(keyUses).toEqual(new Set([sha256("open-key"), sha256("fenced-key")]));
});
