// POST campaigns/{id}/start, pause, resume, stop and discard. Each is an audited change of the
// state under the campaign's lock; taken again where it is in that state already, it changes
// nothing.
import { input } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { campaignOperation } from "../../sms/campaign.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import {
  type Campaign,
  deleteDraft,
  findCampaign,
  lockCampaign,
  pauseCampaign,
  resumeCampaign,
  startCampaign,
  stopCampaign,
} from "../../store/campaigns.ts";
import type { Queryable } from "../../store/database.ts";
import { describeCampaign, sendsCampaigns } from "./campaign-request.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { findLateness, sendAtBody } from "./send-request.ts";
import type { ConsoleCall } from "./console-call.ts";
import { hasUnsubmitted } from "../../store/campaign-rows.ts";

function expectRows({ rows, faulty, duplicates, skipDuplicates }: Campaign): void {
  if (rows - faulty - (skipDuplicates ? duplicates : 0) <= 0)
    throw ApiError.invalidParameter("rows", "campaign.nothingToSend");
}

interface StepPlan {
  readonly summary: string;
  readonly description: string;
  readonly from: readonly Campaign["state"][];
  readonly to: Campaign["state"];
  readonly needs: readonly Operation[];
  readonly take: (tx: Queryable, campaign: Campaign) => Promise<void>;
}

/** The last row was accepted, and messages may wait for hours, a link, or those before them. */
async function stopWhatWaits(tx: Queryable, campaign: Campaign): Promise<void> {
  const { id, state } = campaign;
  if (state === "done" && !(await hasUnsubmitted(tx, campaign)))
    throw ApiError.invalidParameter("state", "campaign.state", { state });
  await stopCampaign(tx, id);
}

function step({ summary, description, from, to, needs, take }: StepPlan) {
  return {
    needs,
    summary,
    description,
    handle: async (call: ConsoleCall) => {
      const session = call.session;
      const changed = await call.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, { id: call.id, accountId: session.account?.id });
        if (campaign === undefined) throw ApiError.notThere();
        if (campaign.state === to) return campaign;
        expectState(campaign, from);
        await take(tx, campaign);
        await note(call, tx, { campaign, after: { state: to } });
        return again(tx, campaign);
      });
      return describeCampaign(changed, { withText: session.account !== undefined });
    },
  };
}

function expectState({ state }: Campaign, wanted: readonly Campaign["state"][]): void {
  if (!wanted.includes(state)) throw ApiError.invalidParameter("state", "campaign.state", { state });
}

async function note(
  call: ConsoleCall,
  tx: Queryable,
  { campaign, after }: { campaign: Campaign; after: object },
): Promise<void> {
  const { id, account, state } = campaign;
  await insertAuditEntries(tx, call.actor, [
    { action: "change", kind: "campaign", name: id, account, before: { state }, after },
  ]);
}

async function again(tx: Queryable, { id, accountId }: Campaign): Promise<Campaign> {
  const found = await findCampaign(tx, { id, accountId });
  if (found === undefined) throw ApiError.notThere();
  return found;
}

const startBody = input(sendAtBody);

export const campaignSteps = {
  "POST /campaigns/{id}/start": {
    needs: sendsCampaigns,
    summary: "Start a campaign",
    description:
      "Its rows go to the intake a hundred at a time, behind one-time codes and the calls of programs, each with the ordinary checks. " +
      "A row that had a fault when it was sent up is refused with that fault, so that no more is charged than the draft tells. " +
      "With `sendAt` they are accepted and charged now, and sent then. The same call again changes nothing.",
    body: startBody,
    handle: async (call) => {
      const { id: accountId } = call.ownAccount;
      const { sendAt } = call.readBody(startBody);
      const changed = await call.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, { id: call.id, accountId });
        if (campaign === undefined) throw ApiError.notThere();
        // The call is repeated.
        if (campaign.startedAt !== null && campaign.sendAt?.getTime() === sendAt?.getTime()) return campaign;
        const late = findLateness(sendAt, Date.now());
        if (late.length > 0) throw ApiError.invalidParameters(late);
        call.expectMay([campaignOperation(campaign)]);
        expectState(campaign, ["draft"]);
        expectRows(campaign);
        await startCampaign(tx, campaign.id, sendAt);
        await note(call, tx, { campaign, after: { state: "sending", sendAt } });
        return again(tx, campaign);
      });
      return describeCampaign(changed, { withText: true });
    },
  },
  "POST /campaigns/{id}/pause": step({
    summary: "Pause a campaign",
    description: "No further row is accepted until it is resumed. What was accepted is sent.",
    from: ["sending"],
    to: "paused",
    needs: [...sendsCampaigns, "cancel"],
    take: (tx, { id }) => pauseCampaign(tx, id, "person"),
  }),
  "POST /campaigns/{id}/resume": step({
    summary: "Go on with a paused campaign",
    description: "From the first row without an outcome.",
    from: ["paused"],
    to: "sending",
    needs: sendsCampaigns,
    take: (tx, { id }) => resumeCampaign(tx, id),
  }),
  "POST /campaigns/{id}/stop": step({
    summary: "Stop a campaign for good",
    description:
      "No further row is accepted, and what is scheduled or waits is canceled and refunded. One that is done is stopped as long as a message of " +
      "it waits.",
    from: ["sending", "paused", "done"],
    to: "stopped",
    needs: ["cancel"],
    take: stopWhatWaits,
  }),
  "POST /campaigns/{id}/discard": {
    needs: sendsCampaigns,
    summary: "Throw a draft away",
    handle: async (call) => {
      const { id: accountId } = call.ownAccount;
      await call.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, { id: call.id, accountId });
        if (campaign === undefined) throw ApiError.notThere();
        expectState(campaign, ["draft"]);
        await deleteDraft(tx, campaign.id);
        await insertAuditEntries(tx, call.actor, [
          {
            action: "remove",
            kind: "campaign",
            name: campaign.id,
            account: campaign.account,
            before: { rows: campaign.rows },
          },
        ]);
      });
      return {};
    },
  },
} satisfies ConsoleEndpoints;
