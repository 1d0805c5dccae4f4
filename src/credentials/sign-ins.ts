// What is recorded of sign-ins: from where they came, which failed (log and metrics), and failures
// in a row and sign-ins of programs (audit). A call only notes it here; every 10 s it is written.
import { PeriodicService } from "../platform/service.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { type AuditedChange, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import type { Database } from "../store/database.ts";
import { sourceNetwork } from "../platform/addresses.ts";
import { listLoginOrigins, upsertLoginOrigins } from "../store/console-sessions.ts";
import { hash } from "node:crypto";

/** Somebody who may sign in. */
export interface Person {
  readonly personId: number;
  readonly username: string;
  /** Whose user it is; absent: one of the staff. */
  readonly account?: { readonly id: number; readonly name: string } | undefined;
}

/** As an actor of the audit. */
export function whoOf({ username, account }: Pick<Person, "username" | "account">): string {
  return account === undefined ? `staff:${username}` : `user:${account.name}/${username}`;
}

/** As an object of the audit. */
export function auditedPerson({
  username,
  account,
}: Pick<Person, "username" | "account">): Pick<AuditedChange, "kind" | "name" | "account"> {
  return { kind: account === undefined ? "staff" : "user", name: username, account: account?.name };
}

/**
 * The name under which wrong attempts are counted. The person need not exist. `organisation`: the
 * domain of an account; absent for staff.
 */
export function loginSubject(username: string, organisation?: string): string {
  return organisation === undefined ? `staff ${username}` : `${organisation.toLowerCase()} ${username}`;
}

interface Failures {
  /** Absent: there is no such person. Names that strangers make up are not written. */
  readonly person: Person | undefined;
  readonly address: string;
  count: number;
}

/** Lines of the log at a time; the metric counts all. */
const mostLines = 1_000;
const everyMs = 10_000;
const keptSeconds = 30 * 86_400;
/** A slow transaction saves the time of its start, so each read overlaps the previous one. */
const overlapSeconds = 60;

export interface SignInsOptions {
  readonly now?: (() => number) | undefined;
  readonly telemetry?: Telemetry | undefined;
}

export class SignIns {
  readonly #origins: LoginOrigins;
  readonly #telemetry: Telemetry | undefined;
  readonly #inARow = new Map<number, number>();
  /** Since the last record, by person and address. */
  #failed = new Map<string, Failures>();
  #toAudit: AuditedChange[] = [];
  #readAt: number | undefined;

  constructor({ now, telemetry }: SignInsOptions = {}) {
    this.#origins = new LoginOrigins({ now });
    this.#telemetry = telemetry;
  }

  /** Whether the person signed in from there before. */
  isKnown({ personId }: Person, network: string): boolean {
    return this.#origins.isKnown(personId, network);
  }

  /**
   * Answers how many attempts failed before, in a row. A program may give the password with each
   * message, so that it is audited only where nobody signed in as this person from the network within
   * a day. The console audits each of its own.
   */
  succeeded(person: Person, address: string, { isProgram = false } = {}): number {
    const { personId } = person;
    const isFirst = this.#origins.note(personId, sourceNetwork(address));
    const failedBefore = this.#inARow.get(personId) ?? 0;
    this.#inARow.delete(personId);
    const after = { program: true, ...(failedBefore > 0 && { failedBefore }) };
    if (isFirst && isProgram)
      this.#toAudit.push({ who: whoOf(person), address, action: "signIn", ...auditedPerson(person), after });
    return failedBefore;
  }

  failed(person: Person | undefined, address: string): void {
    this.refused("wrong");
    const key = `${person?.personId ?? ""} ${address}`;
    const failures = this.#failed.get(key) ?? { person, address, count: 0 };
    failures.count += 1;
    if (this.#failed.size < mostLines) this.#failed.set(key, failures);
    if (person === undefined) return;
    const inARow = (this.#inARow.get(person.personId) ?? 0) + 1;
    this.#inARow.set(person.personId, inARow);
    // 10, 100, 1000…: an attack that lasts does not fill the audit.
    if (/^10+$/.test(String(inARow))) this.#toAudit.push(failedInARow(person, address, inARow));
  }

  refused(reason: "wrong" | "limited" | "busy"): void {
    this.#telemetry?.emit("login.refused", { reason });
  }

  async record(db: Database): Promise<void> {
    this.#log();
    await this.#saveAudit(db);
    await this.#saveOrigins(db);
    await this.#readOrigins(db);
  }

  #log(): void {
    for (const { person, address, count } of this.#failed.values()) {
      this.#telemetry?.emit("login.failed", { who: person && whoOf(person), address, count });
    }
    this.#failed = new Map();
  }

  async #saveAudit(db: Database): Promise<void> {
    // What comes while these are stored stays for the next round.
    const entries = [...this.#toAudit];
    if (entries.length > 0) await db.transaction((tx) => insertAuditEntries(tx, gatewayActor, entries));
    this.#toAudit = this.#toAudit.slice(entries.length);
  }

  async #saveOrigins(db: Database): Promise<void> {
    const unsaved = this.#origins.unsaved;
    if (unsaved.length > 0) await upsertLoginOrigins(db, unsaved);
    this.#origins.saved(unsaved);
  }

