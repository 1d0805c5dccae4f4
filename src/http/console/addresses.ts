// Where an account's programs may call from, and whom it never sends to: keys of the account that
// its owners keep themselves.
import type { FastifyReply, FastifyRequest } from "fastify";
import { array, input, object, orAbsent, plainText } from "../json-schema.ts";
import { changeSetup, loadSetup, type StoredSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { recipientNumber } from "../../setup/read-value.ts";
import { requireJsonObject } from "../json-body.ts";
import { ConsoleBody, readAddresses } from "./console-body.ts";
import { conditions, expectCondition, expectVersion, giveTag, tagOfObject } from "./conditions.ts";
import { withFaults } from "./setup-faults.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, notThere } from "./console-endpoint.ts";
import { accountWanted, pathParameter } from "./narrow.ts";

/** Enough for the block list of an account within the limit of a body. */
const mostNumbers = 80_000;

const addresses = object({
  allowedIps: array(plainText(), "Addresses and CIDR blocks; empty: from everywhere."),
  blockedRecipients: array(plainText(), "989…: messages to them are refused with 1202."),
});

const inPath = input({ name: plainText("Name of the account.") });

export function addressEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [get(context), put(context)];
}

/** Throws 404. */
async function nameOf(context: ConsoleContext, request: FastifyRequest): Promise<string> {
  const account = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
  if (account === undefined) throw notThere();
  return account.name;
}

function describe({ state: { accounts } }: StoredSetup, name: string) {
  const found = accounts.get(name);
  return found && { allowedIps: found.allowedIps, blockedRecipients: found.blockedRecipients };
}

function tell(reply: FastifyReply, stored: StoredSetup, name: string): object {
  const found = describe(stored, name);
  if (found === undefined) throw notThere();
  giveTag(reply, tagOfObject(found));
  return found;
}

function get(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name/addresses",
    needs: "manageAccess",
    schema: {
      operationId: "getAddresses",
      summary: "The IP addresses and the block list of an account",
      tags: ["Accounts"],
      params: inPath,
      response: consoleResponses(addresses, 404),
    },
    answer: async ({ request, reply }) => {
      const name = await nameOf(context, request);
      return tell(reply, await context.reads.transaction((tx) => loadSetup(tx, scopeOf("accounts", name))), name);
    },
  };
}

function put(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PUT",
    path: "/accounts/:name/addresses",
    needs: "manageAccess",
    schema: {
      operationId: "putAddresses",
      summary: "Replace the IP addresses and the block list of an account",
      description: "Both are whole lists; one that is left out is empty. The addresses bind programs, not the console.",
      tags: ["Accounts"],
      params: inPath,
      headers: input({ "If-Match": conditions["If-Match"] }),
      body: input({
        allowedIps: orAbsent(array(plainText())),
        blockedRecipients: orAbsent(array(plainText(), { maxItems: mostNumbers })),
      }),
      response: consoleResponses(addresses, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      expectCondition(request.headers);
      const name = await nameOf(context, request);
      const body = new ConsoleBody(request, requireJsonObject(request, { values: mostNumbers + 10_000 }));
      const given = {
        allowedIps: readAddresses(body),
        blockedRecipients: body.list("blockedRecipients", recipientNumber, {
          wrong: "console.recipient",
          most: mostNumbers,
        }),
      };
      body.finish();
      const { stored } = await withFaults(() =>
        changeSetup(context.changes, {
          by: context.actorOf(request),
          about: { accounts: [name] },
          edit: (before) => {
            expectVersion(request.headers, tagOfObject(describe(before, name)), [
              { kind: "account", name, keys: ["allowedIps", "blockedRecipients"] },
            ]);
            return { given: { accounts: [{ name, ...given }] } };
          },
        }),
      );
      return tell(reply, stored, name);
    },
  };
}
