// Sessions of the console: opened with a random token that only the browser keeps, looked up at
// each call, ended by time, by their person, or by whatever changes the person. Nothing is
// remembered here, so that an end counts on all nodes at once.
import { hash, randomBytes } from "node:crypto";
import { findSession, insertSession, noteSessionUse, type SessionRow } from "../store/console-sessions.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { userName } from "./authenticator.ts";
import { abilitiesOf, type Ability, type StaffRole, type UserRole } from "./abilities.ts";

const tokenBytes = 32;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;
const sessionsOfPerson = 20;
const longestUserAgent = 200;
/** The use of a session is written down at most this often. */
const notedEverySeconds = 60;

/** Somebody who is signed in. */
export interface ConsoleSession {
  readonly id: string;
  readonly personId: number;
  readonly kind: "staff" | "user";
  readonly username: string;
  readonly role: StaffRole | UserRole;
  readonly abilities: readonly Ability[];
  /** Of a customer. */
  readonly account?: { readonly id: number; readonly name: string };
  readonly passwordHash: string;
  readonly passwordVersion: number;
  /** Who else has set the password, as the audit names them: it must be changed first. */
  readonly passwordSetBy: string | null;
  /** The service demands a second factor, and there is none yet. */
  readonly mustSetSecondFactor: boolean;
}

export interface NewConsoleSession {
  readonly personId: number;
  readonly passwordVersion: number;
  readonly address: string;
  readonly userAgent: string;
}

/** Answers the token; undefined where the person has changed since the password was checked. */
export async function openSession(tx: Queryable, session: NewConsoleSession): Promise<string | undefined> {
  const token = randomBytes(tokenBytes).toString("base64url");
  const isOpen = await insertSession(tx, {
    ...session,
    userAgent: session.userAgent.slice(0, longestUserAgent),
    id: uuidv7(),
    tokenSha256: hashToken(token),
    sessionsOfPerson,
  });
  return isOpen ? token : undefined;
}

/** Undefined for a token that is none of ours, or whose session is over. */
export async function sessionOf(db: Transactional, token: string): Promise<ConsoleSession | undefined> {
  if (!tokenForm.test(token)) return undefined;
  const row = await findSession(db, hashToken(token));
  if (row === undefined) return undefined;
  if (row.unnotedSeconds > notedEverySeconds) await noteSessionUse(db, row.id);
  return describe(row);
}

function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

// The database holds none but these roles.
function describe(row: SessionRow): ConsoleSession {
  const { id, personId, username, accountId, account, passwordHash, passwordVersion, passwordSetBy } = row;
  const role = row.role as StaffRole | UserRole;
  const mustSetSecondFactor = row.needsSecondFactor && !row.hasSecondFactor;
  const isStaff = accountId === null || account === null;
  return {
    ...{ id, personId, username, role, passwordHash, passwordVersion, passwordSetBy, mustSetSecondFactor },
    kind: isStaff ? "staff" : "user",
    abilities: abilitiesOf(role),
    ...(!isStaff && { account: { id: accountId, name: account } }),
  };
}

/** The name of a signed-in person in entries of the audit. */
export function actorName({ kind, username, account }: Pick<ConsoleSession, "kind" | "username" | "account">): string {
  return kind === "staff" ? `staff:${username}` : userName(account?.name ?? "", username);
}
