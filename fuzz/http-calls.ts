// Calls of the HTTP API made from docs/openapi.json: sound ones by the schemas, with values that
// mean something here, and the same spoiled in one or a few places: parameters, bodies, headers,
// media types, methods, paths.
import { apiDocument } from "../test/support/api-document.ts";
import { credentials, keys } from "../test/support/gateway-setup.ts";
import type { HttpCall } from "./http-exchange.ts";
import { anyBody, anyValue, mutateOctets, mutateText, mutateValue, oddTexts, perhapsRepeated } from "./mutate.ts";
import type { Random } from "./random.ts";
import { isFields, textOfOctets, type Fields, type Value } from "./value.ts";

interface Parameter {
  readonly name: string;
  readonly in: "header" | "query" | "path";
  readonly required?: boolean;
  readonly schema: Fields;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Fields }>> };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface NamedOperation {
  /** "POST /messages/send" */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const operations: readonly NamedOperation[] = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    // The document's type has only the part that answers need.
    operation: operation as unknown as Operation,
  })),
);

/** Stand for what is only known while the gateway runs. */
export const placeholders = {
  batchId: "{batchId}",
  messageId: "{messageId}",
  endpointId: "{endpointId}",
  token: "{token}",
  later: "1111111111",
} as const;

/** Values that mean something to the gateway's setup, by the name of their field. */
const meaningful: Readonly<Record<string, readonly Value[]>> = {
  senderNumber: ["10001234", "+9810001234", "009810001234", "9810001234", "10005678"],
  recipientNumber: ["09121234567", "9121234567", "00989121234567", "+989121234567", "989351234567", "09129999999"],
  content: ["سلام", "hello", "x".repeat(300), "کد: ۱۲۳ 😀"],
  templateId: ["OwnLineTpl", "ServiceTpl", "AdvertTmpl", "NoLineTmpl", "Unapproved", "ForeignTpl", "none"],
  name: ["code"],
  value: ["483920", "علی"],
  batchId: [placeholders.batchId, "019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10"],
  sentMessageIdes: [[placeholders.messageId], [placeholders.messageId, "019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c"]],
  userName: [credentials.username],
  password: [credentials.password],
  domain: [credentials.domain],
  line: ["10001234", "+9810001234"],
  number: ["09121234567", "989351112233"],
  type: ["message.sent", "message.received"],
  after: ["0", "3", "999999"],
  count: [1, 100, 7],
  endpointId: [placeholders.endpointId],
  url: ["https://127.0.0.1:9/hook", "http://127.0.0.1:9/"],
  events: [["*"], ["message.*", "credit.low"]],
  secret: ["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"],
  eventIds: [["21a1fa75-6310-8000-bbee-9570117c4f6c"]],
  from: [1_000_000_000],
  to: [1_100_000_000],
  sendTimestamp: [Number(placeholders.later)],
  idempotencyKey: ["k1", "k2", "k3"],
  "Idempotency-Key": ["k1", "k2", "k3", '"k1"'],
};

/** What parameters are called in the document, in the singular. */
function meaningOf(name: string): readonly Value[] | undefined {
  return meaningful[name] ?? meaningful[name.replace(/s$/, "")];
}

/** A value that the schema promises to take. */
function soundValue(random: Random, schema: Fields, name = ""): Value {
  const alternatives = schema["anyOf"];
  if (Array.isArray(alternatives)) return soundValue(random, random.pick(alternatives as readonly Fields[]), name);
  if (schema["const"] !== undefined) return schema["const"];
  if (schema["type"] === "object") return soundObject(random, schema);
  const meaning = meaningOf(name);
  if (schema["type"] === "array") {
    if (meaningful[name] !== undefined) return random.pick(meaningful[name]);
    return random.list(1, random.chance(0.9) ? 3 : 100, () => soundValue(random, schema["items"] as Fields, name));
  }
  if (meaning !== undefined) return random.pick(meaning);
  const examples = schema["examples"];
  if (Array.isArray(examples)) return random.pick(examples as readonly Value[]);
  if (schema["type"] === "boolean") return random.chance(0.5);
  return schema["type"] === "integer" ? random.between(1, 100) : "text";
}

function soundObject(random: Random, schema: Fields): Value {
  const properties = isFields(schema["properties"] ?? null) ? (schema["properties"] as Fields) : {};
  const required = (schema["required"] ?? []) as readonly string[];
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.2));
  return Object.fromEntries(chosen.map(([name, inner]) => [name, soundValue(random, inner as Fields, name)]));
}

const oddKeys = [keys.second, keys.other, keys.poor, keys.statusOnly, keys.fenced, keys.slow, "", "wrong", "\xff", " "];

/** How much of a call is spoiled: nothing in two of five. */
type Spoil = (probability: number) => boolean;

