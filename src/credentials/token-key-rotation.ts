// Ensures that there is a key to sign access tokens, and that it is replaced in time. Several nodes
// may run it.
import { randomBytes } from "node:crypto";
import { PeriodicService } from "../platform/service.ts";
import { type Actor, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { replaceAllTokenKeys, rotateTokenKey } from "../store/api-keys.ts";

const secretBytes = 32;
const rotateAfterSeconds = 90 * 86_400;
const checkEveryMs = 3_600_000;
/** For some seconds nodes still sign with the previous key, and clocks differ. */
const marginSeconds = 120;

export interface TokenKeysOptions {
  readonly database: Database;
  readonly tokenLifetimeSeconds: number;
}

/** Makes a key when there is none, or only an old one. Await it before the directory is loaded. */
export async function ensureTokenKey(options: TokenKeysOptions): Promise<boolean> {
  return replaceKey(options, rotateAfterSeconds);
}

/** Makes a new key. Tokens signed by the previous one stay valid until they expire. */
export async function replaceTokenKey(options: TokenKeysOptions, by: Actor = gatewayActor): Promise<void> {
  await replaceKey(options, 0, by);
}

/**
 * Makes a new key and removes all others. A node rejects every earlier token as soon as it has
 * loaded the change.
 */
export async function replaceTokenKeyNow(database: Database, by: Actor = gatewayActor): Promise<bigint> {
  return database.transaction(async (tx) => {
    await insertAuditEntries(tx, by, [{ ...rotated, after: { tokens: "all ended" } }]);
    return replaceAllTokenKeys(tx, randomBytes(secretBytes));
  });
}

const rotated = { action: "change", kind: "tokenKey", name: "" } as const;

/** `by`: who has asked for it; the gateway's own rotation is not audited. */
async function replaceKey(
  { database, tokenLifetimeSeconds }: TokenKeysOptions,
  unlessYoungerThanSeconds: number,
  by?: Actor,
) {
  return database.transaction(async (tx) => {
    if (by !== undefined) await insertAuditEntries(tx, by, [rotated]);
    return rotateTokenKey(tx, {
      secret: randomBytes(secretBytes),
      unlessYoungerThanSeconds,
      retireAfterSeconds: tokenLifetimeSeconds + marginSeconds,
    });
  });
}

export function tokenKeyRotation(options: TokenKeysOptions & { readonly telemetry: Telemetry }): PeriodicService {
  return new PeriodicService({
    name: "token-keys",
    everyMs: checkEveryMs,
    telemetry: options.telemetry,
    runOnce: async () => ({ rotated: Number(await ensureTokenKey(options)) }),
  });
}
