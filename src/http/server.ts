// Builds the HTTP server from the service's parts. Only src/http knows Fastify, JSON shapes,
// headers and HTTP statuses. Every limit on what a caller may use is here or next to the code that
// holds it.
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import {
  fastify,
  type FastifyContentTypeParser,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import { getBalance } from "./account/get-balance.ts";
import { issueToken } from "./auth/issue-token.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import { registerConsole } from "./console/register-console.ts";
import { softenContentType } from "./content-type.ts";
import { builtConsole } from "./console/console-files.ts";
import { serveConsole } from "./console/console-pages.ts";
import { ApiContext } from "./api-context.ts";
import { headerSecurity, type Endpoint } from "./endpoint.ts";
import { answerError, jsonType } from "./error-response.ts";
import { identifyByHeaders, type Identity } from "./authenticate.ts";
import { health } from "./health.ts";
import { namesHostWrongly } from "./host-header.ts";
import { CallMemory } from "./limits/call-memory.ts";
import { ConnectionGuard } from "./limits/connection-guard.ts";
import { RequestBudgets, limitsOfWorker, maximumHeaderOctets, maximumQueryOctets } from "./limits/request-limits.ts";
import { throwAwayRest } from "./limits/unread-rest.ts";
import { cancelScheduled } from "./messages/cancel-scheduled.ts";
import { withMaximaOfInputs } from "./json-schema.ts";
import { getMessageStatus } from "./messages/get-message-status.ts";
import { listReceived } from "./messages/list-received.ts";
import { previewMessages } from "./messages/preview.ts";
import { sendBulk } from "./messages/send-bulk.ts";
import { sendMessage } from "./messages/send-message.ts";
import { sendMessagesByUrl } from "./messages/send-messages-by-url.ts";
import { sendTemplateMessage } from "./messages/send-template-message.ts";
import { changeEndpoints } from "./webhooks/change-endpoints.ts";
import { listEvents } from "./webhooks/list-events.ts";
import { replayEndpointEvents } from "./webhooks/replay-events.ts";
import { showEndpoints } from "./webhooks/show-endpoints.ts";
import { testEndpoint } from "./webhooks/test-endpoint.ts";
import { metrics } from "./metrics.ts";
import { deleteOptOut, putOptOut } from "./opt-outs/change-opt-outs.ts";
import { listOptOutsEndpoint } from "./opt-outs/list-opt-outs.ts";
import { addSharedSchemas, describeApi, documentPaths } from "./openapi.ts";
import { pathOptions, takeAllMethods } from "./other-methods.ts";
import { rawQueryOf, targetForRouting } from "./query-string.ts";
import { dropLongRange } from "./range-header.ts";
import { readRawQueries } from "./raw-query.ts";
import { BodyReader } from "./request-body.ts";
import { root } from "./root.ts";
import type { OperationParts, ServerParts } from "./server-parts.ts";
import { gatherQuery } from "./url-parameters.ts";

type SchemaCompilers = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;

declare module "fastify" {
  interface FastifyRequest {
    /** The caller, once it is known. */
    identity: Identity | undefined;
  }
}

/**
 * A caller that takes longer for its headers or its whole request occupies a place that others
 * need.
 */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
/**
 * Longer than the minute for which proxies keep idle connections, so that the proxies close them.
 */
const keepAliveTimeoutMs = 65_000;
const timeoutCheckMs = 2_000;
/**
 * More get 413. Node.js silently drops fields beyond its own limit, so that limit is one higher.
 */
const maximumHeaderFields = 100;
const unauthenticatedStatus = 401;
/**
 * How long requests in progress may continue when the server closes: this share of the shutdown
 * time, because links have to drain afterwards.
 */
const closingShare = 0.25;
const closeIdleEveryMs = 100;

/** The server of a node that accepts calls. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const context = new ApiContext(parts);
  const { app, guard } = openServer(parts, (request) => findAccount(context, request));
  void app.register(async (scope) => {
    await describeApi(scope, parts.exampleLogin);
    scope.route(root({ docs: true }));
    addEndpoints(scope, parts, {
      endpoints: [...endpointsOfCalls(context), ...health(parts)],
      calls: { context, guard },
    });
    if (parts.config.console) serveConsole(scope, parts.consoleFolder ?? builtConsole);
  });
  if (parts.config.console) void app.register((scope) => registerConsole(scope, context, guard));
  return app;
}

/** The server of a node that only dispatches: health and metrics. */
export function buildOperationServer(parts: OperationParts): FastifyInstance {
  const { app } = openServer(parts, () => undefined);
  void app.register(async (scope) => {
    addSharedSchemas(scope);
    scope.route(root({ docs: false }));
    addEndpoints(scope, parts, { endpoints: health(parts) });
  });
  return app;
}

/** What every server has before its endpoints. */
function openServer(
  parts: OperationParts,
  findAccount: (request: FastifyRequest) => number | undefined,
): { app: FastifyInstance; guard: ConnectionGuard } {
  const { workers, maximumBodyBytes } = parts.config;
  const budgets = new RequestBudgets(
    { ...limitsOfWorker(workers, maximumBodyBytes), ...parts.limits },
    parts.telemetry,
  );
  const guard = new ConnectionGuard({ budgets, trustedProxies: parts.config.trustProxy });
  const app = fastify({
    // Request lines would contain the URL endpoints' secrets; telemetry logs what matters.
    logger: false,
    bodyLimit: parts.config.maximumBodyBytes,
    serverFactory: (handle) => openHttp(guard, handle),
    exposeHeadRoutes: false, // HEAD on a URL endpoint would send.
    return503OnClosing: false,
    rewriteUrl: ({ url }) => targetForRouting(url ?? ""),
    routerOptions: { ...pathOptions, querystringParser: leaveQueryUnread },
    schemaController: { compilersFactory: describingOnly },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, (then) => guard.afterAnswers(socket, then)),
    // A target that cannot be decoded is refused before any hook runs.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(reply);
      answerError(parts.telemetry, error, request, reply);
    },
  });
  takeAllMethods(app);
  const memory = new CallMemory({ guard, trustedProxies: parts.config.trustProxy, findAccount });
  app.decorateRequest("identity", undefined);
  readBodiesOurselves(app, { bodies: new BodyReader(parts.config.maximumBodyBytes), guard, memory });
  setGuards(app, { guard, memory, telemetry: parts.telemetry });
  leavePromptly(app, parts.config.shutdownSeconds * 1000 * closingShare);
  setErrorAnswers(app, { guard, telemetry: parts.telemetry });
  return { app, guard };
}

