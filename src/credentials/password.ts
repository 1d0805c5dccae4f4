// Hashes and checks passwords: argon2id, 19 MiB, two passes. Costly on purpose, so concurrent
// checks are bounded, and callers keep the outcome of a check for a short time (password-check.ts).
import { hash, verify } from "@node-rs/argon2";

// OWASP's choice for argon2id, which is the library's default algorithm: 19 MiB, t=2, p=1.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** PHC string of a new hash with a random salt. */
export async function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** A hash that cannot be parsed matches nothing. */
export async function passwordMatches(passwordHash: string, password: string): Promise<boolean> {
  try {
    return await verify(passwordHash, password);
  } catch {
    return false;
  }
}