export function generateCall(random: Random): HttpCall {
  const named = random.pick(operations);
  const isSound = random.chance(0.4);
  const spoil: Spoil = (probability) => !isSound && random.chance(probability);
  const identity = identityOf(random, named, spoil);
  const body = bodyOf(random, named, identity.fields, spoil);
  const headers = [
    ...identity.headers,
    ...body.headers,
    ...headerParameters(random, named, spoil),
    // Each call from somewhere else, so that no wrong one slows the next.
    ["X-Forwarded-For", `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`] as const,
    ...(spoil(0.2) ? [oddHeader(random)] : []),
  ];
  const call: HttpCall = {
    method: spoil(0.05) ? random.pick(methods) : named.method,
    target: targetOf(random, named, identity.fields, spoil),
    headers,
    body: body.octets,
    framing: spoil(0.08) ? random.pick(["chunked", "none", "short", "long"]) : "length",
  };
  return spoil(0.03) ? spoilWire(random, call) : call;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "FOO", ""];

function spoilWire(random: Random, call: HttpCall): HttpCall {
  return { ...call, target: mutateOctets(random, call.target, " HTTP/1.1\r\nA: b\r\n\r\n") };
}

interface Identity {
  readonly headers: readonly (readonly [string, string])[];
  /** Credentials that stand among the parameters. */
  readonly fields: Fields;
}

function identityOf(random: Random, { operation }: NamedOperation, spoil: Spoil): Identity {
  const [scheme = {}] = operation.security ?? [];
  const key = spoil(0.25) ? random.pick(oddKeys) : keys.demo;
  if ("apiKeyParameter" in scheme) return { headers: [], fields: { apiKey: key } };
  if ("usernameParameter" in scheme) {
    const { username, password, domain } = credentials;
    const wrong = spoil(0.1) ? { [random.pick(["username", "password", "domain"])]: random.pick(oddTexts) } : {};
    return { headers: [], fields: { username, password, domain, ...wrong } };
  }
  if (!("apiKey" in scheme)) return { headers: [], fields: {} };
  const bearer = spoil(0.15)
    ? mutateText(random, `Bearer ${placeholders.token}`, "Basic x")
    : `Bearer ${placeholders.token}`;
  return random.oneOf(
    () => ({ headers: [["X-Api-Key", key]], fields: {} }),
    () => ({ headers: [["X-Api-Key", key]], fields: {} }),
    () => ({ headers: [["Authorization", headerText(bearer)]], fields: {} }),
  );
}

/** Header values are octets without line breaks; those with are made on purpose elsewhere. */
function headerText(text: string): string {
  return textOfOctets(Buffer.from(text, "utf8")).replace(/[\r\n\0]/g, " ");
}

function headerParameters(random: Random, { operation }: NamedOperation, spoil: Spoil): (readonly [string, string])[] {
  const inHeader = (operation.parameters ?? []).filter((parameter) => parameter.in === "header" && random.chance(0.2));
  return inHeader.map(({ name, schema }) => {
    const value = textOf(soundValue(random, schema, name));
    return [name, headerText(spoil(0.4) ? mutateText(random, value, random.pick(oddTexts)) : value)] as const;
  });
}

function oddHeader(random: Random): readonly [string, string] {
  return random.pick([
    ["Accept-Language", random.pick(["fa", "fa-IR,en;q=0.1", "*", ";;;", "x".repeat(5000), "fa;q=nan"])],
    ["Content-Encoding", random.pick(["gzip", "identity", "br", "x"])],
    ["Accept", random.pick(["text/html", "application/xml", "*/*;q=0"])],
    ["Expect", random.pick(["100-continue", "nonsense"])],
    ["X-Api-Key", keys.other],
    ["Cookie", "a=b"],
    ["Content-Type", "application/json"],
    ["Upgrade", "h2c"],
    ["X-Forwarded-For", random.pick(["", "::1", "999.1.1.1", ",,,", "unknown", "[::1]:80", "a".repeat(3000)])],
    [random.pick(["X\xff", "X Y", "", "X:"]), "v"],
    ["X-Long", "y".repeat(random.pick([1000, 20_000]))],
    ["Idempotency-Key", headerText(random.pick(oddTexts))],
  ] as const);
}

function targetOf(random: Random, { path, operation }: NamedOperation, fields: Fields, spoil: Spoil): string {
  const all = operation.parameters ?? [];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = textOf(random.pick(meaningOf(name) ?? ["x"]));
    return spoil(0.4) ? encodeURIComponentOfAny(mutateText(random, value, random.pick(oddTexts))) : value;
  });
  const given = all.filter(
    (each) => each.in === "query" && (each.required === true ? !spoil(0.15) : random.chance(0.5)),
  );
  // Where there is a body it has the credentials.
  const own = operation.requestBody === undefined ? Object.entries(fields) : [];
  const pairs: (readonly [string, Value])[] = [
    ...own,
    ...given.map(({ name, schema }) => [name, soundValue(random, schema, name)] as const),
  ];
  const query = pairs
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? (value as Value[]) : [value]).map((item) => [name, item] as const),
    )
    .map(
      ([name, value]) =>
        [spoil(0.05) ? mutateText(random, name, "[]") : name, spoilText(random, value, spoil)] as const,
    )
    .map(([name, value]) => `${encodeURIComponentOfAny(name)}=${encodeURIComponentOfAny(value)}`)
    .join("&");
  const whole = query === "" ? filled : `${filled}?${query}`;
  return spoil(0.1)
    ? `${whole}${random.pick(["/", "?", "&&", "?x=%", "#a", "%", "//", `&z=${"z".repeat(9000)}`])}`
    : whole;
}

