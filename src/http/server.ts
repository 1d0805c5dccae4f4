// Builds the HTTP server from the service's parts. Only src/http knows Fastify, JSON shapes,
// headers and HTTP statuses. Every limit on what a caller may use is here or next to the code that
// holds it.
import { createServer, type Server } from "node:http";
import {
  fastify,
  type FastifyContentTypeParser,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { ApiError } from "../texts/errors.ts";
import { answerBrokenRequest, answerError, jsonType } from "./error-response.ts";
import { registerConsole } from "./console/register-console.ts";
import { requestAddress } from "./client-address.ts";
import { checkHead, octetsToCount, readBody, targetForRouting } from "./request-input.ts";
import { builtConsole, serveConsole } from "./console/console-pages.ts";
import { ApiContext } from "./api-context.ts";
import { type Endpoint, type ErrorStatus, headerSecurity, type OperationEndpoint, openApiOf } from "./endpoint.ts";
import { identifyByHeaders } from "./authenticate.ts";
import { health, root, metrics } from "./operation.ts";
import { ConnectionLimits } from "./limits/connection-limits.ts";
import {
  BodyBudget,
  limitsOf,
  maximumHeaderFields,
  maximumHeaderOctets,
  type RequestLimits,
} from "./limits/request-limits.ts";
import { listEvents } from "./webhooks/list-events.ts";
import { serveDocs } from "./docs-site.ts";
import { addSharedSchemas, describeApi } from "./openapi.ts";
import { pathOptions, takeAllMethods } from "./other-methods.ts";
import type { OperationParts, ServerConfig, ServerParts } from "./server-parts.ts";
import { sentMessageEndpoints, receivedEndpointsOfClients } from "./messages/read-endpoints.ts";
import { ApiCall } from "./call.ts";
import { optOutsOfClients } from "./opt-outs.ts";
import { sendEndpoints } from "./messages/send-endpoints.ts";
import { webhooksOfClients } from "./webhooks/client-endpoints.ts";
import { ownAccountEndpoints } from "./account.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Gives back what its body holds of the budget; called when it is answered. */
    releaseBody: (() => void) | undefined;
  }
}

type SchemaCompilers = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;

/**
 * A caller that takes longer for its headers or its whole request occupies a place that others
 * need.
 */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
/**
 * A connection on which nothing is read or written for so long is closed: an idle one, and that of
 * who reads no answer. Longer than the minute for which proxies keep idle connections, so that the
 * proxies close them.
 */
const silenceTimeoutMs = 90_000;
const timeoutCheckMs = 2_000;
/**
 * How long requests in progress may continue when the server closes: this share of the shutdown
 * time, because links have to drain afterwards.
 */
const closingShare = 0.25;
const closeIdleEveryMs = 100;

/** The server of a node that accepts calls. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const context = new ApiContext(parts);
  const app = openServer(parts);
  void app.register(async (scope) => {
    await describeApi(scope, parts.exampleLogin);
    scope.route(root({ docs: true, console: parts.config.console }));
    serveDocs(scope, parts.config.trustProxy);
    for (const endpoint of callEndpoints) registerCall(scope, endpoint, context);
    scope.knownPaths.add([...callEndpoints, { method: "GET", path: "/docs/api" }]);
    addOperation(scope, parts);
    if (parts.config.console) serveConsole(scope, parts.consoleFolder ?? builtConsole);
  });
  if (parts.config.console) void app.register((scope) => registerConsole(scope, context));
  return app;
}

/** The server of a node that only dispatches: health and metrics. */
export function buildOperationServer(parts: OperationParts): FastifyInstance {
  const app = openServer(parts);
  void app.register(async (scope) => {
    addSharedSchemas(scope);
    scope.route(root({ docs: false, console: false }));
    addOperation(scope, parts);
  });
  return app;
}

