// Sessions of the console: opened with a random token that only the browser keeps, looked up at
// each call, ended by time, by their person, or by whatever changes the person. Nothing is
// remembered here, so that an end counts on all nodes at once.
import { hash, randomBytes } from "node:crypto";
import { findSession, insertSession, noteSessionUse } from "../store/console-sessions.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { StaffRole, UserRole } from "./abilities.ts";
import type { Person } from "./sign-ins.ts";

const tokenBytes = 32;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;
const sessionsOfPerson = 20;
const longestUserAgent = 200;
/** The use of a session is written down at most this often. */
const notedEverySeconds = 60;

/** Somebody who is signed in. */
export interface ConsoleSession extends Person {
  readonly id: string;
  readonly role: StaffRole | UserRole;
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
  const { unnotedSeconds, account, role, ...session } = row;
  if (unnotedSeconds > notedEverySeconds) await noteSessionUse(db, session.id);
  // The database holds none but these roles.
  return { ...session, role: role as StaffRole | UserRole, account: account ?? undefined };
}

function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
