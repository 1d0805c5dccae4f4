// Who is signed in, as the console tells them.
import { array, literal, object, oneOf, orAbsent, plainText } from "../json-schema.ts";
import { roles } from "../../credentials/abilities.ts";
import { type ConsoleSession, sessionOf } from "../../credentials/console-sessions.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import type { LinkSettings } from "../../connectors/link-settings.ts";
import { failureKinds } from "../../sms/failure-reason.ts";
import { unknownOperator } from "../../sms/numbering-plan.ts";
import { deleteSession } from "../../store/console-sessions.ts";
import type { ConsoleCall } from "./console-call.ts";

const user = object({
  kind: oneOf(["staff", "customer"]),
  username: plainText(),
  role: oneOf(roles, "What it allows: see docs/console.md."),
  account: orAbsent(plainText("Of a customer: the name of the account.")),
  permissions: orAbsent(array(plainText(), "Of a customer's account: they bound what its users may do. `*`: all.")),
});

export const whoAmI = object({
  user,
  mustChangePassword: orAbsent(
    literal(true, "Somebody else has set the password: until it is changed, nothing else works."),
  ),
  passwordSetBy: orAbsent(
    plainText(
      "Who has set the password, as the audit names them; to customers `staff` where it was the service. Absent: mustChangePassword is, too.",
    ),
  ),
  mustSetSecondFactor: orAbsent(
    literal(true, "The service demands a second factor: until it is set, nothing else works."),
  ),
  operators: array(plainText(), "Names of network operators that messages may have."),
  failureKinds: array(oneOf(failureKinds), "Those that the settings of a connector name."),
  note: orAbsent(plainText("To customers: what staff want them to read first (`customerNote` of the settings).")),
});

export function describeSession(call: ConsoleCall, session: ConsoleSession): object {
  const { username, role, account, passwordSetBy, mustSetSecondFactor } = session;
  const permissions = account && [...call.context.permissionsOf(account)];
  const { customerNote, plan, connectors } = call.parts.directory.current;
  const kinds = new Set(connectors.flatMap(({ settings }) => kindsIn(settings)));
  return {
    user: {
      kind: account === undefined ? "staff" : "customer",
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
export async function enter(call: ConsoleCall, token: string): Promise<object> {
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
