// GET audit: who changed what, newest first.
import { Type } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { listAuditEntries } from "../../store/audit.ts";
import type { GivenParameters } from "../read-parameters.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  exactly,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
  readTimeParameter,
  time,
} from "./console-endpoint.ts";

const anything = (description: string) => Type.Optional(Type.Unknown({ description }));

const entry = Type.Object(
  {
    id: Type.String(),
    at: time("When."),
    who: Type.String({
      description: "`staff:NAME`, `user:ACCOUNT/NAME`, `key:ACCOUNT/NAME` or `command:OSUSER@HOST`.",
    }),
    address: Type.Optional(Type.String({ description: "Where a call came from." })),
    action: Type.Union(
      ["create", "change", "remove", "use", "signIn", "signInFailed"].map((action) => Type.Literal(action)),
      { description: "`use`: somebody saw what is hidden, such as a text." },
    ),
    kind: Type.String({ description: "Of the object, such as `staff` or `connector`." }),
    name: Type.String({ description: "Of the object." }),
    account: Type.Optional(Type.String()),
    before: anything("What differs, before the change. Never a secret."),
    after: anything("What differs, after the change. Never a secret."),
  },
  exactly,
);

const filters = ["account", "who", "kind", "name"] as const;

export function auditEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [
    {
      method: "GET",
      path: "/audit",
      needs: "readAudit",
      schema: {
        operationId: "listAudit",
        summary: "Who changed what",
        description: "Newest first. A page may be short, or empty, and have a next one.",
        tags: ["Audit"],
        querystring: Type.Object({
          ...pageParameters,
          ...Object.fromEntries(filters.map((name) => [name, Type.Optional(Type.String())])),
          from: Type.Optional(time("At or after.")),
          to: Type.Optional(time("Before.")),
        }),
        response: consoleResponses(pageOf(entry), 400),
      },
      answer: async ({ request }) => {
        const query = readQuery(request);
        const { entries, next } = await listAuditEntries(context.reads, {
          before: readCursor(query),
          limit: readPageSize(query),
          ...Object.fromEntries(filters.map((name) => [name, query.text(name)])),
          from: readTimeParameter(query, "from"),
          to: readTimeParameter(query, "to"),
        });
        const items = entries.map(({ id, ...rest }) => ({ id: id.toString(), ...rest }));
        return { items, ...(next !== undefined && { nextCursor: next.toString() }) };
      },
    },
  ];
}

function readCursor(query: GivenParameters): bigint | undefined {
  const given = query.text("after");
  if (given === undefined) return undefined;
  if (/^[0-9]{1,18}$/.test(given)) return BigInt(given);
  throw ApiError.invalidParameter("after", "after.form");
}
