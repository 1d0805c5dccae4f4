// GET account/balance (decisions §3): the account's credit in rials.
import { formatRials } from "../../sms/money.ts";
import { findBalance } from "../../store/ledger.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { balanceAnswer } from "../schemas.ts";

export function getBalance(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/account/balance",
    schema: {
      operationId: "getBalance",
      summary: "The account's credit",
      description:
        "Whole rials with thousands separators. The charge of messages that end at status 4 is refunded. " +
        "An account without a limit has `unlimited`, and its balance may be negative.",
      tags: ["Account"],
      security: headerSecurity,
      response: responses(balanceAnswer),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "readCredit");
      const found = await findBalance(context.parts.db, { accountId: identity.account.id });
      const unlimited = found?.unlimited === true ? ',"unlimited":true' : "";
      return `{"balance":"${formatRials(found?.balance ?? 0n)}","currency":"IRR"${unlimited}}`;
    },
  };
}