function openHttp(guard: ConnectionGuard, handle: RequestListener): Server {
  const server = createServer({
    maxHeaderSize: maximumHeaderOctets,
    connectionsCheckingInterval: timeoutCheckMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Node.js would answer a bare 400. setGuards answers in the usual form.
    requireHostHeader: false,
  });
  server.maxHeadersCount = maximumHeaderFields + 1;
  readRawQueries(server, maximumHeaderOctets);
  guard.watch(server, handle);
  return server;
}

/** The account whose key is in the head: in a header, or in the query of a URL endpoint. */
function findAccount({ parts }: ApiContext, request: FastifyRequest): number | undefined {
  if (request.identity !== undefined) return request.identity.account.id;
  const key = gatherQuery(request).text("apiKey");
  return key === undefined ? undefined : parts.authenticator.byApiKey(key)?.account.id;
}

interface Endpoints {
  readonly endpoints: readonly Endpoint[];
  /** For a node that accepts calls. */
  readonly calls?: CallParts;
}

interface CallParts {
  readonly context: ApiContext;
  readonly guard: ConnectionGuard;
}

function addEndpoints(app: FastifyInstance, parts: OperationParts, { endpoints, calls }: Endpoints): void {
  for (const endpoint of endpoints) register(app, endpoint, calls);
  app.route(metrics(parts));
  app.knownPaths.add([
    ...endpoints,
    { method: "GET", path: "/metrics" },
    { method: "GET", path: "/", answersHead: true },
    ...(calls === undefined ? [] : documentPaths.map((path) => ({ method: "GET", path }) as const)),
  ]);
}

function endpointsOfCalls(context: ApiContext): Endpoint[] {
  return [
    sendMessage(context),
    sendTemplateMessage(context),
    sendBulk(context),
    previewMessages(context),
    cancelScheduled(context),
    ...sendMessagesByUrl(context),
    ...getMessageStatus(context),
    ...listReceived(context),
    listOptOutsEndpoint(context),
    putOptOut(context),
    deleteOptOut(context),
    listEvents(context),
    ...showEndpoints(context),
    ...changeEndpoints(context),
    testEndpoint(context),
    replayEndpointEvents(context),
    getBalance(context),
    issueToken(context),
  ];
}

/**
 * The schemas only describe: requests are read by hand (read-parameters.ts), and answers are text.
 * Without these, the framework loads its compilers of schemas at each start. Its type asks for
 * those of Ajv, of which it uses no more than this.
 */
const describingOnly = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
} as unknown as SchemaCompilers;

const noQuery = Object.freeze({});

// Endpoints read the raw query themselves: parsing would lose repeated forms and invalid UTF-8.
function leaveQueryUnread(): Record<string, unknown> {
  return noQuery;
}

