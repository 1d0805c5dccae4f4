// An endpoint of the console's API: like those of the clients' API, but for people who are signed
// in. `ConsoleContext.admit` checks who calls and what they may do before the endpoint is asked.
import type { FastifySchema } from "fastify";
import {
  array,
  integer,
  literal,
  object,
  oneOf,
  orAbsent,
  orDefault,
  plainText,
  time,
  type TSchema,
} from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { type EndpointDescription, type ErrorStatus, openApiOf } from "../endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";
import type { Admission } from "./console-context.ts";
import { readCursor, type WalkStart } from "./walk-back.ts";

export interface ConsoleEndpoint extends Admission, Omit<EndpointDescription, "params"> {
  /**
   * A change names the state that it replaces by If-Match, or, with `either`, that there is no object
   * yet: else 428. `optional`: it may.
   */
  readonly condition?: "If-Match" | "either" | "optional";
  /** An object to be written as JSON, or a stream, whose headers the endpoint has set. */
  handle(call: ConsoleCall): Promise<object>;
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

const stale = object({ errorCode: integer(), errorMessage: plainText(), lastChange: orAbsent(lastChange) });

const ifMatch = { "If-Match": orAbsent(plainText("The ETag of GET: what is changed is what was read.")) };
const ifNoneMatch = { "If-None-Match": orAbsent(literal("*", "Instead of If-Match, for a new one.")) };

/** `needs`: in words. */
export function schemaOfEndpoint(endpoint: ConsoleEndpoint, needs: readonly string[]): FastifySchema {
  const { condition, path, query, body, errors = [], description } = endpoint;
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  const params = names.length > 0 && Object.fromEntries(names.map((name) => [name, plainText()]));
  const conditions = condition && { ...ifMatch, ...(condition === "either" && ifNoneMatch) };
  return openApiOf(
    {
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

/**
 * JSON without absent values: null and undefined have no key. Rials are numbers, times ISO 8601.
 */
export function consoleJson(value: object): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return Number(item);
    return item === null ? undefined : item;
  });
}

/** One page of a list: `after` is the `nextCursor` of the page before. */
export function pageOf(item: TSchema, others: Readonly<Record<string, TSchema>> = {}): TSchema {
  const nextCursor = plainText("Give it as `after` for the next page; absent on the last one.");
  return object({ items: array(item), nextCursor: orAbsent(nextCursor), ...others });
}

export const pageParameters = {
  after: orAbsent(plainText("nextCursor of the page before.")),
  count: orDefault(integer({ minimum: 1, maximum: 200 }), 50),
};

/** One page of what was found, where one more than `count` was looked for. */
export function pageFrom<Item>(
  found: readonly Item[],
  count: number,
  cursorOf: (last: Item) => string,
  describe: (item: Item) => unknown = (item) => item,
): object {
  const items = found.slice(0, count);
  const last = items.at(-1);
  return { items: items.map(describe), ...(found.length > count && last && { nextCursor: cursorOf(last) }) };
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
