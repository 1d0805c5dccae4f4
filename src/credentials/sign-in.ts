// Signing in to the console: username and password, with the domain of an account for its users and
// without one for staff, then the code of a second factor. Whatever is wrong is the same answer, in
// words and in time.
import type { Directory } from "../directory/directory.ts";
import { insertAuditEntries } from "../store/audit.ts";
import type { Transactional } from "../store/database.ts";
import { findPerson, findSecondFactor } from "../store/people.ts";
import type { Authenticator, PasswordOwner } from "./authenticator.ts";
import { openSession } from "./console-sessions.ts";
import { ipAllowed } from "../platform/addresses.ts";
import { auditedPerson, loginSubject, whoOf } from "./sign-ins.ts";
import { takeCode } from "./second-factor.ts";

export interface SignInParts {
  readonly db: Transactional;
  readonly directory: { readonly current: Directory };
  readonly authenticator: Authenticator;
  /** Networks that staff may come from; empty: all. */
  readonly staffAllow: readonly string[];
}

export interface SignIn {
  readonly username: string;
  readonly password: string;
  /** The domain of an account; absent for staff. */
  readonly organisation?: string | undefined;
  readonly code?: string | undefined;
  readonly address: string;
  readonly userAgent: string;
}

export type SignInOutcome =
  { readonly kind: "signedIn"; readonly token: string } | { readonly kind: "codeNeeded" } | { readonly kind: "wrong" };

interface Candidate extends PasswordOwner {
  readonly passwordVersion: number;
}

const wrong: SignInOutcome = { kind: "wrong" };

export async function signIn(parts: SignInParts, given: SignIn): Promise<SignInOutcome> {
  const { db, authenticator } = parts;
  const { address, password, code, username, organisation } = given;
  const candidate = await findCandidate(parts, given);
  const login = { subject: loginSubject(username, organisation), address };
  if (!(await authenticator.isPasswordOf(candidate, password, login)) || candidate === undefined) return wrong;
  const { personId } = candidate;
  if ((await findSecondFactor(db, personId)).isSet) {
    if (code === undefined) return { kind: "codeNeeded" };
    if (!(await authenticator.attempt(candidate, login, () => takeCode(db, personId, code)))) return wrong;
  }
  const failedBefore = authenticator.signedIn(candidate, address);
  const token = await openAudited(parts, candidate, given, failedBefore);
  return token === undefined ? wrong : { kind: "signedIn", token };
}

/**
 * Signs in without a password somebody who has proved their identity in another way. Returns the
 * token; undefined if there is no such person.
 */
export async function signInUnasked(
  parts: Omit<SignInParts, "authenticator">,
  given: Pick<SignIn, "username" | "organisation" | "address" | "userAgent">,
): Promise<string | undefined> {
  const candidate = await findCandidate(parts, given);
  return candidate && openAudited(parts, candidate, given);
}

/** Undefined where the person has changed since the password was checked. */
async function openAudited(
  { db }: Pick<SignInParts, "db">,
  person: Candidate,
  { address, userAgent }: Pick<SignIn, "address" | "userAgent">,
  failedBefore = 0,
): Promise<string | undefined> {
  const { personId, passwordVersion } = person;
  return db.transaction(async (tx) => {
    const token = await openSession(tx, { personId, passwordVersion, address, userAgent });
    const after = failedBefore > 0 ? { failedBefore } : undefined;
    if (token !== undefined)
      await insertAuditEntries(tx, { who: whoOf(person), address }, [
        { action: "signIn", ...auditedPerson(person), after },
      ]);
    return token;
  });
}

async function findCandidate(
  { db, directory, staffAllow }: Omit<SignInParts, "authenticator">,
  { username, organisation, address }: Pick<SignIn, "username" | "organisation" | "address">,
): Promise<Candidate | undefined> {
  // Read in every case, so that every sign-in takes as long.
  const staff = await findPerson(db, undefined, username);
  if (organisation !== undefined) return directory.current.findUser(organisation, username);
  return staff?.enabled === true && ipAllowed(staffAllow, address) ? staff : undefined;
}