/** What every server has before its endpoints. */
function openServer(parts: OperationParts): FastifyInstance {
  const { config, telemetry } = parts;
  const limits = { ...limitsOf(config.workers, config.maximumBodyBytes), ...parts.limits };
  const bodies = new BodyBudget(limits);
  const shed = (reason: ShedReason): void => telemetry.emit("http.shed", { reason });
  const connections = new ConnectionLimits({
    limits,
    onShed: shed,
    onHeld: (held) => telemetry.emit("http.held", { ...held, bodyOctets: bodies.held }),
  });
  const app = fastify({
    // Request lines would contain the URL endpoints' secrets; telemetry logs what matters.
    logger: false,
    bodyLimit: config.maximumBodyBytes,
    serverFactory: (handle) => openHttp(limits, (server) => connections.watch(server, handle)),
    exposeHeadRoutes: false, // HEAD on a URL endpoint would send.
    return503OnClosing: false,
    rewriteUrl: targetForRouting,
    routerOptions: { ...pathOptions, querystringParser: leaveQueryUnread },
    schemaController: { compilersFactory: describingOnly },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, (then) => connections.endAfterAnswers(socket, then)),
    // A target that cannot be decoded is refused before any hook runs.
    frameworkErrors: (error, request, reply) => {
      void reply.headers(commonHeaders);
      answerError(telemetry, error, request, reply);
    },
  });
  takeAllMethods(app);
  app.decorateRequest("identity", undefined);
  app.decorateRequest("releaseBody", undefined);
  readBodies(app, config, (address, octets) => {
    const release = bodies.claim(address, octets);
    if (release === undefined) shed("bodies");
    return release;
  });
  setGuards(app, telemetry);
  leavePromptly(app, connections, config.shutdownSeconds * 1000 * closingShare);
  setErrorAnswers(app, telemetry);
  return app;
}

function openHttp(limits: RequestLimits, watch: (server: Server) => void): Server {
  const server = createServer({
    maxHeaderSize: maximumHeaderOctets,
    connectionsCheckingInterval: timeoutCheckMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Another time for idle connections would be two more timers for each call.
    keepAliveTimeout: 0,
    // Node.js would answer a bare 400. setGuards answers in the usual form.
    requireHostHeader: false,
  });
  server.timeout = silenceTimeoutMs;
  server.maxConnections = limits.connections;
  // Node.js silently drops fields beyond its own limit.
  server.maxHeadersCount = maximumHeaderFields + 1;
  watch(server);
  return server;
}

/** Health and metrics. */
function addOperation(app: FastifyInstance, parts: OperationParts): void {
  const endpoints = health(parts);
  for (const endpoint of endpoints) registerOperation(app, endpoint);
  app.route(metrics(parts));
  app.knownPaths.add([
    ...endpoints.map(({ method, path }) => ({ method, path, answersHead: true })),
    { method: "GET", path: "/metrics" },
    { method: "GET", path: "/", answersHead: true },
  ]);
}

const callEndpoints: readonly Endpoint[] = [
  ...sendEndpoints,
  ...sentMessageEndpoints,
  ...receivedEndpointsOfClients,
  ...optOutsOfClients,
  listEvents,
  ...webhooksOfClients,
  ...ownAccountEndpoints,
];

const errorsOfCalls: readonly ErrorStatus[] = [401, 403, 413, 415, 429, 500, 503];

/**
 * The framework neither checks nor writes by the schemas: requests are read by the endpoints, and answers are text.
 * Without these, the framework loads its compilers of schemas at each start. Its type asks for
 * those of Ajv, of which it uses no more than this.
 */
const describingOnly = {
  buildValidator: () => () => undefined,
  buildSerializer: () => () => JSON.stringify,
} as unknown as SchemaCompilers;

const noQuery = Object.freeze({});

// Endpoints read the raw query themselves: parsing would lose repeated forms and invalid UTF-8.
function leaveQueryUnread(): Record<string, unknown> {
  return noQuery;
}

type ClaimBody = (address: string, octets: number) => (() => void) | undefined;

