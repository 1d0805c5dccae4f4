// API keys that people make in the console: made here, shown once, stored as a hash. Each change is
// one transaction with its entry in the audit, under the lock of the configuration, because keys
// are part of it.
import { hash, randomBytes } from "node:crypto";
import {
  deleteApiKey,
  deleteEndedApiKeys,
  findApiKey,
  insertApiKey,
  listApiKeysOf,
  retireApiKey,
  type StoredApiKey,
  updateApiKey,
  noteApiKeyUse,
} from "../store/credentials.ts";
import { type Actor, type AuditedChange, changeAudited } from "../store/audit.ts";
import type { Queryable, Transactional, Database } from "../store/database.ts";
import { PeriodicService } from "../platform/service.ts";
import { ApiError } from "../texts/errors.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface ApiKeyChange {
  readonly db: Transactional;
  readonly actor: Actor;
  readonly account: { readonly id: number; readonly name: string };
  readonly name: string;
  /** Looks at what is stored while nobody else can change it; throws to change nothing. */
  readonly expect?: (stored: StoredApiKey | undefined) => void;
}

export interface WantedApiKey {
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
}

export interface SavedApiKey {
  readonly stored: StoredApiKey;
  /** The new key. Only its hash is stored, so this is the only time that it is known. */
  readonly key?: string;
}

/** For how many hours a rotated key may go on. */
export const keepHours = [0, 1, 24, 168] as const;

/** Each is held in the memory of every node. */
const mostKeys = 100;
/** 192 bits. */
const keyBytes = 24;
/** So that people and secret scanners who find a key know what it opens. */
const keyPrefix = "hodhod_";

/** Makes a key, or changes what the one of this name may do. */
export async function saveApiKey(change: ApiKeyChange, wanted: WantedApiKey): Promise<SavedApiKey> {
  let made: string | undefined;
  const stored = await changeApiKey(change, async (tx, old) => {
    const after = described(wanted);
    if (old !== undefined) {
      await updateApiKey(tx, { accountId: change.account.id, name: change.name, ...wanted });
      const before = described(old);
      return JSON.stringify(before) === JSON.stringify(after) ? undefined : { action: "change", before, after };
    }
    if ((await listApiKeysOf(tx, change.account.id)).length >= mostKeys)
      throw ApiError.invalidParameter("name", "console.tooManyKeys");
    made = await insertNewKey(tx, change, wanted);
    return { action: "create", after };
  });
  return { stored: expectKey(stored), ...(made !== undefined && { key: made }) };
}

/** Makes a new key under the name. The old key stays valid for that many hours. */
export async function rotateApiKey(change: ApiKeyChange, hours: (typeof keepHours)[number]): Promise<SavedApiKey> {
  const { account, name } = change;
  let made: string | undefined;
  const stored = await changeApiKey(change, async (tx, found) => {
    const old = expectKey(found);
    if (old.retired) throw ApiError.invalidParameter("name", "console.keyRetired");
    // The new key would have the same end.
    if (old.expiresAt !== null && old.expiresAt.getTime() <= Date.now())
      throw ApiError.invalidParameter("name", "console.keyExpired");
    if (hours === 0) await deleteApiKey(tx, account.id, name);
    else {
      const others = await listApiKeysOf(tx, account.id);
      if (others.length >= mostKeys) throw ApiError.invalidParameter("name", "console.tooManyKeys");
      const newName = freeName(
        name,
        others.map((each) => each.name),
      );
      await retireApiKey(tx, { accountId: account.id, name, newName, hours });
    }
    made = await insertNewKey(tx, change, old);
    return { action: "change", after: { key: "rotated", oldKeyHours: hours } };
  });
  return { stored: expectKey(stored), ...(made !== undefined && { key: made }) };
}

export async function removeApiKey(change: ApiKeyChange): Promise<void> {
  await changeApiKey(change, async (tx, old) => {
    const before = described(expectKey(old));
    await deleteApiKey(tx, change.account.id, change.name);
    return { action: "remove", before };
  });
}

async function insertNewKey(tx: Queryable, { account, name }: ApiKeyChange, wanted: WantedApiKey): Promise<string> {
  const key = keyPrefix + randomBytes(keyBytes).toString("base64url");
  const { allowedIps, expiresAt } = wanted;
  const sha256Hex = hash("sha256", key, "hex");
  await insertApiKey(tx, { accountId: account.id, name, sha256Hex, lastFour: key.slice(-4), allowedIps, expiresAt });
  return key;
}

const longestName = 100;

/** `web (old)`, `web (old 2)` */
function freeName(name: string, taken: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? " (old)" : ` (old ${count})`;
    const candidate = name.slice(0, longestName - end.length).trimEnd() + end;
    if (!taken.includes(candidate)) return candidate;
  }
}

type Change = Pick<AuditedChange, "action" | "before" | "after">;

/** Answers the key of this name afterwards. */
async function changeApiKey(
  { db, actor, account, name, expect }: ApiKeyChange,
  change: (tx: Queryable, stored: StoredApiKey | undefined) => Promise<Change | undefined>,
): Promise<StoredApiKey | undefined> {
  return changeAudited(db, actor, async (tx) => {
    await deleteEndedApiKeys(tx, account.id);
    const stored = await findApiKey(tx, account.id, name);
    expect?.(stored);
    const made = await change(tx, stored);
    if (made === undefined) return { result: stored };
    const result = await findApiKey(tx, account.id, name);
    return { result, audited: { kind: "apiKey", name, account: account.name, ...made } };
  });
}

function described({ allowedIps, expiresAt }: WantedApiKey): object {
  return { allowedIps, ...(expiresAt !== null && { expires: expiresAt.toISOString() }) };
}

function expectKey(key: StoredApiKey | undefined): StoredApiKey {
  if (key === undefined) throw ApiError.notThere();
  return key;
}

const everyMs = 60_000;

/**
 * Which API keys were used: calls add the hashes of their keys to `uses`, and the database gets all
 * of them together, once a minute. A node that ends forgets the last minute.
 */
export function saveKeyUses({
  database,
  uses,
  telemetry,
}: {
  readonly database: Database;
  readonly uses: Set<string>;
  readonly telemetry: Telemetry;
}): PeriodicService {
  return new PeriodicService({
    name: "key-uses",
    everyMs,
    telemetry,
    runOnce: async () => {
      const used = [...uses];
      uses.clear();
      try {
        if (used.length > 0) await noteApiKeyUse(database, used);
      } catch (error) {
        for (const key of used) uses.add(key);
        throw error;
      }
      return { used: used.length };
    },
  });
}
