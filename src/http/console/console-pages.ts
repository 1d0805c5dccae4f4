// The console's own files at /console: one page for every address below it, and its assets. What
// the page may load is only what lies here. Addresses below /console/api are the API's.
import path from "node:path";
import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApiError } from "../../texts/errors.ts";
import { type ContentEncoding, acceptedEncoding } from "../accept-headers.ts";

const nonceMark = "CSP_NONCE";
/**
 * The page asks who is signed in only where somebody may be: a browser logs each refusal as an
 * error.
 */
const cookieMark = "SESSION_COOKIE";
const sessionCookie = /(?:^|;\s*)(?:__Host-)?hodhod_session=./;
const forEver = "public, max-age=31536000, immutable";
const methods = ["GET", "HEAD"];

/** Without `unsafe-*`: libraries' style tags carry the nonce. */
function policyFor(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** To be registered beside the API; `folder` holds what bin/build.js built. */
export function serveConsole(app: FastifyInstance, folder: string): void {
  const files = readConsoleFiles(folder);
  const page = files === undefined ? answerUnbuilt : answerPage(files);
  app.route(route("/console", page));
  const restOf = (request: FastifyRequest): string => (request.params as { readonly "*"?: string })["*"] ?? "";
  const assetOf = (rest: string): Asset | undefined => files?.assets.get(rest);
  app.route(
    route("/console/*", (request, reply) => {
      // Also calls of the API come here, by methods that their path does not support.
      if (!isPagePath(restOf(request))) throw app.knownPaths.refusalOf(request.method, request.raw.url ?? "");
      return page(request, reply);
    }),
  );
  app.route(
    route("/console/assets/*", (request, reply) => {
      const asset = assetOf(restOf(request));
      if (asset === undefined) throw new ApiError("notFound");
      return answerAsset(request, reply, asset);
    }),
  );
  const readOnly = { method: "GET", answersHead: true } as const;
  app.knownPaths.add([
    { ...readOnly, path: "/console" },
    { ...readOnly, path: "/console/*", isThere: isPagePath },
    { ...readOnly, path: "/console/assets/*", isThere: (rest) => assetOf(rest) !== undefined },
  ]);
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function route(url: string, handler: Handler): RouteOptions {
  return { method: methods, url, schema: { hide: true }, handler };
}

/**
 * The path below /console/, decoded. The API and the assets answer for themselves, and nothing that
 * looks like a file or a way out is a page.
 */
function isPagePath(rest: string): boolean {
  if (/[\u0000-\u001f\u007f\\]/.test(rest)) return false;
  const segments = rest.split("/");
  const [first = ""] = segments;
  return !/^(api|assets)$/i.test(first) && !segments.some((segment) => segment.startsWith("."));
}

function answerPage({ page }: ConsoleFiles): Handler {
  return (request, reply) => {
    const nonce = randomBytes(16).toString("base64url");
    setPageHeaders(reply, policyFor(nonce));
    const cookie = sessionCookie.test(request.headers.cookie ?? "") ? "there" : "none";
    return reply.send(page.replaceAll(nonceMark, nonce).replace(cookieMark, cookie));
  };
}

const unbuiltPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Hodhod</title></head>
<body><h1>The console is not built</h1>
<p>The gateway runs without it. Run <code>npm ci</code> and <code>npm run build</code> in its folder, then start it again.</p>
<div lang="fa" dir="rtl"><h1>پنل ساخته نشده است</h1>
<p>سامانه بدون آن کار می‌کند. در پوشهٔ آن <code dir="ltr">npm ci</code> و <code dir="ltr">npm run build</code> را اجرا کنید و سپس دوباره راهش بیندازید.</p></div>
</body></html>
`;

function answerUnbuilt(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  setPageHeaders(reply, "default-src 'none'; frame-ancestors 'none'");
  return reply.code(503).send(unbuiltPage);
}

function setPageHeaders(reply: FastifyReply, policy: string): void {
  void reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .header("referrer-policy", "no-referrer")
    .header("cross-origin-opener-policy", "same-origin");
}

function answerAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const kept: ContentEncoding[] = [...(asset.brotli ? ["br" as const] : []), ...(asset.gzip ? ["gzip" as const] : [])];
  const encoding = acceptedEncoding(request.headers["accept-encoding"], kept);
  const forms = { br: asset.brotli, gzip: asset.gzip, identity: asset.plain };
  void reply
    .type(asset.type)
    .header("cache-control", forEver)
    .header("referrer-policy", "no-referrer")
    .header("cross-origin-resource-policy", "same-origin");
  if (kept.length > 0) void reply.header("vary", "accept-encoding");
  if (encoding !== "identity") void reply.header("content-encoding", encoding);
  return reply.send(forms[encoding] ?? asset.plain);
}

// The built console, read into memory when the server starts: its page, and its assets in every form
// that they are kept in. What is asked for is looked up by its exact name, so that no path leads
// out of the folder. Must never follow a link.

/** Where bin/build.js puts it: the same seen from src/ and from dist/. */
export const builtConsole = fileURLToPath(new URL("../../../dist/console/", import.meta.url));

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip?: Buffer;
  readonly brotli?: Buffer;
}

export interface ConsoleFiles {
  /** With `nonceMark` where the nonce of an answer belongs. */
  readonly page: string;
  /** By file name. */
  readonly assets: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Undefined where the console was not built. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  const page = path.join(folder, "index.html");
  const assetFolder = path.join(folder, "assets");
  if (!existsSync(page) || !existsSync(assetFolder)) return undefined;
  const names = new Set(
    readdirSync(assetFolder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  );
  const read = (name: string) => (names.has(name) ? readFileSync(path.join(assetFolder, name)) : undefined);
  const assets = new Map<string, Asset>();
  for (const name of names) {
    const type = types[path.extname(name)];
    if (type === undefined) continue;
    const [gzip, brotli] = [read(`${name}.gz`), read(`${name}.br`)];
    const plain = readFileSync(path.join(assetFolder, name));
    assets.set(name, { type, plain, ...(gzip && { gzip }), ...(brotli && { brotli }) });
  }
  return { page: readFileSync(page, "utf8"), assets };
}
