// Where an account's programs may call from, and whom it never sends to: keys of the account that
// its owners keep themselves.
import { array, input, object, orAbsent, plainText } from "../json-schema.ts";
import { type StoredSetup, changeSetup, loadSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { recipientNumber } from "../../setup/read-value.ts";
import { ConsoleBody, readAddresses } from "./console-body.ts";
import { tagOfObject } from "./conditions.ts";
import { withFaults } from "./setup-faults.ts";
import { notThere } from "./console-context.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";
import { foldNames } from "../read-parameters.ts";

/** Enough for the block list of an account within the limit of a body. */
const mostNumbers = 80_000;

const addresses = object({
  allowedIps: array(plainText(), "Addresses and CIDR blocks; empty: from everywhere."),
  blockedRecipients: array(plainText(), "989…: messages to them are refused with 1202."),
});

const inPath = { name: plainText("Name of the account.") };

/** Throws 404. */
async function nameOf(call: ConsoleCall): Promise<string> {
  const account = await call.account();
  return account.name;
}

function describe({ state: { accounts } }: StoredSetup, name: string) {
  const found = accounts.get(name);
  return found && { allowedIps: found.allowedIps, blockedRecipients: found.blockedRecipients };
}

function tell(call: ConsoleCall, stored: StoredSetup, name: string): object {
  const found = describe(stored, name);
  if (found === undefined) throw notThere();
  call.giveTag(tagOfObject(found));
  return found;
}

export const addressEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/accounts/:name/addresses",
    needs: "manageAccess",
    operationId: "getAddresses",
    summary: "The IP addresses and the block list of an account",
    tag: "Accounts",
    params: inPath,
    result: addresses,
    handle: async (call) => {
      const name = await nameOf(call);
      return tell(call, await call.reads.transaction((tx) => loadSetup(tx, scopeOf("accounts", name))), name);
    },
  },
  {
    method: "PUT",
    path: "/accounts/:name/addresses",
    needs: "manageAccess",
    operationId: "putAddresses",
    summary: "Replace the IP addresses and the block list of an account",
    description: "Both are whole lists; one that is left out is empty. The addresses bind programs, not the console.",
    tag: "Accounts",
    params: inPath,
    condition: "If-Match",
    body: input({
      allowedIps: orAbsent(array(plainText())),
      blockedRecipients: orAbsent(array(plainText(), { maxItems: mostNumbers })),
    }),
    result: addresses,
    handle: async (call) => {
      const name = await nameOf(call);
      const body = new ConsoleBody(foldNames(call.object({ values: mostNumbers + 10_000 })));
      const given = {
        allowedIps: readAddresses(body),
        blockedRecipients: body.list("blockedRecipients", recipientNumber, {
          wrong: "console.recipient",
          most: mostNumbers,
        }),
      };
      body.finish();
      const { stored } = await withFaults(() =>
        changeSetup(call.changes, {
          by: call.actor,
          about: { accounts: [name] },
          edit: (before) => {
            call.expectVersion(tagOfObject(describe(before, name)), [
              { kind: "account", name, keys: ["allowedIps", "blockedRecipients"] },
            ]);
            return { given: { accounts: [{ name, ...given }] } };
          },
        }),
      );
      return tell(call, stored, name);
    },
  },
];