interface BodyParts {
  readonly bodies: BodyReader;
  readonly guard: ConnectionGuard;
  readonly memory: CallMemory;
}

/** Passes bodies to the endpoints as octets, whatever their Content-Type. */
function readBodiesOurselves(app: FastifyInstance, { bodies, guard, memory }: BodyParts): void {
  app.removeAllContentTypeParsers();
  const read: FastifyContentTypeParser = (request, _payload, done) => {
    bodies.read(request.raw, {
      want: () => guard.letContinue(request.raw),
      claim: (lose) => memory.claimBody(request, lose),
      done,
    });
  };
  app.addContentTypeParser("*", read);
  // Registered explicitly, because the framework parses the type again for each body that only "*"
  // matches (1 µs).
  app.addContentTypeParser("application/json", read);
}

function setCommonHeaders(reply: FastifyReply): void {
  void reply.header("x-content-type-options", "nosniff").header("cache-control", "no-store");
}

interface GuardParts {
  readonly guard: ConnectionGuard;
  readonly memory: CallMemory;
  readonly telemetry: OperationParts["telemetry"];
}

function setGuards(app: FastifyInstance, { guard, memory, telemetry }: GuardParts): void {
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
    done();
  });
  app.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(reply);
    softenContentType(request.raw);
    dropLongRange(request.raw);
    dropBodyOfGet(request.raw);
    const begunAt = performance.now();
    reply.raw.on("close", () => {
      if (!reply.raw.writableFinished) return;
      const route = request.is404 ? app.knownPaths.pathOf(request.raw.url ?? "") : request.routeOptions.url;
      const durationMs = performance.now() - begunAt;
      const { method } = request;
      telemetry.emit("http.answered", { method, route: route ?? "unknown", status: reply.statusCode, durationMs });
    });
    if (closing || guard.callOf(request.raw)?.isRefused === true) done(ApiError.unavailable(1));
    else if (namesHostWrongly(request.raw)) done(new ApiError("malformedRequest"));
    else if (hasTooManyFields(request.raw)) done(new ApiError("tooLarge", { text: findingCatalogue["head.tooLarge"] }));
    else if (isQueryTooLong(request.raw)) done(new ApiError("tooLarge"));
    else done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    memory.countAnswer(request, payload);
    const call = guard.callOf(request.raw);
    if (call !== undefined) throwAwayRest(call, reply, guard.budgets.limits.lingerMs);
    done();
  });
}

/**
 * When the server closes, connections end with the answer to their last call. Those that never
 * finish a call have `graceMs`.
 */
function leavePromptly(app: FastifyInstance, graceMs: number): void {
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
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
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing) reply.header("connection", "close");
    done();
  });
}

/** Nobody reads it. Unread, it would stay in memory until the answer. */
function dropBodyOfGet(request: IncomingMessage): void {
  const { method, headers } = request;
  if (method !== "GET" && method !== "HEAD") return;
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) request.resume();
}

function hasTooManyFields({ rawHeaders }: IncomingMessage): boolean {
  // Names and values alternate.
  return rawHeaders.length > maximumHeaderFields * 2;
}

function isQueryTooLong({ url = "" }: IncomingMessage): boolean {
  return url.length > maximumQueryOctets && rawQueryOf(url).length > maximumQueryOctets;
}

function setErrorAnswers(app: FastifyInstance, { guard, telemetry }: Pick<GuardParts, "guard" | "telemetry">): void {
  app.setErrorHandler((error, request, reply) => {
    answerError(telemetry, error, request, reply);
    if (reply.statusCode === unauthenticatedStatus) guard.distrust(request.raw);
  });
  app.setNotFoundHandler((request, reply) => {
    const refusal = app.knownPaths.refusalOf(request.method, request.raw.url ?? "");
    answerError(telemetry, refusal, request, reply);
  });
}

function register(app: FastifyInstance, endpoint: Endpoint, calls: CallParts | undefined): void {
  const { method, path } = endpoint;
  const schema = withMaximaOfInputs(endpoint.schema);
  const isIdentifiedByHeaders = calls !== undefined && schema.security === headerSecurity;
  app.route({
    // Before the body is read, so that an unauthorized caller cannot send one.
    ...(isIdentifiedByHeaders && {
      onRequest: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
        identifyByHeaders(calls.context, request).then(() => {
          calls.guard.trust(request.raw);
          done();
        }, done);
      },
    }),
    method,
    url: path,
    schema,
    exposeHeadRoute: endpoint.answersHead === true,
    handler: (request, reply) => {
      reply.header("content-type", jsonType);
      return endpoint.answer(request, reply);
    },
  });
}
