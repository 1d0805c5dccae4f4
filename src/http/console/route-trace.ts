// POST route-trace: which way a message to a number would go, from each line, at what price, and
// why not. Judged by the same code as sending (sms/prepare-message.ts), against the configuration
// in memory and the binds as the nodes told last. Sends and charges nothing.
import { array, boolean, input, integer, object, oneOf, orAbsent, plainText } from "../json-schema.ts";
import { connectorVerdicts, routeVerdicts } from "../../sms/routing.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { mobile } from "./console-input.ts";
import { readQuestion, stateFor, traceNumber } from "./trace-number.ts";
import { longestText } from "./send-request.ts";

const way = object({
  line: orAbsent(plainText("Its number; absent where the given sender is no line of the account.")),
  kind: orAbsent(plainText()),
  refused: orAbsent(object({ errorCode: integer(), errorMessage: plainText() }, "What a call would be answered.")),
  routes: array(
    object({ position: integer(), operator: plainText(), line: plainText(), verdict: oneOf(routeVerdicts) }),
    "All routes, in their order. `used` and `off` (all connectors disabled): the first that matches.",
  ),
  connectors: array(
    object({ name: plainText(), verdict: oneOf(connectorVerdicts) }),
    "Those of the route that is used. None is `used`: the message would wait.",
  ),
  connector: orAbsent(plainText("The one that would take the message now.")),
  language: orAbsent(plainText()),
  encoding: orAbsent(plainText()),
  parts: orAbsent(integer()),
  price: orAbsent(integer("Of one part; of the given text, with an account.")),
  cost: orAbsent(integer("Of all parts.")),
  prices: orAbsent(
    object(
      { fa: integer("Persian."), en: integer("English."), other: integer("Other languages.") },
      "Of one part by language, where no text is given; with an account.",
    ),
  ),
});

const answer = object({
  recipientNumber: plainText("989…"),
  operator: plainText(),
  operatorBy: oneOf(["ported", "prefix", "unknown"]),
  prefix: orAbsent(plainText("The one that decided.")),
  operatorEnabled: boolean(),
  account: orAbsent(plainText()),
  ways: array(way, "One for each line: of the account, or the given one, or of the service."),
  furtherLines: integer("How many more lines there are than the answer tells of."),
});

const body = input({
  recipientNumber: mobile("In any usual form."),
  account: orAbsent(plainText("Its lines, tariff, block list and credit count; without it there are no prices.")),
  senderNumber: orAbsent(plainText("Only this line.")),
  content: orAbsent(
    plainText({ maxLength: longestText, description: "The text. Without it, prices are by language." }),
  ),
});

export const routeTrace: ConsoleEndpoint = {
  method: "POST",
  path: "/route-trace",
  needs: "readService",
  summary: "Which way a number would go",
  description:
    "From each line: the route, the connector, the price, and what a call would be refused with. Judged as a call is. Nothing is sent.",
  body,
  result: answer,
  handle: async (call) => {
    const asked = readQuestion(call.parts.directory.current, call.readBody(body));
    const known = await stateFor(call, asked.account);
    return traceNumber(call.parts.directory.current, asked, known, call.language);
  },
};
