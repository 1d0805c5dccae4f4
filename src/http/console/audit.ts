// GET audit: who changed what, newest first.
import { orAbsent, plainText, time } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { listAuditEntries } from "../../store/audit.ts";
import { type ConsoleEndpoints, pageParameters, readSequence } from "./console-endpoint.ts";
import { cleanNumber, nationalForm, parseRecipient } from "../../sms/msisdn.ts";
import { findCampaign } from "../../store/campaigns.ts";
import type { Queryable } from "../../store/database.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { ConsoleCall } from "./console-call.ts";
import {
  findAccountNames,
  findByOperatorId,
  findCampaignsByName,
  findNamedMessages,
} from "../../store/staff-lookups.ts";

const parameters = {
  ...pageParameters,
  account: orAbsent(plainText()),
  who: orAbsent(plainText()),
  kind: orAbsent(plainText()),
  name: orAbsent(plainText()),
  from: orAbsent(time("At or after.")),
  to: orAbsent(time("Before.")),
};

export const auditEndpoints = {
  "GET /audit": {
    needs: "readAudit",
    summary: "Who changed what",
    description: "Newest first. A page may be short, or empty, and have a next one.",
    query: parameters,
    handle: async (call) => {
      const { after, count, ...filter } = call.readQuery(parameters);
      const { entries, next } = await listAuditEntries(call.reads, {
        before: readSequence(after),
        limit: count,
        ...filter,
      });
      const items = entries.map(({ id, ...rest }) => ({ id: id.toString(), ...rest }));
      return { items, ...(next !== undefined && { nextCursor: next.toString() }) };
    },
  },
} satisfies ConsoleEndpoints;

// GET search: what the words in the search box may mean, each with the page that shows it.

interface Found {
  readonly kind: "message" | "batch" | "recipient" | "account" | "campaign" | "operatorId";
  /** An id, a number, the name of an account or campaign. */
  readonly name: string;
  /** Of the page that shows it, below /console. */
  readonly path: string;
  /** Whose it is; for staff only. */
  readonly account?: string;
  /** Of an operator's id: who took the message under it. */
  readonly connector?: string;
  /** Of an operator's id: when; of a campaign: when it was made. */
  readonly at?: Date;
}

const longestQuery = 100;
const searchParameters = { q: plainText({ minLength: 1, maxLength: longestQuery }) };

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
  const [first] = await findNamedMessages(tx, id, accountId);
  if (first === undefined) return [];
  const kind = first.messageId === id ? "message" : "batch";
  const path = kind === "message" ? `/messages/${id}` : `/messages?batch=${id}`;
  return [{ kind, name: id, path, ...(accountId === undefined && { account: first.account }) }];
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

export const searchEndpoints = {
  "GET /search": {
    needs: "readMessages",
    summary: "Search by a number, id or name",
    description:
      "Finds the number of a recipient, the id of a message, batch or campaign, words in the names of the latest campaigns and, for staff, an operator's id of a message (of present connectors) and " +
      "accounts by the beginning of their name or domain. A number is answered without looking whether there are messages to it.",
    query: searchParameters,
    handle: async (call) => {
      const { account } = call.session;
      const words = call.readQuery(searchParameters).q.trim();
      if (words === "" || words.length > longestQuery) {
        throw ApiError.invalidParameter("q", "console.searchWords", { longest: longestQuery });
      }
      return { items: await searchFor(call, words, account?.id) };
    },
  },
} satisfies ConsoleEndpoints;