function textOf(value: Value): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function spoilText(random: Random, value: Value, spoil: Spoil): string {
  const text = textOf(value);
  return spoil(0.2) ? mutateText(random, text, random.pick(oddTexts)) : text;
}

/**
 * Lone surrogates as the octets that some clients make of them. Braces stay, for the placeholders.
 */
function encodeURIComponentOfAny(text: string): string {
  const octets = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(octets).replaceAll("%7B", "{").replaceAll("%7D", "}").replaceAll("%EF%BF%BD", "%ED%A0%80");
}

const oddTypes = [
  "text/plain",
  "text/html",
  "application/xml",
  "application/json; charset=utf-16",
  "nonsense",
  "/",
  "",
  "multipart/form-data",
];
const boundary = "----fuzz";

interface CallBody {
  readonly octets: string;
  readonly headers: readonly (readonly [string, string])[];
}

function bodyOf(random: Random, { operation }: NamedOperation, fields: Fields, spoil: Spoil): CallBody {
  const content = Object.entries(operation.requestBody?.content ?? {});
  if (content.length === 0) return spoil(0.05) ? { octets: "{}", headers: [] } : { octets: "", headers: [] };
  const [type, { schema }] = random.pick(content);
  const sound = soundValue(random, schema);
  let value: Value = isFields(sound) ? { ...sound, ...fields } : sound;
  while (spoil(0.4)) value = random.chance(0.9) ? mutateValue(random, value) : anyValue(random);
  const label = spoil(0.08)
    ? random.pick(oddTypes)
    : type === "multipart/form-data"
      ? `${type}; boundary=${boundary}`
      : type;
  const octets = encodeBody(random, type, value, spoil);
  const spoiled = spoil(0.08) ? mutateOctets(random, octets, octets) : octets;
  const large = spoil(0.005) ? spoiled + " ".repeat(1_100_000) : spoiled;
  return {
    octets: spoil(1) ? perhapsRepeated(random, large) : large,
    headers: spoil(0.04) ? [] : [["Content-Type", label]],
  };
}

function encodeBody(random: Random, type: string, value: Value, spoil: Spoil): string {
  if (type === "application/json" || !isFields(value)) return spoil(0.3) ? anyBody(random, value) : jsonOctets(value);
  const pairs = Object.entries(value).flatMap(([name, item]) =>
    (Array.isArray(item) ? (item as Value[]) : [item]).map((each) => [name, each] as const),
  );
  const texts = pairs.map(([name, item]) => [name, typeof item === "string" ? item : JSON.stringify(item)] as const);
  if (type !== "multipart/form-data")
    return texts.map(([name, text]) => `${encodeURIComponentOfAny(name)}=${encodeURIComponentOfAny(text)}`).join("&");
  const parts = texts.map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return textOfOctets(Buffer.from(`${parts.join("")}--${boundary}--\r\n`, "utf8"));
}

function jsonOctets(value: Value): string {
  return textOfOctets(Buffer.from(JSON.stringify(value), "utf8"));
}

/** No header value has one but the tab (RFC 9110, 5.5). */
const controlCharacter = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Whether the call is sound HTTP, so that it reaches the operation that it names. */
export function isSoundHttp({ method, target, headers, body, framing }: HttpCall): boolean {
  if (framing !== "length" && framing !== "chunked" && !(framing === "none" && body === "")) return false;
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) || !/^\/[\x21-\x7e]*$/.test(target)) return false;
  return headers.every(
    ([name, value]) => /^[\w-]+$/.test(name) && !/^(Expect|Upgrade)$/.test(name) && !controlCharacter.test(value),
  );
}

/** With what is known at run time in the place of the placeholders. */
export function fillIn(call: HttpCall, known: Readonly<Record<keyof typeof placeholders, string>>): HttpCall {
  const fill = (text: string): string =>
    (Object.keys(placeholders) as (keyof typeof placeholders)[]).reduce(
      (filled, name) => filled.replaceAll(placeholders[name], known[name]),
      text,
    );
  const headers = call.headers.map(([name, value]) => [name, fill(value)] as const);
  return { ...call, target: fill(call.target), headers, body: fill(call.body) };
}