/** Passes bodies to the endpoints as octets, whatever their Content-Type. A large one counts until it is answered. */
function readBodies(app: FastifyInstance, { maximumBodyBytes, trustProxy }: ServerConfig, claim: ClaimBody): void {
  app.removeAllContentTypeParsers();
  const read: FastifyContentTypeParser = (request, _payload, done) => {
    const octets = octetsToCount(request.raw, maximumBodyBytes);
    if (octets > 0) request.releaseBody = claim(requestAddress(request.raw, trustProxy), octets);
    if (octets > 0 && request.releaseBody === undefined) done(ApiError.unavailable(1));
    else readBody(request.raw, maximumBodyBytes, done);
  };
  app.addContentTypeParser("*", read);
  // Registered explicitly, because the framework parses the type again for each body that only "*"
  // matches (1 µs).
  app.addContentTypeParser("application/json", read);
}

const commonHeaders = { "x-content-type-options": "nosniff", "cache-control": "no-store" };

type ShedReason = "requests" | "heads" | "bodies";

function setGuards(app: FastifyInstance, telemetry: OperationParts["telemetry"]): void {
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
    done();
  });
  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(commonHeaders);
    const begunAt = performance.now();
    reply.raw.on("close", () => {
      request.releaseBody?.();
      if (!reply.raw.writableFinished) return;
      const route = request.is404 ? app.knownPaths.pathOf(request.raw.url ?? "") : request.routeOptions.url;
      const durationMs = performance.now() - begunAt;
      const { method } = request;
      telemetry.emit("http.answered", { method, route: route ?? "unknown", status: reply.statusCode, durationMs });
    });
    done(closing ? ApiError.unavailable(1) : checkHead(request.raw));
  });
}

/**
 * When the server closes, connections end with the answer to their last call. Those that never
 * finish a call have `graceMs`.
 */
function leavePromptly(app: FastifyInstance, connections: ConnectionLimits, graceMs: number): void {
  app.addHook("preClose", (done) => {
    connections.closeAfterAnswers();
    // Node.js closes connections that are idle when the server closes, but not those that become
    // idle later.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), closeIdleEveryMs).unref();
    const closeAll = setTimeout(() => app.server.closeAllConnections(), graceMs).unref();
    app.server.once("close", () => {
      clearInterval(closeIdle);
      clearTimeout(closeAll);
    });
    done();
  });
}

function setErrorAnswers(app: FastifyInstance, telemetry: OperationParts["telemetry"]): void {
  app.setErrorHandler((error, request, reply) => answerError(telemetry, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const refusal = app.knownPaths.refusalOf(request.method, request.raw.url ?? "");
    answerError(telemetry, refusal, request, reply);
  });
}

function registerCall(app: FastifyInstance, endpoint: Endpoint, context: ApiContext): void {
  const { needs, security = needs && headerSecurity, consumes } = endpoint;
  const schema = openApiOf({ ...endpoint, ...(security && { security }) }, errorsOfCalls);
  app.route({
    // Before the body is read, so that an unauthorized caller cannot send one.
    ...(security === headerSecurity && {
      onRequest: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
        const found = identifyByHeaders(context, request);
        if (found instanceof Promise)
          found.then((identity) => {
            request.identity = identity;
            done();
          }, done);
        else {
          request.identity = found;
          done();
        }
      },
    }),
    method: endpoint.method,
    url: endpoint.path,
    schema: { ...schema, ...(consumes && { consumes }) },
    exposeHeadRoute: false,
    handler: (request, reply) => {
      reply.header("content-type", jsonType);
      const call = new ApiCall(context, request, reply);
      if (needs !== undefined) call.authorize(needs);
      return endpoint.handle(call);
    },
  });
}

function registerOperation(app: FastifyInstance, endpoint: OperationEndpoint): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    schema: openApiOf(endpoint, []),
    exposeHeadRoute: true,
    handler: (_request, reply) => {
      reply.header("content-type", jsonType);
      return endpoint.handle();
    },
  });
}
