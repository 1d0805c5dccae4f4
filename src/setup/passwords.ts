// Decides which hash to store for each password of a setup: the stored one if the password is
// unchanged, so that applying a file again changes nothing and ends no token. Hashing is expensive,
// so this happens before any lock is taken.
import { hashPassword, passwordMatches } from "../credentials/password-check.ts";
import { Semaphore } from "../platform/semaphore.ts";
import type { Given, Setup, SetupState } from "./sections.ts";

/** libuv's thread pool has four threads. */
const hashesAtOnce = 4;

/** By account, username, and the stored hash that the password was compared with. */
export type KnownHashes = Map<string, string>;

type Person = Given<{ readonly password: string }>;
type StoredPeople = ReadonlyMap<string, { readonly password: string }>;

/** The setup with hashes in place of passwords; itself where it gives none. */
export async function hashPasswords(
  setup: Setup,
  stored: Pick<SetupState, "accounts" | "staff">,
  known: KnownHashes,
): Promise<Setup> {
  if (!givesPassword(setup.staff) && !setup.accounts.some(({ values }) => givesPassword(values.users))) return setup;
  const semaphore = new Semaphore({ total: hashesAtOnce });
  const hashed = async <Each extends Person>(person: Each, account: string | null, people?: StoredPeople) => {
    const { name, values } = person;
    const { password } = values;
    if (password === undefined) return person;
    const old = people?.get(name)?.password;
    const key = JSON.stringify([account, name, old]);
    const hash = known.get(key) ?? (await semaphore.run("", () => hashOf(password, old)));
    known.set(key, hash);
    return { ...person, values: { ...values, password: hash } };
  };
  const accounts = setup.accounts.map(async (account) => {
    const { name, values } = account;
    if (values.users === undefined) return account;
    const people = stored.accounts.get(name)?.users;
    const users = await Promise.all(values.users.map((user) => hashed(user, name, people)));
    return { ...account, values: { ...values, users } };
  });
  return {
    ...setup,
    accounts: await Promise.all(accounts),
    staff: await Promise.all(setup.staff.map((person) => hashed(person, null, stored.staff))),
  };
}

function givesPassword(people: readonly Person[] = []): boolean {
  return people.some(({ values }) => values.password !== undefined);
}

async function hashOf(password: string, stored: string | undefined): Promise<string> {
  return stored !== undefined && (await passwordMatches(stored, password)) ? stored : hashPassword(password);
}
