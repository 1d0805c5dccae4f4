// POST route-trace: which way a message to a number would go, from each line, at what price, and
// why not. Judged by the same code as sending (sms/prepare-message.ts), against the configuration
// in memory and the binds as the nodes told last. Sends and charges nothing.
import { Type } from "../json-schema.ts";
import { connectorVerdicts, routeVerdicts } from "../../sms/routing.ts";
import { requireJsonObject } from "../json-body.ts";
import { languageOf } from "../language.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, exactly, inRials } from "./console-endpoint.ts";
import { readQuestion, stateFor, traceNumber } from "./trace-number.ts";
import { longestText } from "./send-request.ts";

const literals = (texts: readonly string[]) => Type.Union(texts.map((text) => Type.Literal(text)));

const way = Type.Object(
  {
    line: Type.Optional(
      Type.String({ description: "Its number; absent where the given sender is no line of the account." }),
    ),
    kind: Type.Optional(Type.String()),
    refused: Type.Optional(
      Type.Object(
        { errorCode: Type.Integer(), errorMessage: Type.String() },
        { ...exactly, description: "What a call would be answered." },
      ),
    ),
    routes: Type.Array(
      Type.Object(
        { position: Type.Integer(), operator: Type.String(), line: Type.String(), verdict: literals(routeVerdicts) },
        exactly,
      ),
      {
        description: "All routes, in their order. `used` and `off` (all connectors disabled): the first that matches.",
      },
    ),
    connectors: Type.Array(Type.Object({ name: Type.String(), verdict: literals(connectorVerdicts) }, exactly), {
      description: "Those of the route that is used. None is `used`: the message would wait.",
    }),
    connector: Type.Optional(Type.String({ description: "The one that would take the message now." })),
    language: Type.Optional(Type.String()),
    encoding: Type.Optional(Type.String()),
    parts: Type.Optional(Type.Integer()),
    price: Type.Optional(inRials("Of one part; of the given text, with an account.")),
    cost: Type.Optional(inRials("Of all parts.")),
    prices: Type.Optional(
      Type.Object(
        { fa: inRials("Persian."), en: inRials("English."), other: inRials("Other languages.") },
        { ...exactly, description: "Of one part by language, where no text is given; with an account." },
      ),
    ),
  },
  exactly,
);

const answer = Type.Object(
  {
    recipientNumber: Type.String({ description: "989…" }),
    operator: Type.String(),
    operatorBy: literals(["ported", "prefix", "unknown"]),
    prefix: Type.Optional(Type.String({ description: "The one that decided." })),
    operatorEnabled: Type.Boolean(),
    account: Type.Optional(Type.String()),
    ways: Type.Array(way, { description: "One for each line: of the account, or the given one, or of the service." }),
    furtherLines: Type.Integer({ description: "How many more lines there are than the answer tells of." }),
  },
  exactly,
);

const body = Type.Object({
  recipientNumber: Type.String({ description: "In any usual form." }),
  account: Type.Optional(
    Type.String({ description: "Its lines, tariff, block list and credit count; without it there are no prices." }),
  ),
  senderNumber: Type.Optional(Type.String({ description: "Only this line." })),
  content: Type.Optional(
    Type.String({ maxLength: longestText, description: "The text. Without it, prices are by language." }),
  ),
});

export function routeTrace(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/route-trace",
    needs: "readService",
    schema: {
      operationId: "traceRoute",
      summary: "Which way a number would go",
      description:
        "From each line: the route, the connector, the price, and what a call would be refused with. Judged as a call is. Nothing is sent.",
      tags: ["Network"],
      body,
      response: consoleResponses(answer, 400),
    },
    answer: async ({ request }) => {
      const asked = readQuestion(context.parts.directory.current, requireJsonObject(request));
      const known = await stateFor(context, asked.account);
      return traceNumber(context.parts.directory.current, asked, known, languageOf(request.headers["accept-language"]));
    },
  };
}
