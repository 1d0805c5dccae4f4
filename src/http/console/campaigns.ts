// GET and POST campaigns, GET campaigns/{id} with its rows and outcomes, and the rows of a draft:
// one text, or a template, for up to 100,000 recipients.
import { integer, oneOf, orAbsent, orDefault, plainText, uuidText } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { addCostly, campaignOperation, findDuplicates, checkRows, maximumCampaignRows } from "../../sms/campaign.ts";
import { setImmediate } from "node:timers/promises";
import { checkRowsInSteps, rowsOfStep } from "../../intake/feed-campaigns.ts";
import { deliveryRate } from "../../sms/delivery-quality.ts";
import { textOfFailure } from "../../texts/failure-texts.ts";
import { rowStateText, stateText } from "../../texts/list-file-texts.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import type { AccountTerms } from "../../sms/prepare-message.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import {
  type RowFilter,
  countBlankValues,
  countOutcomes,
  findFirstRows,
  insertRows,
  type FileRow,
  type ListedRow,
  listRows,
  listSampleRows,
} from "../../store/campaign-rows.ts";
import {
  type Campaign,
  addToDraft,
  campaignStates,
  findCampaign,
  insertCampaign,
  listCampaigns,
  lockCampaign,
} from "../../store/campaigns.ts";
import type { Queryable } from "../../store/database.ts";
import { latestUuidMs, uuidCeiling, uuidv7 } from "../../platform/uuid.ts";
import {
  describeCampaign,
  describeRow,
  maximumRowsOfCall,
  newCampaign,
  newRows,
  readCampaign,
  readRows,
  reasonOfRow,
  readsCampaigns,
  sendsCampaigns,
} from "./campaign-request.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";
import { type FileColumn, type ListFile, fileEndpoints, filePageRows } from "./list-file.ts";

/** Of one account. */
const limits = { drafts: 10, rows: 20_000_000 };

const listParameters = {
  ...pageParameters,
  after: orAbsent(uuidText()),
  account: orAbsent(plainText("For staff: of this account.")),
  state: orAbsent(oneOf(campaignStates)),
};

/** Throws 404 for another account's. */
async function campaignOf(call: ConsoleCall): Promise<Campaign> {
  const accountId = call.session.account?.id;
  const found = await findCampaign(call.reads, { id: call.id, accountId });
  if (found === undefined) throw ApiError.notThere();
  return found;
}

interface RowsToSave {
  readonly campaign: Campaign;
  readonly rows: readonly FileRow[];
  readonly terms: AccountTerms;
}

const blockedKeys: readonly (string | undefined)[] = ["recipientNumber.blocked", "recipientNumber.listed"];

async function saveRows(tx: Queryable, { campaign, rows, terms }: RowsToSave): Promise<void> {
  const { id, skipDuplicates } = campaign;
  const verdicts = await checkRowsInSteps(campaign, rows, terms);
  const faults = verdicts.map((verdict) => (verdict.kind === "rejected" ? verdict.faults[0] : null));
  const duplicates = findDuplicates(
    rows.map((row, index) => ({ ...row, number: row.fileRow, isFaulty: faults[index] !== null })),
    await findFirstRows(
      tx,
      id,
      rows.map(({ recipient }) => recipient),
    ),
  );
  const place = (index: number) => ({ duplicateOf: duplicates[index] ?? null, fault: faults[index] ?? null });
  await insertRows(
    tx,
    id,
    rows.map((row, index) => ({ ...row, ...place(index) })),
  );
  const sendable = verdicts
    .filter((_, index) => !(skipDuplicates && place(index).duplicateOf !== null))
    .filter((verdict) => verdict.kind === "prepared");
  let { costly } = campaign;
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict.kind === "prepared") costly = addCostly(costly, rows[index]?.fileRow ?? 0, verdict.content);
    // The event loop turns: a thousand long texts take a while.
    if (index % rowsOfStep === 0) await setImmediate();
  }
  await addToDraft(tx, id, {
    rows: rows.length,
    faulty: faults.filter((found) => found !== null).length,
    blocked: faults.filter((found) => blockedKeys.includes(found?.messageKey)).length,
    duplicates: duplicates.filter((before) => before !== null).length,
    parts: sendable.reduce((sum, { parts }) => sum + BigInt(parts), 0n),
    cost: sendable.reduce((sum, { cost }) => sum + cost, 0n),
    costly,
  });
}

const rowFilters: readonly RowFilter[] = ["faulty", "duplicate", "failed"];
const fileParameters = { only: orAbsent(oneOf(rowFilters)) };

