// Decides which hash to store for each password of a setup file: the stored one if the password is
// unchanged, so that applying a file again changes nothing and ends no token. Hashing is expensive,
// so this happens before any lock is taken.
import { hashPassword, passwordMatches } from "../credentials/password-check.ts";
import { Semaphore } from "../platform/semaphore.ts";
import type { PasswordHashes } from "./desired-state.ts";
import type { Setup, SetupState } from "./sections.ts";

/** libuv's thread pool has four threads. */
const hashesAtOnce = 4;

export class SetupPasswords implements PasswordHashes {
  readonly #setup: Setup;
  /** By account, username, and the stored hash that the password was compared with. */
  readonly #decided = new Map<string, string>();
  #stored: Pick<SetupState, "accounts" | "staff"> = { accounts: new Map(), staff: new Map() };

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  /** Compares the passwords with the stored hashes, each pair once. */
  async prepare(stored: SetupState): Promise<void> {
    this.#stored = stored;
    const semaphore = new Semaphore({ total: hashesAtOnce });
    const work = passwordsOf(this.#setup).map(({ account, username, password }) =>
      semaphore.run("", () => this.#decide(account, username, password)),
    );
    await Promise.all(work);
  }

  /** Whether each password has been compared with these hashes. */
  isPrepared(stored: SetupState): boolean {
    this.#stored = stored;
    return passwordsOf(this.#setup).every(({ account, username }) => this.hashFor(account, username) !== undefined);
  }

  hashFor(account: string | null, username: string): string | undefined {
    return this.#decided.get(this.#key(account, username));
  }

  async #decide(account: string | null, username: string, password: string): Promise<void> {
    const key = this.#key(account, username);
    if (this.#decided.has(key)) return;
    const stored = this.#storedHash(account, username);
    const same = stored !== undefined && (await passwordMatches(stored, password));
    this.#decided.set(key, same ? stored : await hashPassword(password));
  }

  #key(account: string | null, username: string): string {
    return JSON.stringify([account, username, this.#storedHash(account, username) ?? null]);
  }

  #storedHash(account: string | null, username: string): string | undefined {
    const { accounts, staff } = this.#stored;
    return (account === null ? staff : accounts.get(account)?.users)?.get(username)?.password;
  }
}

interface GivenPassword {
  /** Null: of staff. */
  readonly account: string | null;
  readonly username: string;
  readonly password: string;
}

/** The passwords that a setup gives. */
export function passwordsOf({ accounts, staff }: Setup): readonly GivenPassword[] {
  const given = (
    account: string | null,
    people: readonly { readonly name: string; readonly values: { readonly password?: string } }[] = [],
  ): GivenPassword[] =>
    people.flatMap(({ name, values: { password } }) =>
      password === undefined ? [] : [{ account, username: name, password }],
    );
  return [...accounts.flatMap(({ name, values }) => given(name, values.users)), ...given(null, staff)];
}
