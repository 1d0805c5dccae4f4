// POST, GET and DELETE /console/api/session: signing in, who I am, signing out.
import { input, orAbsent, plainText } from "../json-schema.ts";
import { signIn, signInUnasked } from "../../credentials/sign-in.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { scalarText } from "../read-parameters.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { describeSession, endSessionOf, enter, wrongSignIn } from "./who-am-i.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { isClientKnown, isLocalOrAllowed } from "../client-address.ts";
import type { DemoTicket, ServerParts } from "../server-parts.ts";

const signInBody = input({
  username: plainText(),
  password: plainText(),
  organisation: orAbsent(plainText("The domain of the account; absent for staff.")),
  code: orAbsent(plainText("Of the second factor: six digits, or a recovery code.")),
});

export const sessionEndpoints = {
  "POST /session": {
    needs: "nobody",
    summary: "Sign in",
    description:
      "Sets the cookie `hodhod_session`. Whatever is wrong, the answer is the same 401, slower as it repeats. A session ends after 12 " +
      "hours unused, or after 7 days.",
    body: signInBody,
    handle: async (call) => {
      const address = call.address;
      const { directory, authenticator, config } = call.parts;
      const given = call.readBody(signInBody);
      const parts = { db: call.sessions, directory, authenticator, staffAllow: config.staffAllow };
      const userAgent = call.userAgent;
      const outcome = await signIn(parts, { ...given, address, userAgent });
      if (outcome.kind === "wrong") throw wrongSignIn();
      if (outcome.kind === "codeNeeded") return { secondFactorRequired: true };
      return enter(call, outcome.token);
    },
  },
  "GET /session": {
    needs: "session",
    summary: "Who I am",
    handle: async (call) => describeSession(call, call.session),
  },
  "DELETE /session": {
    needs: "nobody",
    summary: "Sign out",
    description: "Ends the session of the cookie, if there is one, and takes the cookie back.",
    handle: async (call) => {
      await endSessionOf(call);
      call.context.takeCookie(call.request, call.reply);
      return {};
    },
  },
} satisfies ConsoleEndpoints;

// POST /console/api/session/ticket: the links of the demo, which open its console without a
// password. It is there only where the gateway was started with tickets, and only for callers on
// the same machine.

export function demoTicketEndpoints({ demoTickets = [] }: Pick<ServerParts, "demoTickets">) {
  return demoTickets.length === 0 ? {} : postTicket(demoTickets);
}

function postTicket(tickets: readonly DemoTicket[]) {
  return {
    "POST /session/ticket": {
      needs: "nobody",
      summary: "Sign in by a link of the demo",
      body: input({ ticket: plainText() }),
      handle: async (call) => {
        const address = call.address;
        const { directory, authenticator, config } = call.parts;
        const given = scalarText(call.fields.get("ticket")) ?? "";
        const person = tickets.find(({ ticket }) => isSame(ticket, given));
        const userAgent = call.userAgent;
        const parts = { db: call.sessions, directory, staffAllow: config.staffAllow };
        const isHere = isClientKnown(call.request.raw, config.trustProxy) && isLocalOrAllowed(address, []);
        const token =
          person === undefined || !isHere ? undefined : await signInUnasked(parts, { ...person, address, userAgent });
        if (token === undefined) {
          await authenticator.delayRefusal(address);
          throw new ApiError("unauthenticated", { text: findingCatalogue["console.endedTicket"] });
        }
        return enter(call, token);
      },
    },
  } satisfies ConsoleEndpoints;
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
