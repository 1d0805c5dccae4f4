// GET search: what the words in the search box may mean, each with the page that shows it.
import { Type } from "typebox";
import { ApiError } from "../../errors.ts";
import { cleanNumber, nationalForm, parseRecipient } from "../../sms/msisdn.ts";
import { findCampaign } from "../../store/campaigns.ts";
import { findMessageOwners } from "../../store/message-owners.ts";
import { findAccountNames, findById, findByOperatorId, findCampaignsByName } from "../../store/search.ts";
import { isUuid } from "../../uuid.ts";
import type { ConsoleDoor } from "./console-door.ts";
import { type ConsoleEndpoint, consoleResponses, exactly, readQuery, time } from "./console-endpoint.ts";

const kinds = ["message", "batch", "recipient", "account", "campaign", "operatorId"] as const;

const found = Type.Object(
  {
    kind: Type.Union(kinds.map((kind) => Type.Literal(kind))),
    name: Type.String({ description: "What was found: an id, a number, the name of an account or campaign." }),
    path: Type.String({ description: "The page that shows it, below /console." }),
    account: Type.Optional(Type.String({ description: "Whose it is; for staff only." })),
    connector: Type.Optional(Type.String({ description: "Of an operator's id: who took the message under it." })),
    at: Type.Optional(time("Of an operator's id: when; of a campaign: when it was made.")),
  },
  exactly,
);

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

export function searchEndpoints(door: ConsoleDoor): ConsoleEndpoint[] {
  return [
    {
      method: "GET",
      path: "/search",
      needs: ["see", "look"],
      schema: {
        operationId: "search",
        summary: "Search by a number, id or name",
        description:
          "Finds the number of a recipient, the id of a message, batch or campaign, words in the names of the latest campaigns and, for staff, an operator's id of a message (of present connectors) and " +
          "accounts by the beginning of their name or domain. A number is answered without looking whether there are messages to it.",
        tags: ["Messages"],
        querystring: Type.Object({ q: Type.String({ minLength: 1, maxLength: longestQuery }) }),
        response: consoleResponses(Type.Object({ items: Type.Array(found) }, exactly), 400),
      },
      answer: async ({ request }) => {
        const { account } = door.sessionOf(request);
        const words = readQuery(request).text("q")?.trim() ?? "";
        if (words === "" || words.length > longestQuery) {
          throw ApiError.invalidParameters([
            { field: "q", messageKey: "console.searchWords", values: { longest: longestQuery } },
          ]);
        }
        const items = [
          ...(await findIds(door, words, account?.id)),
          ...findNumber(words),
          ...(await findCampaigns(door, words, account?.id)),
        ];
        return { items: account === undefined ? [...items, ...(await findForStaff(door, words))] : items };
      },
    },
  ];
}

async function findIds(door: ConsoleDoor, words: string, accountId: number | undefined): Promise<Found[]> {
  if (!isUuid(words)) return [];
  const id = words.toLowerCase();
  const owners = accountId === undefined ? await findMessageOwners(door.reads, id) : [accountId];
  const rows = await findById(door.reads, id, owners);
  return rows.map(({ kind, account }) => ({
    ...{ kind, name: id, path: kind === "message" ? `/messages/${id}` : `/messages?batch=${id}` },
    ...(accountId === undefined && { account }),
  }));
}

async function findCampaigns(door: ConsoleDoor, words: string, accountId: number | undefined): Promise<Found[]> {
  const byId = isUuid(words) ? await findCampaign(door.reads, { id: words, accountId }) : undefined;
  const found = byId
    ? [{ ...byId, at: byId.createdAt }]
    : await findCampaignsByName(door.reads, { words, accountId, limit: foundAtMost });
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

async function findForStaff(door: ConsoleDoor, words: string): Promise<Found[]> {
  const byOperatorId = await findByOperatorId(door.reads, words, foundAtMost);
  const names = await findAccountNames(door.reads, words, foundAtMost);
  return [
    ...byOperatorId.map(({ messageId, account, connector, at }): Found => {
      return { kind: "operatorId", name: words, path: `/messages/${messageId}`, account, connector, at };
    }),
    ...names.map((name): Found => ({ kind: "account", name, path: `/accounts/${encodeURIComponent(name)}` })),
  ];
}
