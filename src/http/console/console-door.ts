// What every endpoint of the console can use, and who stands before it. Sessions are read through a small share of the service's own
// connections, so that nothing that people look at keeps others from signing in; what they look at has connections of its own.
import type { FastifyReply, FastifyRequest } from "fastify";
import { actorName, sessionOf, type ConsoleSession } from "../../credentials/console-sessions.ts";
import { ipAllowed } from "../../credentials/ip-allow-list.ts";
import { ApiError, findingCatalogue } from "../../errors.ts";
import type { Actor } from "../../store/audit.ts";
import type { Transactional } from "../../store/database.ts";
import { DatabaseShare } from "../../store/database-share.ts";
import type { Door } from "../door.ts";
import type { ServerParts } from "../server-parts.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { isOwnOrigin, isSecure } from "./own-origin.ts";
import { ReadTurns } from "./read-turns.ts";
import { cookieOf, endedCookie, tokenOf } from "./session-cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls the console, once it is known. */
    consoleSession: ConsoleSession | undefined;
  }
}

const sessionsAtOnce = 2;
/** The connections of `consoleReads`. */
const readsAtOnce = 2;
const jsonLabel = /^\s*application\/json\s*(?:;|$)/i;

export class ConsoleDoor {
  readonly door: Door;
  readonly parts: ServerParts;
  /** For sessions, people and changes. */
  readonly db: Transactional;
  /** For changes of the configuration. They wait for each other anyway, and must keep nobody from the rest. */
  readonly changes: Transactional;
  /** For lists and figures, in the turns of those who ask. */
  readonly reads: ReadTurns;

  constructor(door: Door) {
    this.door = door;
    this.parts = door.parts;
    this.db = new DatabaseShare(door.parts.db, { sessions: sessionsAtOnce });
    this.changes = new DatabaseShare(door.parts.db, { sessions: 1 });
    this.reads = new ReadTurns(door.parts.consoleReads, { atOnce: readsAtOnce });
  }

  /** Before the body is read. Throws 403 for a call that no page of ours made, 401 without a session, 403 where the role does not allow it. */
  async admit(request: FastifyRequest, { method, needs }: Pick<ConsoleEndpoint, "method" | "needs">): Promise<void> {
    if (method !== "GET") this.#expectOurPage(request);
    if (needs === "nobody") return;
    const session = await this.findSession(request);
    if (session === undefined) throw notSignedIn();
    if (needs === "session") return;
    if (session.mustChangePassword) throw forbidden("console.passwordFirst");
    if (session.mustSetSecondFactor) throw forbidden("console.secondFactorFirst");
    if (!needs.some((ability) => session.abilities.includes(ability))) throw forbidden("console.role");
  }

  /** Staff from a network that they may not come from are refused by 1006. */
  async findSession(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const session = await this.peekSession(request);
    const address = this.door.addressOf(request);
    if (session?.kind === "staff" && !ipAllowed(this.parts.config.staffAllow, address)) {
      throw new ApiError("addressNotAllowed", { values: { address } });
    }
    return (request.consoleSession = session);
  }

  /** The session of the cookie, wherever the call comes from. A cookie without one is answered late, like a wrong key. */
  async peekSession(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const token = tokenOf(request.headers.cookie);
    if (token === undefined) return undefined;
    const session = await sessionOf(this.db, token);
    if (session === undefined) await this.parts.authenticator.delayRefusal(this.door.addressOf(request));
    return session;
  }

  /** Of a call that `admit` let in. */
  sessionOf({ consoleSession }: FastifyRequest): ConsoleSession {
    if (consoleSession === undefined) throw notSignedIn();
    return consoleSession;
  }

  /** What the call reads from now on takes the turns of the one who calls. */
  beginReading({ consoleSession }: FastifyRequest): void {
    if (consoleSession !== undefined) this.reads.continueAs(consoleSession);
  }

  actorOf(request: FastifyRequest): Actor {
    return { who: actorName(this.sessionOf(request)), address: this.door.addressOf(request) };
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

  /** Another site can make a browser send a call with neither of the two headers, and not from our origin. */
  #expectOurPage({ raw }: FastifyRequest): void {
    const { headers } = raw;
    const isOurs =
      headers["x-hodhod-console"] === "1" &&
      jsonLabel.test(headers["content-type"] ?? "") &&
      isOwnOrigin(raw, this.parts.config.trustProxy);
    if (!isOurs) throw forbidden("console.notOurs");
  }
}

export function forbidden(
  wording: "console.notOurs" | "console.passwordFirst" | "console.secondFactorFirst" | "console.role",
): ApiError {
  return new ApiError("noPermission", { wording: findingCatalogue[wording] });
}

function notSignedIn(): ApiError {
  return new ApiError("unauthenticated", { wording: findingCatalogue["console.notSignedIn"] });
}
