// Whose objects a call may see: customers those of their own account, staff those of all, or of the
// one that they name.
import type { FastifyRequest } from "fastify";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import { ApiError } from "../../texts/errors.ts";
import { findAccountByName } from "../../store/ledger.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { GivenParameters } from "../read-parameters.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleCall, notThere } from "./console-endpoint.ts";
import { readCursor, type WalkStart } from "./walk-back.ts";
import type { Account } from "../../directory/directory.ts";

/**
 * Throws 404 for an account that is not there, or is not the customer's own. Undefined: of all
 * accounts.
 */
export async function accountWanted(
  context: ConsoleContext,
  session: ConsoleSession,
  name: string | undefined,
): Promise<{ readonly id: number; readonly name: string } | undefined> {
  if (session.account !== undefined) {
    if (name !== undefined && name !== session.account.name) throw notThere();
    return session.account;
  }
  if (name === undefined) return undefined;
  const account = await findAccountByName(context.reads, name);
  if (account === undefined) throw notThere();
  return { id: account.id, name };
}

/** A parameter of the path, decoded by the router. */
export function pathParameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Readonly<Record<string, string | undefined>>)[name] ?? "";
  if (value.includes("\0")) throw notThere();
  return value;
}

/** The UUID in the path, in lower case. Throws 404 for any other text. */
export function pathId(request: FastifyRequest): string {
  const id = pathParameter(request, "id");
  if (!isUuid(id)) throw notThere();
  return id.toLowerCase();
}

/**
 * Where a list that is walked back goes on; undefined: at its newest. Throws 1001 for what is no
 * cursor.
 */
export function walkStartOf(after: string | undefined): WalkStart | undefined {
  if (after === undefined) return undefined;
  const start = readCursor(after);
  if (start !== undefined) return start;
  throw ApiError.invalidParameter("after", "after.form");
}

/** Throws 1001 for what is no UUID. */
export function readId(query: GivenParameters, field: string): string | undefined {
  const given = query.text(field);
  return given === undefined ? undefined : idOf(given, field);
}

/** Throws 1001 for what is no UUID. */
export function idOf(given: string, field: string): string {
  if (isUuid(given)) return given.toLowerCase();
  throw ApiError.invalidParameter(field, field === "after" ? "after.form" : "id.form");
}

// The account of a customer who calls.

/** The customer's own account, as the rules of sending know it. */
export function accountOf(context: ConsoleContext, { request }: Pick<ConsoleCall, "request">): Account {
  const own = context.sessionOf(request).account;
  const account = own && context.parts.directory.current.accounts.get(own.id);
  if (account === undefined) throw notThere();
  return account;
}
