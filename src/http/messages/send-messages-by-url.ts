// GET and POST api/v1/messages/send/url and …/url/credentials (API spec 4.3–4.6): several messages
// by repeated parameters in the query, in a form or in JSON. Credentials come as parameters and
// must never reach a log.
import type { FastifyRequest } from "fastify";
import type { Operation } from "../../credentials/abilities.ts";
import { input, orAbsent, plainText, type TSchema } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { identifyByCredentials, identifyByKeyParameter, type Identity } from "../authenticate.ts";
import { authorize } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { idempotencyHeader, multiResponses, type Endpoint } from "../endpoint.ts";
import type { GivenParameters } from "../read-parameters.ts";
import { urlLists, urlSendExample } from "../schemas.ts";
import { readUrlParameters } from "../url-parameters.ts";
import { acceptMulti } from "./accept-send.ts";
import { readMultiSend, singularNames } from "./multi-send.ts";

interface UrlMethod {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly needs: Operation;
  readonly credentials: Readonly<Record<string, TSchema>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly identify: (context: ApiContext, request: FastifyRequest, parameters: GivenParameters) => Promise<Identity>;
}

const byKey: UrlMethod = {
  path: "/api/v1/messages/send/url",
  operation: "ByUrl",
  summary: "Send several messages by URL, with an API key",
  needs: "sendByUrl",
  credentials: { apiKey: plainText("The API key.") },
  security: [{ apiKeyParameter: [] }],
  identify: identifyByKeyParameter,
};

const byCredentials: UrlMethod = {
  path: "/api/v1/messages/send/url/credentials",
  operation: "ByUrlWithCredentials",
  summary: "Send several messages by URL, with username, password and domain",
  needs: "sendByCredentials",
  credentials: {
    username: plainText("User name."),
    password: plainText("Password."),
    domain: plainText("Domain of the account."),
  },
  security: [{ usernameParameter: [], passwordParameter: [], domainParameter: [] }],
  identify: identifyByCredentials,
};

const description =
  "Repeat `senderNumber`, `recipientNumber` and `content` once per value (`a=1&a=2`, `a[]=1&a[]=2` and `a[0]=1&a[1]=2` are " +
  "equivalent; the two number lists also accept `a=1,2`). Every list has one value or as many as the longest one. At most 1,000 parameters in query " +
  "and body together. ";

export function sendMessagesByUrl(context: ApiContext): Endpoint[] {
  return [byKey, byCredentials].flatMap((method) => [
    urlEndpoint(context, method, "GET"),
    urlEndpoint(context, method, "POST"),
  ]);
}

function urlEndpoint(context: ApiContext, method: UrlMethod, httpMethod: "GET" | "POST"): Endpoint {
  const { credentials } = method;
  // Those of a POST may be in its query instead.
  const optionalCredentials = Object.fromEntries(
    Object.entries(credentials).map(([name, schema]) => [name, orAbsent(schema)]),
  );
  const inBody = "The parameters may be in the query, in a form or JSON body, or in both.";
  return {
    method: httpMethod,
    path: method.path,
    schema: {
      operationId: (httpMethod === "GET" ? "sendMessages" : "postMessages") + method.operation,
      summary: method.summary,
      description: description + (httpMethod === "POST" ? inBody : ""),
      tags: ["Sending by URL"],
      security: method.security,
      headers: idempotencyHeader,
      ...(httpMethod === "GET"
        ? { querystring: input({ ...credentials, ...urlLists }) }
        : {
            body: orAbsent(input({ ...optionalCredentials, ...urlLists }, { examples: [urlSendExample] })),
            consumes: ["application/x-www-form-urlencoded", "application/json", "multipart/form-data"],
          }),
      response: multiResponses(),
    },
    answer: async (request, reply) => {
      const { parameters: given, finding } = readUrlParameters(request);
      const identity = await method.identify(context, request, given);
      authorize(context, reply, identity, method.needs);
      if (finding !== undefined) throw ApiError.invalidParameters([finding]);
      const send = readMultiSend(given, singularNames, Date.now());
      const endpoint = method.path.slice(1);
      return acceptMulti({ context, request, reply, identity }, send, {
        endpoint,
        keyParameter: given.text("idempotencyKey"),
      });
    },
  };
}
