// Hashes of the passwords of test users. The product takes a hash as it finds it, with the costs
// that stand in it: these cost a check 0.1 ms instead of 20. The costs of the product's own hashes
// are for test/credentials, and for every password that a test sets through the product.
import { hash } from "@node-rs/argon2";

const hashes = new Map<string, Promise<string>>();

export function cheapHash(password: string): Promise<string> {
  const known = hashes.get(password) ?? hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  hashes.set(password, known);
  return known;
}
