// An endpoint of the console's API: like those of the clients' API, but for people who are signed
// in. `ConsoleContext.admit` checks who calls and what they may do before the endpoint is asked.
import type { FastifySchema } from "fastify";
import { input, integer, literal, object, oneOf, orAbsent, orDefault, plainText, time } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { type EndpointDescription, type ErrorStatus, openApiOf } from "../endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";
import type { Admission } from "./console-context.ts";
import { readCursor, type WalkStart } from "./walk-back.ts";

type Place = "method" | "path";

export interface ConsoleEndpoint<Answer extends object = object>
  extends Omit<Admission, Place>, Omit<EndpointDescription, Place | "params" | "result"> {
  /**
   * A change names the state that it replaces by If-Match, or, with `either`, that there is no object
   * yet: else 428. `optional`: it may.
   */
  readonly condition?: "If-Match" | "either" | "optional";
  /** An object to be written as JSON, or a stream, whose headers the endpoint has set. */
  handle(call: ConsoleCall): Promise<Answer>;
}

/** By method and path, as the document writes them: `GET /accounts/{name}`. Declare them with `satisfies`: pages read what each `handle` answers. */
export type ConsoleEndpoints = Readonly<Record<`${Admission["method"]} /${string}`, ConsoleEndpoint>>;

/** `path`: as the router writes it, `/accounts/:name`. */
export type PlacedEndpoint = ConsoleEndpoint & Admission;

export function placesOf(endpoints: ConsoleEndpoints): readonly PlacedEndpoint[] {
  return Object.entries(endpoints).map(([name, endpoint]) => {
    const [method, path = ""] = name.split(" ");
    return { ...endpoint, method: method as Admission["method"], path: path.replace(/\{(\w+)\}/g, ":$1") };
  });
}

const errorsOfAll: readonly ErrorStatus[] = [401, 403, 413, 429, 500, 503];

const lastChange = object(
  {
    who: orAbsent(plainText("As the audit names them; absent where it was the service, for a customer.")),
    at: time(),
    action: oneOf(["create", "change", "remove"]),
  },
  "Who has changed it meanwhile; absent where the audit does not say.",
);

export const stale = object({ errorCode: integer(), errorMessage: plainText(), lastChange: orAbsent(lastChange) });

const ifMatch = { "If-Match": orAbsent(plainText("The ETag of GET: what is changed is what was read.")) };
const ifNoneMatch = { "If-None-Match": orAbsent(literal("*", "Instead of If-Match, for a new one.")) };

/** Of its shape the document says nothing: pages have it as a type (endpoints.ts). */
export const jsonObject = { "application/json": input({}) };

/** `needs`: in words. */
export function schemaOfEndpoint(endpoint: PlacedEndpoint, needs: readonly string[]): FastifySchema {
  const { condition, path, query, body, errors = [], description } = endpoint;
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  const params = names.length > 0 && Object.fromEntries(names.map((name) => [name, plainText()]));
  const conditions = condition && { ...ifMatch, ...(condition === "either" && ifNoneMatch) };
  return openApiOf(
    {
      contents: jsonObject,
      ...endpoint,
      description: [...(description === undefined ? [] : [description]), ...needs].join(" "),
      security: endpoint.needs === "nobody" ? [] : [{ session: [] }],
      ...(params && { params }),
      ...(conditions && { headers: conditions }),
      errors: [
        ...errors,
        ...(params || query || body ? [404 as const] : []),
        ...(condition ? [412 as const, 428 as const] : []),
      ],
      errorBodies: { 412: stale },
    },
    errorsOfAll,
  );
}

/** What `consoleJson` makes of a value, as its reader has it. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends bigint
    ? number
    : Value extends readonly (infer Item)[]
      ? readonly Json<Item>[]
      : Value extends string | number | boolean
        ? Value
        : Value extends object
          ? JsonObject<Value>
          : Value;

type JsonObject<Value> = {
  readonly [Key in keyof Value as CanLack<Value[Key]> extends true ? never : Key]: Json<Value[Key]>;
} & { readonly [Key in keyof Value as CanLack<Value[Key]> extends true ? Key : never]?: Json<NonNullable<Value[Key]>> };

/** Whether JSON may have no key for it. */
type CanLack<Value> = null extends Value ? true : undefined extends Value ? true : false;

/**
 * JSON without absent values: null and undefined have no key. Rials are numbers, times ISO 8601.
 */
export function consoleJson(value: object): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return Number(item);
    return item === null ? undefined : item;
  });
}

export const pageParameters = {
  after: orAbsent(plainText("nextCursor of the page before.")),
  count: orDefault(integer({ minimum: 1, maximum: 200 }), 50),
};

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Given as `after` for the next page; absent on the last one. */
  readonly nextCursor?: string | undefined;
}

/** One page of what was found, where one more than `count` was looked for. */
export function pageFrom<Found, Item>(
  found: readonly Found[],
  count: number,
  cursorOf: (last: Found) => string,
  describe: (found: Found) => Item,
): Page<Item> {
  const shown = found.slice(0, count);
  const last = shown.at(-1);
  return { items: shown.map(describe), ...(found.length > count && last && { nextCursor: cursorOf(last) }) };
}

/** Of a list in the order of numbers, where it continues. Throws 1001. */
export function readSequence(after: string | undefined): bigint | undefined {
  if (after === undefined) return undefined;
  if (!/^[0-9]{1,18}$/.test(after)) throw ApiError.invalidParameter("after", "after.form");
  return BigInt(after);
}

/**
 * Where a list that is walked back continues; undefined: at its newest. Throws 1001 for what is no
 * cursor.
 */
export function walkStartOf(after: string | undefined): WalkStart | undefined {
  const start = after === undefined ? undefined : readCursor(after);
  if (after === undefined || start !== undefined) return start;
  throw ApiError.invalidParameter("after", "after.form");
}