/** Throws 403 for a filter that shows what became of messages. */
function readRowFilter(call: ConsoleCall): RowFilter | undefined {
  const { only } = call.readQuery(fileParameters);
  if (only === "failed") call.expectMay(["readMessages"]);
  return only;
}

const rowParameters = {
  ...pageParameters,
  after: orDefault(integer({ minimum: 0, maximum: maximumCampaignRows }), 0),
  ...fileParameters,
};
const samples = 3;

export const campaignEndpoints = {
  "GET /campaigns": {
    needs: readsCampaigns,
    summary: "Campaigns",
    description: "Newest first.",
    query: listParameters,
    handle: async (call) => {
      const { account: name, state, after = uuidCeiling(latestUuidMs), count } = call.readQuery(listParameters);
      const account = await call.accountNamed(name);
      const asked = { accountId: account?.id, state, before: after, limit: count + 1 };
      const found = await call.reads.transaction((tx) => listCampaigns(tx, asked));
      const withText = call.session.account !== undefined;
      return pageFrom(
        found,
        count,
        ({ id }) => id,
        (campaign) => describeCampaign(campaign, { withText }),
      );
    },
  },
  "POST /campaigns": {
    needs: sendsCampaigns,
    summary: "Begin a campaign",
    description:
      "A draft without rows. `content` is the text of all messages, with `{name}` for each of the columns; with `templateId` the columns " +
      "are the template's parameters; with neither the first column is the text. Nothing is sent before `start`.",
    body: newCampaign,
    handle: async (call) => {
      const account = call.ownAccount;
      const wanted = readCampaign(call.readBody(newCampaign));
      call.expectMay([campaignOperation(wanted)]);
      const id = uuidv7();
      const { username } = call.session;
      await call.work.transaction(async (tx) => {
        const campaign = { ...wanted, id, accountId: account.id, createdBy: username };
        if (!(await insertCampaign(tx, campaign, limits)))
          throw ApiError.invalidParameter("name", "campaign.tooManyDrafts", {
            maximum: limits.drafts,
            rows: limits.rows,
          });
        await insertAuditEntries(tx, call.actor, [
          { action: "create", kind: "campaign", name: id, account: account.name, after: { name: wanted.name } },
        ]);
      });
      const made = await findCampaign(call.work, { id, accountId: account.id });
      if (made === undefined) throw ApiError.notThere();
      return describeCampaign(made, { withText: true });
    },
  },
  "GET /campaigns/{id}": {
    needs: readsCampaigns,
    summary: "One campaign",
    handle: async (call) => {
      const withText = call.session.account !== undefined;
      return describeCampaign(await campaignOf(call), { withText });
    },
  },
  "POST /campaigns/{id}/rows": {
    needs: sendsCampaigns,
    isFree: true,
    summary: "Send up rows of a draft",
    description:
      `At most ${maximumRowsOfCall} a call and ${maximumCampaignRows} in all, in the order of the file: \`first\` is the number of the ` +
      "first of them, one more than the campaign has. Rows that it has already change nothing, so that a call can be repeated. The answer has " +
      "what was found so far.",
    body: newRows,
    handle: async (call) => {
      const account = call.ownAccount;
      const id = call.id;
      const given = call.readBody(newRows);
      const { first } = given;
      const own = { id, accountId: account.id };
      const changed = await call.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, own);
        if (campaign === undefined) throw ApiError.notThere();
        if (campaign.state !== "draft")
          throw ApiError.invalidParameter("state", "campaign.state", { state: campaign.state });
        const rows = readRows(given, campaign.columns.length);
        if (first + rows.length - 1 <= campaign.rows) return campaign;
        if (first !== campaign.rows + 1)
          throw ApiError.invalidParameter("first", "campaign.first", { expected: campaign.rows + 1 });
        if (campaign.rows + rows.length > maximumCampaignRows)
          throw ApiError.invalidParameter("rows", "campaign.tooManyRows", { maximum: maximumCampaignRows });
        await saveRows(tx, { campaign, rows, terms: account.terms });
        return findCampaign(tx, own);
      });
      if (changed === undefined) throw ApiError.notThere();
      return describeCampaign(changed, { withText: true });
    },
  },
  "GET /campaigns/{id}/rows": {
    needs: readsCampaigns,
    summary: "The rows of a campaign with their outcomes",
    description: "In the order of the file. What became of their messages is shown to those who may see messages.",
    query: rowParameters,
    handle: async (call) => {
      const { id, accountId } = await campaignOf(call);
      const { after, count } = call.readQuery(rowParameters);
      const rows = await listRows(call.reads, { id, accountId, after, limit: count + 1, filter: readRowFilter(call) });
      const language = call.language;
      const withMessage = call.may("readMessages");
      return pageFrom(
        rows,
        count,
        ({ number }) => String(number),
        (row) => describeRow(row, { language, withMessage }),
      );
    },
  },
  "GET /campaigns/{id}/samples": {
    needs: sendsCampaigns,
    summary: "The first texts of a draft, which values are missing, and which characters make texts dearer",
    description: "Nothing of a campaign that was started: its values are not kept.",
    handle: async (call) => {
      const { terms } = call.ownAccount;
      const campaign = await campaignOf(call);
      if (campaign.state !== "draft") return { items: [], blank: [], costly: [] };
      const rows = await listSampleRows(call.reads, { ...campaign, limit: samples });
      const blank = await countBlankValues(call.reads, campaign.id);
      const items = checkRows(campaign, rows, terms).flatMap((verdict, index) =>
        verdict.kind === "prepared"
          ? [{ number: rows[index]?.fileRow ?? 0, content: verdict.content, parts: verdict.parts }]
          : [],
      );
      return {
        items,
        blank: blank.map(({ column, rows: count }) => ({ name: campaign.columns[column - 1] ?? "", rows: count })),
        costly: campaign.costly,
      };
    },
  },
  "GET /campaigns/{id}/outcomes": {
    needs: "readMessages",
    summary: "How many messages of a campaign have which status",
    description: "Reads every message of the campaign: not for asking every second.",
    handle: async (call) => {
      const { id, accountId } = await campaignOf(call);
      const found = await countOutcomes(call.reads, { id, accountId });
      if (found === undefined) throw ApiError.notThere();
      const { withdrawn, ...counts } = found;
      return { ...counts, deliveryRate: deliveryRate({ ...counts, withdrawn }) };
    },
  },
} satisfies ConsoleEndpoints;

