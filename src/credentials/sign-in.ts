// Signing in to the console: username and password, with the domain of an account for its users and
// without one for staff, then the code of a second factor. Whatever is wrong is the same answer, in
// words and in time.
import type { Directory } from "../directory/directory.ts";
import type { Person } from "../store/console-sessions.ts";
import type { Transactional } from "../store/database.ts";
import { findSecondFactor } from "../store/second-factors.ts";
import { findStaff } from "../store/staff.ts";
import { type Authenticator, type PasswordOwner, userSubject } from "./authenticator.ts";
import { openSession } from "./console-sessions.ts";
import { ipAllowed } from "./ip-allow-list.ts";
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
  readonly isGone?: () => boolean;
}

export type SignInOutcome =
  { readonly kind: "signedIn"; readonly token: string } | { readonly kind: "codeNeeded" } | { readonly kind: "wrong" };

interface Candidate extends PasswordOwner {
  readonly person: Person;
  readonly passwordVersion: number;
}

const wrong: SignInOutcome = { kind: "wrong" };

export async function signIn(parts: SignInParts, given: SignIn): Promise<SignInOutcome> {
  const { db, authenticator } = parts;
  const candidate = await findCandidate(parts, given);
  const login = { ...given, subject: subjectOf(given) };
  if (!(await authenticator.isPasswordOf(candidate, login)) || candidate === undefined) return wrong;
  const { person, passwordVersion } = candidate;
  const factor = await findSecondFactor(db, person);
  if (factor !== undefined && factor.secret !== null) {
    if (given.code === undefined) return { kind: "codeNeeded" };
    if (!(await takeCode(db, person, given.code))) return refuse(authenticator, login);
  }
  const { address, userAgent } = given;
  const token = await db.transaction((tx) => openSession(tx, { person, passwordVersion, address, userAgent }));
  return token === undefined ? refuse(authenticator, login) : { kind: "signedIn", token };
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
  if (candidate === undefined) return undefined;
  const { person, passwordVersion } = candidate;
  const { address, userAgent } = given;
  return parts.db.transaction((tx) => openSession(tx, { person, passwordVersion, address, userAgent }));
}

async function refuse(
  authenticator: Authenticator,
  login: Parameters<Authenticator["refuseLogin"]>[0],
): Promise<SignInOutcome> {
  await authenticator.refuseLogin(login);
  return wrong;
}

async function findCandidate(
  { db, directory, staffAllow }: Omit<SignInParts, "authenticator">,
  { username, organisation, address }: Pick<SignIn, "username" | "organisation" | "address">,
): Promise<Candidate | undefined> {
  // Read in every case, so that every sign-in takes as long.
  const staff = await findStaff(db, username);
  if (organisation !== undefined) {
    const user = directory.current.findUser(organisation, username);
    if (user === undefined) return undefined;
    const { userId, passwordHash, passwordVersion } = user;
    return { person: { userId }, originId: userId, passwordHash, passwordVersion };
  }
  if (staff?.enabled !== true || !ipAllowed(staffAllow, address)) return undefined;
  const { id, passwordHash, passwordVersion } = staff;
  return { person: { staffId: id }, originId: -id, passwordHash, passwordVersion };
}

function subjectOf({ username, organisation }: SignIn): string {
  return organisation === undefined ? staffSubject(username) : userSubject(organisation, username);
}

/** The name under which wrong attempts for a staff member are counted. */
export function staffSubject(username: string): string {
  return `staff ${username}`;
}
