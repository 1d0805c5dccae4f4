// One call of the console's API: who calls, what they may do and see, what they gave, and which
// connections their work takes.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "../../credentials/abilities.ts";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import type { Account } from "../../directory/directory.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { Actor, SoughtChange } from "../../store/audit.ts";
import type { Transactional } from "../../store/database.ts";
import { findAccountByName } from "../../store/ledger.ts";
import { ApiError } from "../../texts/errors.ts";
import { requireJsonObject } from "../json-body.ts";
import { rawQueryOf } from "../query-string.ts";
import type { GivenParameters, JsonObject } from "../read-parameters.ts";
import { Call } from "../call.ts";
import type { Properties, ValuesOf } from "../json-schema.ts";
import { readInputs } from "./console-input.ts";
import { callerKeyOf, type ConsoleContext } from "./console-context.ts";
import { hash } from "node:crypto";

export class ConsoleCall extends Call {
  readonly context: ConsoleContext;

  constructor(context: ConsoleContext, request: FastifyRequest, reply: FastifyReply) {
    super(context.api, request, reply);
    this.context = context;
  }

  /** For lists and figures. */
  get reads(): Transactional {
    return this.context.reads.of(callerKeyOf(this.session));
  }

  /** For changes of the configuration. */
  get changes(): Transactional {
    return this.context.changes.of(callerKeyOf(this.session));
  }

  /** For what else is stored. */
  get work(): Transactional {
    return this.context.work.of(callerKeyOf(this.session));
  }

  /** For sessions and people. */
  get sessions(): Transactional {
    return this.context.dbOf(this.request);
  }

  get session(): ConsoleSession {
    return this.context.sessionOf(this.request);
  }

  get actor(): Actor {
    return this.context.actorOf(this.request);
  }

  get userAgent(): string {
    return this.request.headers["user-agent"] ?? "";
  }

  may(operation: Operation): boolean {
    return this.context.may(this.request, operation);
  }

  expectMay(needs: readonly Operation[]): void {
    this.context.expectMay(this.request, needs);
  }

  /** Throws 1001 for what no database can look for. */
  override get query(): GivenParameters {
    if (!rawQueryOf(this.request.raw.url ?? "").includes("%00")) return super.query;
    throw ApiError.invalidParameter("query", "console.nullCharacter");
  }

  /** The parameters by their schemas. Throws 1001. */
  readQuery<Named extends Properties>(parameters: Named): ValuesOf<Named> {
    const { query } = this;
    return readInputs(parameters, (name) => query.last(name));
  }

  /** The fields of the body by their schemas. Throws 1001. */
  readBody<Named extends Properties>({ properties }: { readonly properties: Named }): ValuesOf<Named> {
    const { fields } = this;
    return readInputs(properties, (name) => fields.get(name.toLowerCase()));
  }

  /** The body with its names as written. Throws 1001 for what is no JSON object. */
  object(limits: { readonly values?: number } = {}): JsonObject {
    return requireJsonObject(this.request, limits);
  }

  /** A parameter of the path, decoded by the router. */
  override path(name: string): string {
    const value = super.path(name);
    if (value.includes("\0")) throw ApiError.notThere();
    return value;
  }

  /** The UUID in the path, in lower case. Throws 404 for any other text. */
  get id(): string {
    const id = this.path("id");
    if (!isUuid(id)) throw ApiError.notThere();
    return id.toLowerCase();
  }

  /** The customer's own account, as the rules of sending know it. Throws 404 for staff. */
  get ownAccount(): Account {
    const own = this.session.account;
    const account = own && this.parts.directory.current.accounts.get(own.id);
    if (account === undefined) throw ApiError.notThere();
    return account;
  }

  /** The account of the path. Throws 404 for what is not there, or is not the customer's own. */
  async account(): Promise<AccountOfCall> {
    const account = await this.accountNamed(this.path("name"));
    if (account === undefined) throw ApiError.notThere();
    return account;
  }

  /**
   * Whose objects are wanted: customers see those of their own account, staff those of all
   * (undefined), or of the one that they name. Throws 404 as `account` does.
   */
  async accountNamed(name: string | undefined): Promise<AccountOfCall | undefined> {
    const own = this.session.account;
    if (own !== undefined) {
      if (name !== undefined && name !== own.name) throw ApiError.notThere();
      return own;
    }
    if (name === undefined) return undefined;
    const account = await findAccountByName(this.reads, name);
    if (account === undefined) throw ApiError.notThere();
    return { id: account.id, name };
  }

  /** Throws 428 if the call names no state, and 412 if it names another one than the present. */
  expectVersion(tag: string | undefined, traces: readonly SoughtChange[]): void {
    const { headers } = this.request;
    const match = headers["if-match"];
    if (match !== undefined) {
      if (tag === undefined || tagIn(match) !== tag) throw new StaleVersion(traces);
    } else if (!namesNone(headers)) throw new ApiError("preconditionRequired");
    else if (tag !== undefined) throw new StaleVersion(traces);
  }

  giveTag(tag: string | undefined): void {
    void this.reply.header("etag", `"${tag ?? ""}"`);
  }
}

export interface AccountOfCall {
  readonly id: number;
  readonly name: string;
}

// Checks that a change names the state that it replaces: the ETag of the object (If-Match), or that
// there is no object yet (If-None-Match: *). So two people cannot undo each other's changes without
// noticing.

/** 412, with where to find who changed the object. */
export class StaleVersion extends ApiError {
  readonly traces: readonly SoughtChange[];

  constructor(traces: readonly SoughtChange[]) {
    super("preconditionFailed");
    this.traces = traces;
  }
}

type Headers = FastifyRequest["headers"];

/** Throws 428 for a call that does not say which state it changes. Called before anything is read. */
export function expectCondition(headers: Headers, condition: "If-Match" | "either" | "optional" | undefined): void {
  if (condition === undefined || condition === "optional" || headers["if-match"] !== undefined) return;
  if (condition === "If-Match" || !namesNone(headers)) throw new ApiError("preconditionRequired");
}

function namesNone(headers: Headers): boolean {
  return headers["if-none-match"]?.trim() === "*";
}

/** A proxy that compresses makes weak tags of ours. */
function tagIn(header: string): string {
  return header.trim().replace(/^(?:W\/)?"(.*)"$/, "$1");
}

/** Of an object without secrets; undefined where there is none. */
export function tagOfObject(object: object | undefined): string | undefined {
  return object && hash("sha256", JSON.stringify(object), "base64url").slice(0, 22);
}
