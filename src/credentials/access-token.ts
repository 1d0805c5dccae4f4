// Access tokens: JWT signed with HS256 by a key from the database (decisions §3 `auth/token`). What a signature proves is
// remembered until the token expires; whether the user still exists with that password is asked of the directory each time.
import { createHash } from "node:crypto";
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import type { Directory, KnownUser, TokenKey } from "../directory/directory.ts";

const algorithm = "HS256";
const issuer = "hodhod";
const maximumRemembered = 20_000;
/** No token of ours comes near it; longer ones are not looked at. */
const maximumTokenLength = 2_048;
/** A new key signs only when every node has had time to load it, unless there is no other. */
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

  async issue(directory: Directory, { userId, account, passwordVersion }: KnownUser): Promise<string> {
    const key = this.#signingKey(directory);
    const nowSeconds = Math.floor(this.#now() / 1000);
    return new SignJWT({ acc: account.id, pv: passwordVersion })
      .setProtectedHeader({ alg: algorithm, typ: "JWT", kid: String(key.id) })
      .setIssuer(issuer)
      .setSubject(String(userId))
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + this.lifetimeSeconds)
      .sign(key.secret);
  }

  /** The user whom the token stands for, as the directory knows them now. */
  async verify(directory: Directory, token: string): Promise<KnownUser | undefined> {
    const claims = await this.#readClaims(directory, token);
    if (claims === undefined || claims.expiresAtMs <= this.#now()) return undefined;
    if (this.#findKey(directory, claims.keyId) === undefined) return undefined;
    const user = directory.userById(claims.userId);
    const current = user?.account.id === claims.accountId && user.passwordVersion === claims.passwordVersion;
    return current ? user : undefined;
  }

  /** The newest key that every node knows; one that outlives the token. */
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
      // Whatever is wrong with a token, it is the caller's: nothing of it is told apart.
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
