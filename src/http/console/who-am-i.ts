// Who is signed in, as the console tells them.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "../json-schema.ts";
import { abilities, staffRoles, userRoles } from "../../credentials/abilities.ts";
import { type ConsoleSession, sessionOf } from "../../credentials/console-sessions.ts";
import type { ConsoleContext } from "./console-context.ts";
import { exactly } from "./console-endpoint.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { deleteSession } from "../../store/console-sessions.ts";

const user = Type.Object(
  {
    kind: Type.Union([Type.Literal("staff"), Type.Literal("customer")]),
    username: Type.String(),
    role: Type.Union([...staffRoles, ...userRoles].map((role) => Type.Literal(role))),
    account: Type.Optional(Type.String({ description: "Of a customer: the name of the account." })),
    abilities: Type.Array(Type.Union(abilities.map((ability) => Type.Literal(ability))), {
      description: "What the role allows; see docs/console.md.",
    }),
    permissions: Type.Optional(
      Type.Array(Type.String(), {
        description: "Of a customer's account: they bound what its users may do. `*`: all.",
      }),
    ),
  },
  exactly,
);

export const whoAmI = Type.Object(
  {
    user,
    mustChangePassword: Type.Optional(
      Type.Literal(true, {
        description: "Somebody else has set the password: until it is changed, nothing else works.",
      }),
    ),
    passwordSetBy: Type.Optional(
      Type.String({
        description:
          "Who has set the password, as the audit names them; to customers `staff` where it was the service. Absent: mustChangePassword is, too.",
      }),
    ),
    mustSetSecondFactor: Type.Optional(
      Type.Literal(true, { description: "The service demands a second factor: until it is set, nothing else works." }),
    ),
  },
  exactly,
);

export function describeSession(context: ConsoleContext, session: ConsoleSession): object {
  const { username, role, account, passwordSetBy, mustSetSecondFactor } = session;
  const permissions = account && [...context.permissionsOf(account)];
  return {
    user: {
      kind: account === undefined ? "staff" : "customer",
      username,
      role,
      account: account?.name,
      abilities: session.abilities,
      permissions,
    },
    ...(passwordSetBy !== null && { mustChangePassword: true, passwordSetBy: hidingStaff(account, passwordSetBy) }),
    ...(mustSetSecondFactor && { mustSetSecondFactor }),
  };
}

/** Customers learn the names of users of their own account only. */
function hidingStaff(account: ConsoleSession["account"], who: string): string {
  return account === undefined || who.startsWith(`user:${account.name}/`) ? who : "staff";
}

// Begins and ends the session of a browser.

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
