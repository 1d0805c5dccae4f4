// What every endpoint of the console can use, and who stands before it. Sessions, changes and other
// work each have a small share of the service's own connections, and what people look at has
// connections of its own. Callers take turns at each of them, so that nobody keeps others from
// signing in, reading or working.
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ConsoleSession, sessionOf } from "../../credentials/console-sessions.ts";
import { type Operation, type Rights, refusalOf } from "../../credentials/abilities.ts";
import { ipAllowed, sourceNetwork } from "../../platform/addresses.ts";
import { whoOf } from "../../credentials/sign-ins.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import type { Actor } from "../../store/audit.ts";
import type { Database, Transactional } from "../../store/database.ts";
import { LimitedDatabase } from "../../store/limited-database.ts";
import type { ConsoleTurns } from "../../platform/telemetry.ts";
import { type ApiContext, sessionsForSlowWork } from "../api-context.ts";
import { Semaphore } from "../../platform/semaphore.ts";
import { RateLimiter } from "../rate-limit.ts";
import type { ServerParts } from "../server-parts.ts";
import { cookieOf, endedCookie, isOwnOrigin, isSecure, tokenOf } from "./session-cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls the console, once it is known. */
    consoleSession: ConsoleSession | undefined;
  }
}

/** A whole office may come from one network. */
const lookupsWaitingOfOne = 1_000;
/** A page asks for a few things at once, and somebody may have several pages open. */
const waitingOfOne = 32;
/** Longer than a statement may take: a caller's slow read does not end their next one. */
const waitMs = 6_000;
const retrySeconds = 2;
/** The connections of `consoleReads`. */
const readsAtOnce = 2;
/**
 * Every node reads each change of the configuration, and the audit keeps it. So the changes of an
 * account are limited: how many at once, and how many a second after that.
 */
export const changesOfAccount = { burst: 120, perSecond: 0.5 } as const;
/** Staff work on many accounts, by programs, too. */
export const changesOfStaff = { burst: 600, perSecond: 5 } as const;
/** Of one's own password, second factor and sessions, some of which cost a hash of a password. */
export const changesOfOneself = { burst: 60, perSecond: 0.2 } as const;
const maximumCallers = 10_000;
const jsonLabel = /^\s*application\/json\s*(?:;|$)/i;

/** Who may call an endpoint, and how often. */
export interface Admission {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below /console/api. */
  readonly path: string;
  /**
   * Of several, one is enough. `session`: everybody who is signed in, also who has to change the
   * password first. `nobody`: no session is needed.
   */
  readonly needs: Operation | readonly Operation[] | "session" | "nobody";
  /** How often each person may call it, at once and in the long run. */
  readonly rate?: { readonly burst: number; readonly perSecond: number };
  /** Whether calls do not count among the changes that an account may make; GET never does. */
  readonly isFree?: true;
}

export class ConsoleContext {
  readonly api: ApiContext;
  readonly parts: ServerParts;
  /**
   * For changes of the configuration. They wait for each other anyway, and must keep nobody from
   * the rest.
   */
  readonly changes: LimitedDatabase;
  /** For what else is stored. */
  readonly work: LimitedDatabase;
  /** For lists and figures. */
  readonly reads: LimitedDatabase;
  /** Files that are made at once, in all and for each caller. */
  readonly files = new Semaphore({ total: 16, perKey: 2 });
  readonly #sessions: LimitedDatabase;
  readonly #changeLimiter = new RateLimiter<string>(maximumCallers);

  constructor(context: ApiContext) {
    const { db, consoleReads } = context.parts;
    this.api = context;
    this.parts = context.parts;
    const atOnce = sessionsForSlowWork(db);
    this.#sessions = this.#limit(db, "sessions", atOnce, lookupsWaitingOfOne);
    this.work = this.#limit(db, "work", atOnce);
    this.changes = this.#limit(db, "changes", 1);
    this.reads = this.#limit(consoleReads, "reads", Math.min(readsAtOnce, consoleReads.poolSize));
  }

