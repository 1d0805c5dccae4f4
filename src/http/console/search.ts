// GET search: what the words in the search box may mean, each with the page that shows it.
import { array, object, oneOf, orAbsent, plainText, time } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { cleanNumber, nationalForm, parseRecipient } from "../../sms/msisdn.ts";
import { findCampaign } from "../../store/campaigns.ts";
import type { Queryable } from "../../store/database.ts";
import { findAccountNames, findById, findByOperatorId, findCampaignsByName } from "../../store/search.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";

const kinds = ["message", "batch", "recipient", "account", "campaign", "operatorId"] as const;

const found = object({
  kind: oneOf(kinds),
  name: plainText("What was found: an id, a number, the name of an account or campaign."),
  path: plainText("The page that shows it, below /console."),
  account: orAbsent(plainText("Whose it is; for staff only.")),
  connector: orAbsent(plainText("Of an operator's id: who took the message under it.")),
  at: orAbsent(time("Of an operator's id: when; of a campaign: when it was made.")),
});

interface Found {
  readonly kind: (typeof kinds)[number];
  readonly name: string;
  readonly path: string;
  readonly account?: string;
  readonly connector?: string;
  readonly at?: Date;
}

const longestQuery = 100;
/** Of one kind. */
const foundAtMost = 10;

/** All statements go to the database at once. */
function searchFor(call: ConsoleCall, words: string, accountId: number | undefined): Promise<Found[]> {
  return call.reads.transaction(async (tx) => {
    const [ids, ...others] = await Promise.all([
      findIds(tx, words, accountId),
      findCampaigns(tx, words, accountId),
      ...(accountId === undefined ? [findOperatorIds(tx, words), findAccounts(tx, words)] : []),
    ]);
    return [...ids, ...findNumber(words), ...others.flat()];
  });
}

async function findIds(tx: Queryable, words: string, accountId: number | undefined): Promise<Found[]> {
  if (!isUuid(words)) return [];
  const id = words.toLowerCase();
  const rows = await findById(tx, id, accountId);
  return rows.map(({ kind, account }) => ({
    ...{ kind, name: id, path: kind === "message" ? `/messages/${id}` : `/messages?batch=${id}` },
    ...(accountId === undefined && { account }),
  }));
}

async function findCampaigns(tx: Queryable, words: string, accountId: number | undefined): Promise<Found[]> {
  const [byName, byId] = await Promise.all([
    findCampaignsByName(tx, { words, accountId, limit: foundAtMost }),
    isUuid(words) ? findCampaign(tx, { id: words, accountId }) : undefined,
  ]);
  const found = byId ? [{ ...byId, at: byId.createdAt }] : byName;
  return found.map(({ id, name, account, at }) => ({
    ...{ kind: "campaign", name, path: `/campaigns/${id}`, at },
    ...(accountId === undefined && { account }),
  }));
}

function findNumber(words: string): Found[] {
  const recipient = parseRecipient(cleanNumber(words, "json"));
  if (recipient === undefined) return [];
  const name = nationalForm(recipient);
  return [{ kind: "recipient", name, path: `/messages?recipient=${name}` }];
}

async function findOperatorIds(tx: Queryable, words: string): Promise<Found[]> {
  const rows = await findByOperatorId(tx, words, foundAtMost);
  return rows.map(({ messageId, account, connector, at }): Found => {
    return { kind: "operatorId", name: words, path: `/messages/${messageId}`, account, connector, at };
  });
}

async function findAccounts(tx: Queryable, words: string): Promise<Found[]> {
  const names = await findAccountNames(tx, words, foundAtMost);
  return names.map((name): Found => ({ kind: "account", name, path: `/accounts/${encodeURIComponent(name)}` }));
}

export const searchEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/search",
    needs: "readMessages",
    operationId: "search",
    summary: "Search by a number, id or name",
    description:
      "Finds the number of a recipient, the id of a message, batch or campaign, words in the names of the latest campaigns and, for staff, an operator's id of a message (of present connectors) and " +
      "accounts by the beginning of their name or domain. A number is answered without looking whether there are messages to it.",
    tag: "Messages",
    query: { q: plainText({ minLength: 1, maxLength: longestQuery }) },
    result: object({ items: array(found) }),
    handle: async (call) => {
      const { account } = call.session;
      const words = call.query.text("q")?.trim() ?? "";
      if (words === "" || words.length > longestQuery) {
        throw ApiError.invalidParameters([
          { field: "q", messageKey: "console.searchWords", values: { longest: longestQuery } },
        ]);
      }
      return { items: await searchFor(call, words, account?.id) };
    },
  },
];
