// GET ported-numbers: those of the setup and those that were imported, as nodes know them, in the
// order of numbers. Changes of single ones are in configured-objects.ts.
import { boolean, object, orAbsent, plainText } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { cleanNumber, parseRecipient } from "../../sms/msisdn.ts";
import { findPortedNumber, listKnownPorted } from "../../store/ported-blocks.ts";
import { type ConsoleEndpoint, pageFrom, pageOf, pageParameters, readPageSize } from "./console-endpoint.ts";

const item = object({
  number: plainText("989…"),
  operator: plainText(),
  isImported: boolean(
    "By `hodhod ported-numbers import`: PUT puts one of the setup before it, DELETE does not find it.",
  ),
});

/** There may be millions. */
export const listPortedNumbers: ConsoleEndpoint = {
  method: "GET",
  path: "/ported-numbers",
  needs: "readService",
  operationId: "list_portedNumbers",
  summary: "List the ported numbers",
  tag: "Network",
  query: { ...pageParameters, number: orAbsent(plainText("Only this one, in any form.")) },
  result: pageOf(item),
  handle: async (call) => {
    const { query } = call;
    const count = readPageSize(query);
    const wanted = query.text("number");
    if (wanted !== undefined) {
      const number = parseRecipient(cleanNumber(wanted, "query"));
      if (number === undefined) throw ApiError.invalidParameter("number", "console.number", { field: "number" });
      const found = await findPortedNumber(call.reads, number);
      return { items: found === undefined ? [] : [found] };
    }
    const after = parseRecipient(cleanNumber(query.text("after") ?? "", "query"));
    const found = await listKnownPorted(call.reads, { after, limit: count + 1 });
    return pageFrom(found, count, ({ number }) => number);
  },
};
