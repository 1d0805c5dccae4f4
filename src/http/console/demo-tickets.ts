// POST /console/api/session/ticket: the links of the demo, which open its console without a
// password. It is there only where the gateway was started with tickets, and only for callers on
// the same machine.
import { createHash, timingSafeEqual } from "node:crypto";
import { input, plainText } from "../json-schema.ts";
import { signInUnasked } from "../../credentials/sign-in.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { isClientKnown, isLocalOrAllowed } from "../client-address.ts";
import { requireJsonBody } from "../json-body.ts";
import { scalarText } from "../read-parameters.ts";
import type { DemoTicket } from "../server-parts.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses } from "./console-endpoint.ts";
import { enter, whoAmI } from "./who-am-i.ts";

export function demoTicketEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  const { demoTickets = [] } = context.parts;
  return demoTickets.length === 0 ? [] : [postTicket(context, demoTickets)];
}

function postTicket(context: ConsoleContext, tickets: readonly DemoTicket[]): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/session/ticket",
    needs: "nobody",
    schema: {
      operationId: "signInByTicket",
      summary: "Sign in by a link of the demo",
      tags: ["Session"],
      body: input({ ticket: plainText() }),
      response: consoleResponses(whoAmI, 400),
    },
    answer: async ({ request, reply }) => {
      const address = context.api.addressOf(request);
      const { directory, authenticator, config } = context.parts;
      const given = scalarText(requireJsonBody(request).get("ticket")) ?? "";
      const person = tickets.find(({ ticket }) => isSame(ticket, given));
      const userAgent = request.headers["user-agent"] ?? "";
      const parts = { db: context.dbOf(request), directory, staffAllow: config.staffAllow };
      const isHere = isClientKnown(request.raw, config.trustProxy) && isLocalOrAllowed(address, []);
      const token =
        person === undefined || !isHere ? undefined : await signInUnasked(parts, { ...person, address, userAgent });
      if (token === undefined) {
        await authenticator.delayRefusal(address);
        throw new ApiError("unauthenticated", { text: findingCatalogue["console.endedTicket"] });
      }
      return enter(context, { request, reply }, token);
    },
  };
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