export const campaignFiles = fileEndpoints({
  path: "/campaigns/:id/rows",
  needs: readsCampaigns,
  summary: "The rows of a campaign with their outcomes",
  description: "In the order of the file.",
  query: fileParameters,
  list: async (call, language): Promise<ListFile<ListedRow>> => {
    const { id, accountId, name, state } = await campaignOf(call);
    const filter = readRowFilter(call);
    const columns = fileColumns(language, () => call.may("readMessages"));
    return {
      name: "campaign",
      title: name,
      // Of a draft no message is there yet.
      columns: columns.filter(
        ({ key, for: whom }) => state !== "draft" || whom === "programs" || !ofMessages.includes(key),
      ),
      page: async (after) => {
        const asked = { id, accountId, after: Number(after ?? 0), limit: filePageRows, filter };
        const items = await listRows(call.reads, asked);
        return { items, nextCursor: items.length === filePageRows ? String(items.at(-1)?.number) : undefined };
      },
    };
  },
});

const ofMessages = ["sentMessageId", "failureKind", "cost", "finalAt"];

function fileColumns(language: AnswerLanguage, withMessage: () => boolean): readonly FileColumn<ListedRow>[] {
  const status = (row: ListedRow) => (withMessage() ? row.status : null);
  const messageId = (row: ListedRow) => (withMessage() ? row.messageId : null);
  const reasonOf = (row: ListedRow) => reasonOfRow(row, { language, withMessage: withMessage() });
  return [
    { key: "number", raw: ({ fileRow }) => fileRow },
    { key: "recipientNumber", raw: ({ recipient }) => recipient },
    { key: "messageStatus", for: "programs", raw: status },
    { key: "state", for: "people", raw: status, shown: (row) => stateText(status(row)) ?? rowStateText(row) },
    { key: "errorCode", for: "programs", raw: (row) => reasonOf(row).errorCode },
    { key: "errorMessage", raw: (row) => reasonOf(row).errorMessage },
    {
      key: "failureKind",
      for: "people",
      raw: (row) => reasonOf(row).failureKind,
      shown: ({ failure }) => (withMessage() && failure ? textOfFailure(failure) : undefined),
    },
    { key: "duplicateOf", raw: ({ duplicateOf }) => duplicateOf },
    { key: "sentMessageId", raw: messageId, for: "programs" },
    { key: "sentMessageId", raw: messageId, for: "people" },
    // Programs may read by position: what is new for them comes last.
    { key: "failureKind", for: "programs", raw: (row) => reasonOf(row).failureKind },
    { key: "cost", raw: ({ cost }) => (withMessage() ? cost : null) },
    { key: "finalAt", raw: ({ finalAt }) => (withMessage() ? finalAt : null) },
  ];
}
