// GET audit: who changed what, newest first.
import { object, oneOf, orAbsent, plainText, time, unknown } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { listAuditEntries } from "../../store/audit.ts";
import type { GivenParameters } from "../read-parameters.ts";
import { type ConsoleEndpoint, pageOf, pageParameters, readPageSize, readTimeParameter } from "./console-endpoint.ts";

const anything = (description: string) => orAbsent(unknown(description));

const entry = object({
  id: plainText(),
  at: time("When."),
  who: plainText("`staff:NAME`, `user:ACCOUNT/NAME`, `key:ACCOUNT/NAME` or `command:OSUSER@HOST`."),
  address: orAbsent(plainText("Where a call came from.")),
  action: oneOf(
    ["create", "change", "remove", "use", "signIn", "signInFailed"],
    "`use`: somebody saw what is hidden, such as a text.",
  ),
  kind: plainText("Of the object, such as `staff` or `connector`."),
  name: plainText("Of the object."),
  account: orAbsent(plainText()),
  before: anything("What differs, before the change. Never a secret."),
  after: anything("What differs, after the change. Never a secret."),
});

const filters = ["account", "who", "kind", "name"] as const;

function readCursor(query: GivenParameters): bigint | undefined {
  const given = query.text("after");
  if (given === undefined) return undefined;
  if (/^[0-9]{1,18}$/.test(given)) return BigInt(given);
  throw ApiError.invalidParameter("after", "after.form");
}

export const auditEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/audit",
    needs: "readAudit",
    operationId: "listAudit",
    summary: "Who changed what",
    description: "Newest first. A page may be short, or empty, and have a next one.",
    tag: "Audit",
    query: {
      ...pageParameters,
      ...Object.fromEntries(filters.map((name) => [name, orAbsent(plainText())])),
      from: orAbsent(time("At or after.")),
      to: orAbsent(time("Before.")),
    },
    result: pageOf(entry),
    handle: async (call) => {
      const query = call.query;
      const { entries, next } = await listAuditEntries(call.reads, {
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
