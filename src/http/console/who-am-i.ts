// Who is signed in, as the console tells them.
import { type ConsoleSession, sessionOf } from "../../credentials/console-sessions.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import type { LinkSettings } from "../../connectors/link-settings.ts";
import { failureKinds } from "../../sms/failure-reason.ts";
import { unknownOperator } from "../../sms/numbering-plan.ts";
import { deleteSession } from "../../store/console-sessions.ts";
import type { ConsoleCall } from "./console-call.ts";

/** With `mustChangePassword` and `mustSetSecondFactor` nothing else works until that is done. */
export function describeSession(call: ConsoleCall, session: ConsoleSession) {
  const { username, role, account, passwordSetBy, mustSetSecondFactor } = session;
  const permissions = account && [...call.context.permissionsOf(account)];
  const { customerNote, plan, connectors } = call.parts.directory.current;
  const kinds = new Set(connectors.flatMap(({ settings }) => kindsIn(settings)));
  return {
    user: {
      kind: account === undefined ? ("staff" as const) : ("customer" as const),
      username,
      role,
      account: account?.name,
      permissions,
    },
    ...(passwordSetBy !== null && { mustChangePassword: true, passwordSetBy: hidingStaff(account, passwordSetBy) }),
    ...(mustSetSecondFactor && { mustSetSecondFactor }),
    operators: [...new Set(plan.prefixes.values()), unknownOperator],
    failureKinds: failureKinds.filter((kind) => kinds.has(kind)),
    ...(account !== undefined && customerNote !== null && { note: customerNote }),
  };
}

function kindsIn({ receiptErrors, statusErrors }: LinkSettings): readonly string[] {
  return [receiptErrors, statusErrors]
    .flatMap((errors) => Object.values(errors))
    .map((meaning) => (typeof meaning === "string" ? meaning : meaning.kind));
}

/** Customers learn the names of users of their own account only. */
function hidingStaff(account: ConsoleSession["account"], who: string): string {
  return account === undefined || who.startsWith(`user:${account.name}/`) ? who : "staff";
}

// Begins and ends the session of a browser.

/** Gives the browser the new session in the place of the one it has. */
export async function enter(call: ConsoleCall, token: string) {
  await endSessionOf(call);
  const session = await sessionOf(call.sessions, token);
  // Ended in this very moment.
  if (session === undefined) throw wrongSignIn();
  call.context.giveCookie(call.request, call.reply, token);
  return describeSession(call, session);
}

/**
 * Ends the session of the cookie. The browser forgets its token, so that nobody shall find it
 * again.
 */
export async function endSessionOf(call: ConsoleCall): Promise<void> {
  const session = await call.context.peekSession(call.request);
  if (session !== undefined) await deleteSession(call.sessions, session.personId, session.id);
}

export function wrongSignIn(): ApiError {
  return new ApiError("unauthenticated", { text: findingCatalogue["console.wrongSignIn"] });
}
