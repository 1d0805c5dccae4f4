// Begins and ends the session of a browser.
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionOf } from "../../credentials/console-sessions.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { deleteSession } from "../../store/console-sessions.ts";
import type { ConsoleContext } from "./console-context.ts";
import { describeSession } from "./who-am-i.ts";

/** Gives the browser the new session in the place of the one it has. */
export async function enter(
  context: ConsoleContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  token: string,
): Promise<object> {
  await endSessionOf(context, request);
  const session = await sessionOf(context.dbOf(request), token);
  // Ended in this very moment.
  if (session === undefined) throw wrongSignIn();
  context.giveCookie(request, reply, token);
  return describeSession(context, session);
}

/**
 * Ends the session of the cookie. The browser forgets its token, so that nobody shall find it
 * again.
 */
export async function endSessionOf(context: ConsoleContext, request: FastifyRequest): Promise<void> {
  const session = await context.peekSession(request);
  if (session !== undefined) await deleteSession(context.dbOf(request), session.personId, session.id);
}

export function wrongSignIn(): ApiError {
  return new ApiError("unauthenticated", { text: findingCatalogue["console.wrongSignIn"] });
}
