// POST accounts/{name}/credit: books credit by hand, once a reference, as `hodhod credit` does.
import { Type } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { bookCreditFor, isCreditReference } from "../../intake/book-credit.ts";
import { ValueFault } from "../../setup/fault.ts";
import type { ValueReader } from "../../setup/read-value.ts";
import { formatRials, parseRials } from "../../sms/money.ts";
import { scalarText } from "../read-parameters.ts";
import { ConsoleBody } from "./console-body.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, exactly, notThere, inRials } from "./console-endpoint.ts";
import { accountWanted, pathParameter } from "./narrow.ts";

const booking = Type.Object({
  amount: Type.Integer({ description: "In rials; below zero takes credit back." }),
  reference: Type.String({ minLength: 1, maxLength: 200, description: "Such as the number of an invoice." }),
});

const booked = Type.Object(
  {
    booked: Type.Boolean({ description: "False where this reference was booked before: nothing was changed." }),
    amount: inRials("As it was booked."),
    reference: Type.String(),
    balance: inRials("The credit now."),
  },
  exactly,
);

export function creditEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [
    {
      method: "POST",
      path: "/accounts/:name/credit",
      needs: "bookCredit",
      schema: {
        operationId: "bookCredit",
        summary: "Add credit to an account, or take it back",
        description:
          "A reference is booked once in the life of an account, so that a call can be repeated. Credit never goes below zero.",
        tags: ["Accounts"],
        params: Type.Object({ name: Type.String({ description: "Name of the account." }) }),
        body: booking,
        response: consoleResponses(booked, 400, 404),
      },
      answer: async ({ request }) => {
        const account = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
        if (account === undefined) throw notThere();
        const { amount, reference } = readBooking(new ConsoleBody(request));
        const result = await bookCreditFor(context.work, context.actorOf(request), { account, amount, reference });
        if (result.kind === "referenceUsed") throw alreadyUsed(reference, result.amount);
        if (result.kind === "insufficient") throw tooLow(result.balance);
        return { booked: result.kind === "booked", amount, reference, balance: result.balance };
      },
    },
  ];
}

function readBooking(body: ConsoleBody) {
  const amount = body.value("amount", amountOfCredit, "console.rials", { required: true });
  const reference = body.text("reference", { required: true })?.trim();
  if (reference !== undefined && !isCreditReference(reference)) body.fault("reference", "console.reference");
  return body.finishWith({ amount, reference });
}

const amountOfCredit: ValueReader<bigint> = (value) => {
  const amount = parseRials(scalarText(value) ?? "");
  // Beyond this a number of JSON is not exact.
  const isFit = amount !== undefined && amount !== 0n && Math.abs(Number(amount)) <= Number.MAX_SAFE_INTEGER;
  return isFit ? amount : new ValueFault("rials");
};

function alreadyUsed(reference: string, amount: bigint): ApiError {
  const values = { reference, amount: formatRials(amount) };
  return ApiError.invalidParameter("reference", "console.referenceUsed", values);
}

function tooLow(balance: bigint): ApiError {
  const values = { balance: formatRials(balance) };
  return ApiError.invalidParameter("amount", "console.creditTooLow", values);
}