  /** One statement or transaction of each caller at a time; beyond what may wait, 429. */
  #limit(db: Database, kind: ConsoleTurns, total: number, waitingPerKey = waitingOfOne): LimitedDatabase {
    const { telemetry } = this.parts;
    return new LimitedDatabase(db, {
      ...{ total, perKey: 1, waitingPerKey, waitMs },
      refusal: () => {
        telemetry.emit("console.refused", { kind });
        return ApiError.tooManyRequests(retrySeconds);
      },
      onWaiting: (count) => telemetry.emit("console.waiting", { kind, count }),
    });
  }

  /** For sessions and people, in the turns of the network that the call comes from. */
  dbOf(request: FastifyRequest): Transactional {
    return this.dbOfOne(sourceNetwork(this.api.addressOf(request)));
  }

  /** For work of the gateway itself, which takes turns under its own name. */
  dbOfOne(name: string): Transactional {
    return this.#sessions.of(name);
  }

  /**
   * Before the body is read. Throws 403 for a call that no page of ours made, 404 for a change at
   * an address that ends with a slash, 401 without a session, 403 where the role does not allow it.
   */
  async admit(request: FastifyRequest, { method, path, needs, isFree, rate }: Admission): Promise<void> {
    if (method !== "GET") {
      this.#expectOurPage(request);
      expectName(request);
    }
    if (needs === "nobody") return;
    const session = await this.findSession(request);
    if (session === undefined) throw notSignedIn();
    const isCounted = method !== "GET" && !isFree;
    // Counted for each person, so that nobody can keep other people of the account from ending
    // their sessions.
    if (isCounted && needs === "session") this.#countChange(`own ${session.personId}`, changesOfOneself);
    if (needs === "session") return;
    if (session.passwordSetBy !== null) throw forbidden("console.passwordFirst");
    if (session.mustSetSecondFactor) throw forbidden("console.secondFactorFirst");
    this.expectMay(request, typeof needs === "string" ? [needs] : needs);
    if (rate) this.#countChange(`${path} ${callerKeyOf(session)}`, rate);
    if (isCounted) this.#countChange(callerKeyOf(session), session.account ? changesOfAccount : changesOfStaff);
  }

  /** Of several, one is enough. Throws 403, with the permission that the account lacks. */
  expectMay(request: FastifyRequest, needs: readonly Operation[]): void {
    const missing = needs.map((operation) => refusalOf(operation, this.#rightsOf(this.sessionOf(request))));
    const [first] = missing;
    if (first === undefined || missing.includes(undefined)) return;
    if (first === "role") throw forbidden("console.role");
    const text = findingCatalogue["console.sendPermission"];
    throw new ApiError("noPermission", { text, values: { permission: first } });
  }

  may(request: FastifyRequest, operation: Operation): boolean {
    return refusalOf(operation, this.#rightsOf(this.sessionOf(request))) === undefined;
  }

  /** The permissions of an account bound its users as they bound its programs. */
  #rightsOf({ role, account }: ConsoleSession): Rights {
    if (account === undefined) return { role };
    return { role, permissions: this.permissionsOf(account) };
  }

  permissionsOf({ id }: { readonly id: number }): ReadonlySet<string> {
    return this.parts.directory.current.accounts.get(id)?.permissions ?? new Set();
  }

  /** Throws 429. */
  #countChange(caller: string, { perSecond, burst }: { readonly perSecond: number; readonly burst: number }): void {
    const { allowed, waitSeconds } = this.#changeLimiter.take(caller, perSecond, performance.now(), burst);
    if (allowed) return;
    this.parts.telemetry.emit("console.refused", { kind: "changeRate" });
    throw ApiError.tooManyRequests(waitSeconds);
  }

  /** Staff from a network that they may not come from are refused by 1006. */
  async findSession(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const session = await this.peekSession(request);
    const address = this.api.addressOf(request);
    if (session && session.account === undefined && !ipAllowed(this.parts.config.staffAllow, address)) {
      throw new ApiError("addressNotAllowed", { values: { address } });
    }
    return (request.consoleSession = session);
  }

  /**
   * The session of the cookie, wherever the call comes from. A cookie without one is answered late,
   * like a wrong key.
   */
  async peekSession(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const token = tokenOf(request.headers.cookie, { secure: this.#isSecure(request) });
    if (token === undefined) return undefined;
    const session = await sessionOf(this.dbOf(request), token);
    if (session === undefined) await this.parts.authenticator.delayRefusal(this.api.addressOf(request));
    return session;
  }

  /** Of a call that `admit` let in. */
  sessionOf({ consoleSession }: FastifyRequest): ConsoleSession {
    if (consoleSession === undefined) throw notSignedIn();
    return consoleSession;
  }

  actorOf(request: FastifyRequest): Actor {
    return { who: whoOf(this.sessionOf(request)), address: this.api.addressOf(request) };
  }

  giveCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
    void reply.header("set-cookie", cookieOf(token, { secure: this.#isSecure(request) }));
  }

  takeCookie(request: FastifyRequest, reply: FastifyReply): void {
    void reply.header("set-cookie", endedCookie({ secure: this.#isSecure(request) }));
  }

  #isSecure(request: FastifyRequest): boolean {
    return isSecure(request.raw, this.parts.config.trustProxy);
  }

  /**
   * Another site can make a browser send a call, but not with these two headers, and not with our
   * origin.
   */
  #expectOurPage({ raw }: FastifyRequest): void {
    const { headers } = raw;
    const isOurs =
      headers["x-hodhod-console"] === "1" &&
      jsonLabel.test(headers["content-type"] ?? "") &&
      isOwnOrigin(raw, this.parts.config.trustProxy);
    if (!isOurs) throw forbidden("console.notOurs");
  }
}

/**
 * Some clients shorten `accounts/shop/users/..`, the path of a user named `..`, to
 * `accounts/shop/`. Such a call must not change the account instead.
 */
function expectName({ url }: FastifyRequest): void {
  if (/^[^?]*\/(?:\?|$)/.test(url)) throw new ApiError("notFound");
}

export function forbidden(
  key: "console.notOurs" | "console.passwordFirst" | "console.secondFactorFirst" | "console.role" | "optOut.foreign",
): ApiError {
  return new ApiError("noPermission", { text: findingCatalogue[key] });
}

function notSignedIn(): ApiError {
  return new ApiError("unauthenticated", { text: findingCatalogue["console.notSignedIn"] });
}

/** All users of an account count as one caller, because an owner can create any number of users. */
export function callerKeyOf({ personId, account }: Pick<ConsoleSession, "personId" | "account">): string {
  return account === undefined ? `staff ${personId}` : `account ${account.id}`;
}
