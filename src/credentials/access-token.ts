// Access tokens: JWTs signed with HS256 by a key from the database. A
// verified signature is remembered until the token expires. Each call still asks the directory
// whether the user exists with that password.
import { createHash, randomBytes } from "node:crypto";
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import type { Directory, KnownUser } from "../directory/directory.ts";
import type { TokenKey } from "../directory/network.ts";
import { PeriodicService } from "../platform/service.ts";
import { type Actor, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { rotateTokenKey } from "../store/credentials.ts";

const algorithm = "HS256";
const issuer = "hodhod";
const maximumRemembered = 20_000;
/** Far longer than any token of this gateway; longer input is not parsed. */
const maximumTokenLength = 2_048;
/** A new key signs only after every node has had time to load it, unless it is the only key. */
const keySettlesMs = 5_000;

interface Claims {
  readonly keyId: number;
  readonly userId: number;
  readonly accountId: number;
  readonly passwordVersion: number;
  readonly expiresAtMs: number;
}

export interface AccessTokensOptions {
  readonly lifetimeSeconds: number;
  readonly now?: () => number;
}

export class AccessTokens {
  readonly lifetimeSeconds: number;
  readonly #now: () => number;
  readonly #verified = new Map<string, Claims>();

  constructor({ lifetimeSeconds, now = Date.now }: AccessTokensOptions) {
    this.lifetimeSeconds = lifetimeSeconds;
    this.#now = now;
  }

  async issue(directory: Directory, { personId, account, passwordVersion }: KnownUser): Promise<string> {
    const key = this.#signingKey(directory);
    const nowSeconds = Math.floor(this.#now() / 1000);
    return new SignJWT({ acc: account.id, pv: passwordVersion })
      .setProtectedHeader({ alg: algorithm, typ: "JWT", kid: String(key.id) })
      .setIssuer(issuer)
      .setSubject(String(personId))
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + this.lifetimeSeconds)
      .sign(key.secret);
  }

  /** The token's user as the directory knows them now. */
  async verify(directory: Directory, token: string): Promise<KnownUser | undefined> {
    const claims = await this.#readClaims(directory, token);
    if (claims === undefined || claims.expiresAtMs <= this.#now()) return undefined;
    if (this.#findKey(directory, claims.keyId) === undefined) return undefined;
    const user = directory.userById(claims.userId);
    const current = user?.account.id === claims.accountId && user.passwordVersion === claims.passwordVersion;
    return current ? user : undefined;
  }

  /** The newest key that every node knows and that outlives the token. */
  #signingKey({ tokenKeys }: Directory): TokenKey {
    const now = this.#now();
    const lasting = tokenKeys.filter(
      ({ retiredAt }) => retiredAt === undefined || retiredAt.getTime() - now >= this.lifetimeSeconds * 1000,
    );
    const settled = lasting.filter(({ createdAt }) => now - createdAt.getTime() >= keySettlesMs);
    const key = settled.at(-1) ?? lasting.at(-1);
    if (key === undefined) throw new Error("there is no key to sign access tokens with");
    return key;
  }

  #findKey({ tokenKeys }: Directory, keyId: number): TokenKey | undefined {
    const key = tokenKeys.find(({ id }) => id === keyId);
    return key?.retiredAt !== undefined && key.retiredAt.getTime() <= this.#now() ? undefined : key;
  }

  async #readClaims(directory: Directory, token: string): Promise<Claims | undefined> {
    if (token.length > maximumTokenLength) return undefined;
    const digest = createHash("sha256").update(token).digest("base64");
    const known = this.#verified.get(digest);
    if (known !== undefined) return known;
    const claims = await this.#verifySignature(directory, token);
    if (claims !== undefined) this.#remember(digest, claims);
    return claims;
  }

  async #verifySignature(directory: Directory, token: string): Promise<Claims | undefined> {
    if (!isWrittenAsIssued(token)) return undefined;
    try {
      const keyId = Number(decodeProtectedHeader(token).kid);
      const key = this.#findKey(directory, keyId);
      if (key === undefined) return undefined;
      const { payload } = await jwtVerify(token, key.secret, {
        algorithms: [algorithm],
        issuer,
        requiredClaims: ["sub", "exp", "acc", "pv"],
        currentDate: new Date(this.#now()),
      });
      const { sub, exp, acc, pv } = payload;
      if (typeof acc !== "number" || typeof pv !== "number" || exp === undefined) return undefined;
      return { keyId, userId: Number(sub), accountId: acc, passwordVersion: pv, expiresAtMs: exp * 1000 };
    } catch {
      // Every defect of a token gets the same answer.
      return undefined;
    }
  }

  #remember(digest: string, claims: Claims): void {
    if (this.#verified.size >= maximumRemembered) {
      const [oldest] = this.#verified.keys();
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(digest, claims);
  }
}

/**
 * Base64url has several texts for the same octets, so a signature that somebody changed at its end
 * may still be right. Only the text that an encoder writes counts.
 */
function isWrittenAsIssued(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

// Ensures that there is a key to sign access tokens, and that it is replaced in time. Several nodes
// may run it.

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
  const version = await replaceKey(options, { unlessYoungerThanSeconds: rotateAfterSeconds });
  return version !== undefined;
}

/**
 * Makes a new key. Tokens signed by the previous one stay valid until they expire; with `endsTokens`
 * a node rejects them as soon as it has loaded the change. Answers the version of the configuration.
 */
export async function replaceTokenKey(
  options: TokenKeysOptions,
  by: Actor = gatewayActor,
  { endsTokens = false } = {},
): Promise<bigint> {
  const version = await replaceKey(options, { unlessYoungerThanSeconds: 0, by, endsTokens });
  if (version === undefined) throw new Error("no key was made");
  return version;
}

interface Replacement {
  readonly unlessYoungerThanSeconds: number;
  /** Who has asked for it; the gateway's own rotation is not audited. */
  readonly by?: Actor;
  readonly endsTokens?: boolean;
}

function replaceKey(
  { database, tokenLifetimeSeconds }: TokenKeysOptions,
  { unlessYoungerThanSeconds, by, endsTokens = false }: Replacement,
): Promise<bigint | undefined> {
  return database.transaction(async (tx) => {
    const after = endsTokens ? { tokens: "all ended" } : undefined;
    if (by !== undefined) await insertAuditEntries(tx, by, [{ action: "change", kind: "tokenKey", name: "", after }]);
    return rotateTokenKey(tx, {
      secret: randomBytes(secretBytes),
      unlessYoungerThanSeconds,
      retireAfterSeconds: endsTokens ? null : tokenLifetimeSeconds + marginSeconds,
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
