// The OpenAPI 3.1 document, generated from the endpoints' schemas, and the page that shows it at
// /docs/api. The page loads nothing from other hosts.
import swagger, { type FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { readFileSync } from "node:fs";
import type { FastifyError, FastifyInstance } from "fastify";
import { ApiError } from "../texts/errors.ts";
import { isOptional } from "./json-schema.ts";
import { sharedSchemas, tokenBody } from "./schemas.ts";
import type { ExampleLogin } from "./server-parts.ts";

const description = `Hodhod sends and receives SMS over HTTP with JSON.

**Authentication.** Send your API key as \`X-Api-Key\`, or an access token from \`POST /auth/token\` as \`Authorization: Bearer …\`. The URL
endpoints take \`apiKey\`, or \`username\`, \`password\` and \`domain\`, as parameters instead.

**Answers.** Only 200 means success. Every error has \`errorCode\` and \`errorMessage\` (in Persian with \`Accept-Language: fa\`). Code 1001
lists each faulty field in \`validationErrors\`. Absent values have no key.

**Tolerant input.** Names are case-insensitive. \`null\` and \`""\` count as absent. A whole number up to
2^53 - 1 is accepted where text is expected. Persian digits count as digits. Blanks, dashes, parentheses and bidirectional marks in phone numbers are
removed.

**Repeating a send safely.** Give every send its own \`Idempotency-Key\`. If no answer arrives, repeat the call with the same key: the
messages are sent once and charged once, and you get the same answer.

**Limits.** 100 senders, 100 recipients and 100 texts per call; 1,000 parameters in query and body together; 1 MiB each for body and
query; 10 parts per text. Accounts with a rate
limit get 429 with \`Retry-After\` and \`RateLimit\` fields.`;

const wordmark = `<svg xmlns="http://www.w3.org/2000/svg" width="170" height="40" viewBox="0 0 170 40">
<text x="0" y="28" font-family="system-ui, sans-serif" font-size="24" font-weight="600" fill="#fff">Hodhod هدهد</text></svg>`;

const tags = [
  { name: "Sending", description: "One message, a message from a template, several messages." },
  { name: "Sending by URL", description: "For systems that can only call a URL." },
  { name: "Status", description: "The status of sent messages." },
  { name: "Receiving", description: "Messages from subscribers to the account's lines." },
  { name: "Opt-outs", description: "Who wants nothing from the account's lines." },
  { name: "Webhooks", description: "Being told of events, and asking for them." },
  { name: "Account", description: "Credit and access tokens." },
  { name: "Operation", description: "For supervisors and load balancers." },
];

const inQuery = (name: string, text: string) => ({ type: "apiKey", in: "query", name, description: text }) as const;

const securitySchemes = {
  apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "API key of the account." },
  accessToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "From POST /auth/token." },
  apiKeyParameter: inQuery("apiKey", "API key of the account."),
  usernameParameter: inQuery("username", "User name."),
  passwordParameter: inQuery("password", "Password."),
  domainParameter: inQuery("domain", "Domain of the account."),
} as const;

export function productVersion(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}

/** Files of the page. They are in one folder, and only plain names are looked up. */
const fileName = /^[\w-]+(?:\.[\w-]+)+$/;

/** Lets the page load only its own files. (Its script sets styles inline.) */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Register it before the endpoints. */
export async function describeApi(app: FastifyInstance, exampleLogin?: ExampleLogin): Promise<void> {
  addSharedSchemas(app);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Hodhod SMS gateway", version: productVersion(), description },
      servers: [{ url: "/", description: "This server." }],
      tags,
      components: { securitySchemes },
    },
    ...refinements(exampleLogin),
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => nameOfSchema(json, index) },
  });
  await app.register(showDocs);
}

/** What the package cannot know: which bodies may be absent, and a login that works. */
function refinements(exampleLogin: ExampleLogin | undefined): FastifyDynamicSwaggerOptions {
  const lackBody = new Set<unknown>();
  return {
    transform: ({ schema, url }) => {
      const { body, operationId } = schema as { readonly body?: unknown; readonly operationId?: string };
      if (isOptional(body)) lackBody.add(operationId);
      return exampleLogin === undefined || url !== "/auth/token"
        ? { schema, url }
        : { schema: { ...schema, body: { ...tokenBody, examples: [exampleLogin] } }, url };
    },
    transformObject: (document) => {
      if (!("openapiObject" in document)) return document.swaggerObject;
      const { openapiObject } = document;
      for (const path of Object.values(openapiObject.paths ?? {}))
        for (const operation of [path?.post, path?.put, path?.patch])
          if (lackBody.has(operation?.operationId)) Object.assign(operation?.requestBody ?? {}, { required: false });
      return openapiObject;
    },
  };
}

/** The page is separate from the endpoints. Errors of its package are answered like all others. */
async function showDocs(app: FastifyInstance): Promise<void> {
  app.addHook("onRequest", (request, _reply, done) => {
    const { "*": file } = request.params as { readonly "*"?: string };
    done(file === undefined || fileName.test(file) ? undefined : new ApiError("notFound"));
  });
  app.setErrorHandler((error: FastifyError) => {
    const status = error.statusCode ?? 500;
    // For example a range beyond the end of a file.
    throw status >= 400 && status < 500 && !(error instanceof ApiError) ? new ApiError("malformedRequest") : error;
  });
  await app.register(swaggerUi, {
    routePrefix: "/docs/api",
    staticCSP: docsPolicy,
    uiConfig: { deepLinking: true, docExpansion: "list", persistAuthorization: false, validatorUrl: null },
    theme: { title: "Hodhod API" },
    logo: { type: "image/svg+xml", content: Buffer.from(wordmark) },
  });
}

/** Schemas that endpoints refer to. */
export function addSharedSchemas(app: FastifyInstance): void {
  for (const [name, schema] of Object.entries(sharedSchemas)) app.addSchema({ $id: name, ...schema });
}

export function nameOfSchema(json: { $id?: unknown }, index: number): string {
  return typeof json.$id === "string" ? json.$id : `schema${index}`;
}
