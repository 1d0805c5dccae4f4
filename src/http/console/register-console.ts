// Serves /console/api: each endpoint behind its guard, and the OpenAPI document of them all. To be
// registered in a scope of its own.
import swagger from "@fastify/swagger";
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type Operation, operations } from "../../credentials/abilities.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { listLastChanges } from "../../store/audit.ts";
import { DatabaseUnavailable, codeOf } from "../../store/database-errors.ts";
import type { ApiContext } from "../api-context.ts";
import { jsonType, unknownIfInDoubt } from "../error-response.ts";
import { nameOfSchema, productVersion } from "../openapi.ts";
import { sharedSchemas } from "../schemas.ts";
import { ConsoleContext } from "./console-context.ts";
import { consoleJson, type PlacedEndpoint, schemaOfEndpoint } from "./console-endpoint.ts";
import { allEndpoints } from "./endpoints.ts";
import { expectCondition, StaleVersion, ConsoleCall } from "./console-call.ts";

const prefix = "/console/api";

const description = `What the console at \`/console\` does, any program can do with this API.

**Signing in.** \`POST /console/api/session\` sets the cookie \`hodhod_session\` (under https \`__Host-hodhod_session\`); send it with every other call.

**Changes.** Methods other than GET need the header \`X-Hodhod-Console: 1\` and \`Content-Type: application/json\`, and an Origin, if there is one,
must be that of the service; else 403.

**Answers.** Errors have the same body and languages as those of the clients' API. 403 with 1005: the role does not allow it. 404: it is not there, or
belongs to another account. Absent values have no key. Times are ISO 8601, amounts are whole rials.

**Changes of the configuration.** \`PUT\` takes an object whole and \`DELETE\` removes it. Both want \`If-Match\` with the ETag of \`GET\`, or, for a new
one, \`If-None-Match: *\`: else 428, and 412 where it has changed meanwhile. Faults are 1001 with the words of \`hodhod apply\`, and nothing is stored.

**Lists.** \`?after=&count=\` → \`{items, nextCursor?}\`. A page may be short, or empty, and have a next one: a call reads a bounded number of rows.`;

export async function registerConsole(app: FastifyInstance, context: ApiContext): Promise<void> {
  const consoleContext = new ConsoleContext(context);
  app.decorateRequest("consoleSession", undefined);
  app.addSchema({ $id: "Error", ...sharedSchemas.Error });
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Hodhod console", version: productVersion(), description },
      servers: [{ url: "/", description: "This server." }],
      components: { securitySchemes: { session: { type: "apiKey", in: "cookie", name: "hodhod_session" } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => nameOfSchema(json, index) },
  });
  const endpoints = allEndpoints(consoleContext);
  for (const endpoint of endpoints) register(app, consoleContext, endpoint);
  const document = { method: "GET", path: `${prefix}/openapi.json` } as const;
  let text: string | undefined;
  app.route({
    method: document.method,
    url: document.path,
    schema: { hide: true },
    handler: (_request, reply) => reply.type(jsonType).send((text ??= JSON.stringify(app.swagger()))),
  });
  app.knownPaths.add([document, ...endpoints.map(({ method, path }) => ({ method, path: prefix + path }))]);
}

function register(app: FastifyInstance, context: ConsoleContext, endpoint: PlacedEndpoint): void {
  const { method, path, needs } = endpoint;
  const whoMay = needs === "session" || needs === "nobody" ? [] : [describeNeeds([needs].flat())];
  app.route({
    // Before the body is read: who may not call does not get to send one.
    onRequest: (request, _reply, done) => {
      context.admit(request, endpoint).then(() => done(), done);
    },
    method,
    url: prefix + path,
    schema: schemaOfEndpoint(endpoint, whoMay),
    exposeHeadRoute: false,
    handler: (request, reply) => answer(endpoint, new ConsoleCall(context, request, reply)),
  });
}

function describeNeeds(needs: readonly Operation[]): string {
  const all = needs.flatMap((operation) => {
    const { staff, user, permission } = operations[operation];
    const ofUser = permission === undefined ? user : user && `${user} (permission ${permission})`;
    return [staff, ofUser].filter((ability) => ability !== undefined);
  });
  return `Needs one of the abilities: ${[...new Set(all)].join(", ")}.`;
}

async function answer(endpoint: PlacedEndpoint, call: ConsoleCall): Promise<string | Readable> {
  try {
    expectCondition(call.request.headers, endpoint.condition);
    const body = await endpoint.handle(call);
    if (body instanceof Readable) return body;
    call.reply.header("content-type", jsonType);
    return consoleJson(body);
  } catch (error) {
    if (error instanceof StaleVersion) throw await withLastChange(call, error);
    if (isOverTime(error)) throw ApiError.unavailable(retrySeconds, findingCatalogue["console.tooSlow"]);
    throw endpoint.method === "GET" ? error : unknownIfInDoubt(error);
  }
}

/** Of a change by staff, a customer sees only that the service has made it. */
async function withLastChange(call: ConsoleCall, { traces }: StaleVersion): Promise<ApiError> {
  const { account } = call.session;
  const [last] = await listLastChanges(call.reads, traces);
  const isShown = account === undefined || last?.who.startsWith(`user:${account.name}/`) === true;
  const lastChange = last && { ...(isShown && { who: last.who }), at: last.at, action: last.action };
  return new ApiError("preconditionFailed", { lastChange });
}

const retrySeconds = 2;
const queryCanceled = "57014";

/** The database has ended a statement that took longer than it may. */
function isOverTime(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && codeOf(error.cause) === queryCanceled;
}
