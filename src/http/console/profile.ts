// The own profile: sessions, password, second factor. Works also for those who must change the
// password or set a second factor first; whatever weakens or replaces a credential asks for the
// present password again.
import { input, plainText } from "../json-schema.ts";
import { sessionOf } from "../../credentials/console-sessions.ts";
import { longestPassword, passwordFault, shortestPassword } from "../../credentials/new-password.ts";
import { changeOneself, changeOwnPassword } from "../../credentials/people.ts";
import { confirmSecondFactor, enrolSecondFactor } from "../../credentials/second-factor.ts";
import { loginSubject } from "../../credentials/sign-ins.ts";
import { ApiError } from "../../texts/errors.ts";
import { deleteSession, listSessions } from "../../store/console-sessions.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { passwordFaultKeys, passwordLengths } from "./console-input.ts";
import { describeSession } from "./who-am-i.ts";
import type { ConsoleCall } from "./console-call.ts";
import { deleteSecondFactor, findSecondFactor } from "../../store/people.ts";

const passwordBody = input({ password: plainText("The present password.") });
const newPasswordBody = input({
  ...passwordBody.properties,
  newPassword: plainText(`${shortestPassword} to ${longestPassword} characters.`),
});
const codeBody = input({ code: plainText("Of the new secret.") });

/** Throws 1001 for a wrong one, slowed down like any other. */
async function expectPassword(call: ConsoleCall): Promise<void> {
  const { password } = call.readBody(passwordBody);
  const { session } = call;
  const { username, account } = session;
  const domain = account && (call.parts.directory.current.accounts.get(account.id)?.domain ?? account.name);
  const login = { subject: loginSubject(username, domain), address: call.address };
  if (!(await call.parts.authenticator.isPasswordOf(session, password, login)))
    throw ApiError.invalidParameter("password", "console.wrongPassword");
}

export const profileEndpoints = {
  "GET /sessions": {
    needs: "session",
    summary: "My sessions",
    description: "The one used last first.",
    handle: async (call) => {
      const { id: current, personId } = call.session;
      const sessions = await listSessions(call.sessions, personId);
      return { items: sessions.map((each) => ({ ...each, current: each.id === current })) };
    },
  },
  "DELETE /sessions/{id}": {
    needs: "session",
    summary: "End one of my sessions",
    handle: async (call) => {
      if (!(await deleteSession(call.sessions, call.session.personId, call.id))) throw ApiError.notThere();
      return {};
    },
  },
  "GET /profile": {
    needs: "session",
    summary: "My second factor",
    handle: async (call) => {
      const { isSet, recoveryCodes } = await findSecondFactor(call.sessions, call.session.personId);
      return { secondFactor: isSet, recoveryCodes };
    },
  },
  "POST /profile/password": {
    needs: "session",
    summary: "Change my password",
    description: "Ends all my sessions but this one, which gets a new cookie.",
    body: newPasswordBody,
    handle: async (call) => {
      const { password, newPassword } = call.readBody(newPasswordBody);
      const own = call.session;
      const fault = passwordFault(newPassword, own.username);
      if (fault !== undefined)
        throw ApiError.invalidParameter("newPassword", passwordFaultKeys[fault], passwordLengths);
      await expectPassword(call);
      if (password === newPassword) throw ApiError.invalidParameter("newPassword", "console.samePassword");
      const token = await changeOwnPassword(call.changes, {
        session: own,
        actor: call.actor,
        newPassword,
        address: call.address,
        userAgent: call.userAgent,
      });
      const renewed = token === undefined ? undefined : await sessionOf(call.sessions, token);
      if (token === undefined || renewed === undefined) throw ApiError.notThere();
      call.context.giveCookie(call.request, call.reply, token);
      return describeSession(call, renewed);
    },
  },
  "POST /profile/second-factor": {
    needs: "session",
    summary: "Begin to set a second factor",
    description:
      "A new secret for an authenticator (TOTP: SHA-1, six digits, 30 s). It counts once a code of it is confirmed; until then what was set " +
      "before stays.",
    body: passwordBody,
    handle: async (call) => {
      await expectPassword(call);
      const { personId, username, account } = call.session;
      const label = account === undefined ? username : `${username}@${account.name}`;
      return call.work.transaction((tx) => enrolSecondFactor(tx, personId, label));
    },
  },
  "POST /profile/second-factor/confirm": {
    needs: "session",
    summary: "Set the second factor",
    description: "Answers ten recovery codes, each good once in place of a code. They are shown this once.",
    body: codeBody,
    handle: async (call) => {
      const session = call.session;
      const { code } = call.readBody(codeBody);
      const own = { session, actor: call.actor };
      const recoveryCodes = await changeOneself(call.changes, own, { secondFactor: "set" }, (tx) =>
        confirmSecondFactor(tx, session.personId, code),
      );
      if (recoveryCodes !== undefined) return { recoveryCodes };
      throw ApiError.invalidParameter("code", "console.wrongCode");
    },
  },
  "POST /profile/second-factor/remove": {
    needs: "session",
    summary: "Remove the second factor",
    body: passwordBody,
    handle: async (call) => {
      await expectPassword(call);
      const session = call.session;
      const own = { session, actor: call.actor };
      await changeOneself(
        call.changes,
        own,
        { secondFactor: "removed" },
        async (tx) => (await deleteSecondFactor(tx, session.personId)) || undefined,
      );
      return {};
    },
  },
} satisfies ConsoleEndpoints;
