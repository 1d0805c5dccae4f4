// GET, PUT and DELETE of opt-outs: customers see what counts for their lines and keep their own
// entries, staff see and change the lists of all lines.
import { followChange } from "../error-response.ts";
import { orAbsent, plainText } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { enterForOne, enterOptOut, withdrawForOne, withdrawOptOut } from "../../setup/change-number-lists.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { findLine } from "../../sms/sender-line.ts";
import { type OptOut, type OptOutPage, type OptOutPlace, listOptOuts } from "../../store/opt-outs.ts";
import { forbidden } from "./console-context.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";
import { mobile, numberIn } from "./console-input.ts";

const parameters = {
  ...pageParameters,
  line: orAbsent(plainText("Only this line.")),
  number: orAbsent(mobile("Only this number, in any form.")),
};

/** Of a customer what counts for the account. Throws 404 for a line that is not the account's. */
function ofWhom(call: ConsoleCall, line: string | undefined): Pick<OptOutPage, "lines" | "accountId"> {
  if (call.session.account === undefined)
    return { lines: line === undefined ? undefined : [cleanNumber(line, "query")] };
  const { id: accountId, terms } = call.ownAccount;
  return { accountId, lines: line === undefined ? [...terms.lines.keys()] : [ownLine(line, terms.lines)] };
}

function ownLine(given: string, lines: Parameters<typeof findLine>[1]): string {
  const line = findLine(cleanNumber(given, "query"), lines);
  if (line === undefined) throw ApiError.notThere();
  return line.number;
}

const cursor = /^([0-9]{1,20})-(989[0-9]{9})-([0-9]{1,9})$/;

function cursorOf({ line, number, accountId }: OptOutPlace): string {
  return `${line}-${number}-${accountId}`;
}

/** Throws 1001. */
function readPlace(given: string | undefined): OptOutPlace | undefined {
  if (given === undefined) return undefined;
  const [, line, number, accountId] = cursor.exec(given) ?? [];
  if (line !== undefined && number !== undefined) return { line, number, accountId: Number(accountId) };
  throw ApiError.invalidParameter("after", "after.form");
}

function describe({
  line,
  number,
  how,
  createdAt,
  account,
}: OptOut & { readonly account?: string | null | undefined }) {
  return { lineNumber: line, recipientNumber: number, how, createdAt, account };
}

async function enterAsStaff(call: ConsoleCall): Promise<OptOut> {
  const { line, number } = entryOfStaff(call);
  const by = call.actor;
  await enterOptOut(call.work, { line, number, by });
  // The one for all comes first.
  const [entry] = await listOptOuts(call.work, { lines: [line], number, limit: 1 });
  if (entry === undefined) throw ApiError.notThere();
  return entry;
}

async function withdrawAsStaff(call: ConsoleCall): Promise<boolean> {
  const entry = { ...entryOfStaff(call), by: call.actor };
  const removed = await withdrawOptOut(call.work, entry);
  return removed.length > 0;
}

/** Throws 403 for what the account has not made. */
async function withdrawOwn(call: ConsoleCall): Promise<boolean> {
  const outcome = await withdrawForOne(call.work, ownEntry(call));
  if (outcome === "foreign") throw forbidden("optOut.foreign");
  return outcome === "removed";
}

function entryOfStaff(call: ConsoleCall) {
  return {
    line: cleanNumber(call.path("line"), "json"),
    number: numberIn(call.path("number")),
  };
}

/** Throws 404 for a line that is not the account's. */
function ownEntry(call: ConsoleCall) {
  const account = call.ownAccount;
  return {
    account,
    line: ownLine(call.path("line"), account.terms.lines),
    number: numberIn(call.path("number")),
    by: call.actor,
  };
}

export const optOutEndpoints = {
  "GET /opt-outs": {
    needs: "readOptOuts",
    summary: "Who opted out of lines",
    description:
      "By line and number. Customers see what counts for the lines of their account, staff the entries of all lines and accounts.",
    query: parameters,
    handle: async (call) => {
      const { line, number, after, count } = call.readQuery(parameters);
      const found = await listOptOuts(call.reads, {
        ...ofWhom(call, line),
        number,
        after: readPlace(after),
        limit: count + 1,
      });
      const seesAccount = call.session.account === undefined;
      return pageFrom(found, count, cursorOf, (entry) =>
        describe(seesAccount ? entry : { ...entry, account: undefined }),
      );
    },
  },
  "PUT /opt-outs/{line}/{number}": {
    needs: "changeOptOuts",
    summary: "Opt a number out of a line",
    description:
      "Of customers for their account alone, of staff for all accounts. An entry that is there already is answered as it is.",
    handle: async (call) => {
      const entry = await (call.session.account === undefined
        ? enterAsStaff(call)
        : enterForOne(call.work, ownEntry(call)));
      await followChange(call);
      return describe(entry);
    },
  },
  "DELETE /opt-outs/{line}/{number}": {
    needs: "changeOptOuts",
    summary: "Take an opt-out back",
    description:
      "Of staff whoever made it. Of customers only what the account has made itself: anything else is 403, because the person or the service decides on it.",
    handle: async (call) => {
      const removed = await (call.session.account === undefined ? withdrawAsStaff(call) : withdrawOwn(call));
      await followChange(call);
      return { removed };
    },
  },
} satisfies ConsoleEndpoints;
