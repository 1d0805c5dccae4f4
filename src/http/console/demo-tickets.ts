// POST /console/api/session/ticket: the links of the demo, which open its console without a
// password. It is there only where the gateway was started with tickets, and only for callers on
// the same machine.
import { createHash, timingSafeEqual } from "node:crypto";
import { input, plainText } from "../json-schema.ts";
import { signInUnasked } from "../../credentials/sign-in.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { isClientKnown, isLocalOrAllowed } from "../client-address.ts";
import { scalarText } from "../read-parameters.ts";
import type { DemoTicket, ServerParts } from "../server-parts.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { enter, whoAmI } from "./who-am-i.ts";

export function demoTicketEndpoints({ demoTickets = [] }: Pick<ServerParts, "demoTickets">): ConsoleEndpoint[] {
  return demoTickets.length === 0 ? [] : [postTicket(demoTickets)];
}

function postTicket(tickets: readonly DemoTicket[]): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/session/ticket",
    needs: "nobody",
    operationId: "signInByTicket",
    summary: "Sign in by a link of the demo",
    tag: "Session",
    body: input({ ticket: plainText() }),
    result: whoAmI,
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
  };
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
