// POST route-trace: which way a message to a number would go, from each line, at what price, and
// why not. Judged by the same code as sending (sms/prepare-message.ts), against the configuration
// in memory and the binds as the nodes told last. Sends and charges nothing.
import { input, orAbsent, plainText } from "../json-schema.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { mobile } from "./console-input.ts";
import { readQuestion, stateFor, traceNumber } from "./trace-number.ts";
import { longestText } from "./send-request.ts";

const body = input({
  recipientNumber: mobile("In any usual form."),
  account: orAbsent(plainText("Its lines, tariff, block list and credit count; without it there are no prices.")),
  senderNumber: orAbsent(plainText("Only this line.")),
  content: orAbsent(
    plainText({ maxLength: longestText, description: "The text. Without it, prices are by language." }),
  ),
});

export const routeTrace = {
  "POST /route-trace": {
    needs: "readService",
    summary: "Which way a number would go",
    description:
      "From each line: the route, the connector, the price, and what a call would be refused with. Judged as a call is. Nothing is sent.",
    body,
    handle: async (call) => {
      const asked = readQuestion(call.parts.directory.current, call.readBody(body));
      const known = await stateFor(call, asked.account);
      return traceNumber(call.parts.directory.current, asked, known, call.language);
    },
  },
} satisfies ConsoleEndpoints;
