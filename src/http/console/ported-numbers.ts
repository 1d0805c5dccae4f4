// GET ported-numbers: those of the setup and those that were imported, as nodes know them, in the
// order of numbers. Changes of single ones are in configured-objects.ts.
import { boolean, input, object, orAbsent, plainText } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { cleanNumber, parseRecipient } from "../../sms/msisdn.ts";
import { findPortedNumber, type KnownPorted, listKnownPorted } from "../../store/ported-blocks.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";

const item = object({
  number: plainText("989…"),
  operator: plainText(),
  isImported: boolean(
    "By `hodhod ported-numbers import`: PUT puts one of the setup before it, DELETE does not find it.",
  ),
});

interface Listed {
  readonly items: readonly KnownPorted[];
  readonly nextCursor?: string | undefined;
}

/** There may be millions. */
export function listPortedNumbers(context: ConsoleContext): ConsoleEndpoint {
  const number = orAbsent(plainText("Only this one, in any form."));
  return {
    method: "GET",
    path: "/ported-numbers",
    needs: "readService",
    schema: {
      operationId: "list_portedNumbers",
      summary: "List the ported numbers",
      tags: ["Network"],
      querystring: input({ ...pageParameters, number }),
      response: consoleResponses(pageOf(item), 400),
    },
    answer: async ({ request }): Promise<Listed> => {
      const query = readQuery(request);
      const count = readPageSize(query);
      const wanted = query.text("number");
      if (wanted !== undefined) return findOne(context, wanted);
      const after = parseRecipient(cleanNumber(query.text("after") ?? "", "query"));
      const found = await listKnownPorted(context.reads, { after, limit: count + 1 });
      const items = found.slice(0, count);
      return { items, ...(found.length > count && { nextCursor: items.at(-1)?.number }) };
    },
  };
}

/** Throws 1001. */
async function findOne(context: ConsoleContext, wanted: string): Promise<Listed> {
  const number = parseRecipient(cleanNumber(wanted, "query"));
  if (number === undefined) {
    throw ApiError.invalidParameter("number", "console.number", { field: "number" });
  }
  const found = await findPortedNumber(context.reads, number);
  return { items: found === undefined ? [] : [found] };
}