  /** Those that other nodes have saved. */
  async #readOrigins(db: Database): Promise<void> {
    const begunAt = performance.now();
    const sinceSeconds = this.#readAt === undefined ? keptSeconds : (begunAt - this.#readAt) / 1000 + overlapSeconds;
    for (const { addressHash, ageSeconds } of await listLoginOrigins(db, Math.min(sinceSeconds, keptSeconds)))
      this.#origins.learn({ addressHash, ageMs: ageSeconds * 1000 });
    this.#readAt = begunAt;
  }
}

function failedInARow(person: Person, address: string, count: number): AuditedChange {
  return { action: "signInFailed", ...auditedPerson(person), after: { failedInARow: count, lastAddress: address } };
}

export function recordSignIns(options: {
  readonly database: Database;
  readonly signIns: SignIns;
  readonly telemetry: Telemetry;
}): PeriodicService {
  const { database, signIns, telemetry } = options;
  return new PeriodicService({ name: "sign-ins", everyMs, telemetry, runOnce: () => signIns.record(database) });
}

// The addresses from which people signed in within the last 30 days: there, they never wait for
// strangers who guess. Kept in memory and in the database, where addresses are stored as hashes.

const keptMs = 30 * 86_400_000;
/** A sign-in that repeats is noted again this often. */
const notedEveryMs = 86_400_000;
const mostOrigins = 100_000;

export interface LoginOrigin {
  readonly personId: number;
  readonly addressHash: Buffer;
}

class LoginOrigins {
  readonly #now: () => number;
  /** When each was noted, by hash in base64, in the order in which they were. */
  readonly #notedAt = new Map<string, number>();
  #unsaved: readonly LoginOrigin[] = [];

  constructor({ now = Date.now }: { readonly now?: (() => number) | undefined } = {}) {
    this.#now = now;
  }

  isKnown(personId: number, network: string): boolean {
    return this.#ageMs(hashOf(personId, network)) < keptMs;
  }

  /** Call it for each sign-in. Answers whether it is the first in a day. */
  note(personId: number, network: string): boolean {
    const addressHash = hashOf(personId, network);
    if (this.#ageMs(addressHash) < notedEveryMs) return false;
    this.learn({ addressHash, ageMs: 0 });
    this.#unsaved = [...this.#unsaved, { personId, addressHash }];
    return true;
  }

  /** From another node, or from before a restart. */
  learn({ addressHash, ageMs }: { readonly addressHash: Buffer; readonly ageMs: number }): void {
    if (this.#ageMs(addressHash) <= ageMs) return;
    const key = addressHash.toString("base64");
    this.#notedAt.delete(key);
    this.#notedAt.set(key, this.#now() - ageMs);
    const [oldest = ""] = this.#notedAt.keys();
    if (this.#notedAt.size > mostOrigins) this.#notedAt.delete(oldest);
  }

  /** Those that are to be saved. */
  get unsaved(): readonly LoginOrigin[] {
    return this.#unsaved;
  }

  /** The first ones, which were asked for before, are saved. */
  saved(origins: readonly LoginOrigin[]): void {
    this.#unsaved = this.#unsaved.slice(origins.length);
  }

  #ageMs(addressHash: Buffer): number {
    return this.#now() - (this.#notedAt.get(addressHash.toString("base64")) ?? -Infinity);
  }
}

/** The user is part of it, so that rows do not show who shares an address. */
function hashOf(personId: number, network: string): Buffer {
  return hash("sha256", `${personId} ${network}`, "buffer");
}
