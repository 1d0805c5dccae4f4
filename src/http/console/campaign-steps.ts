// POST campaigns/{id}/start, pause, resume, stop and discard. Each is an audited change of the
// state under the campaign's lock; taken again where it is in that state already, it changes
// nothing.
import type { FastifyReply, FastifyRequest } from "fastify";
import { input, object, orAbsent, time } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { campaignOperation } from "../../sms/campaign.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import { hasUnsubmitted } from "../../store/campaign-feed.ts";
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
import { findKeptAnswers, insertIdempotencyKeys } from "../../store/idempotency-keys.ts";
import { readIdempotencyKey } from "../idempotency-key.ts";
import { requireJsonBody } from "../json-body.ts";
import { headerKey, keyOf } from "../messages/accept-send.ts";
import { campaignInPath, campaignSchema, describeCampaign, sendsCampaigns } from "./campaign-request.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleJson, consoleResponses, notThere } from "./console-endpoint.ts";
import { accountOf, pathId } from "./narrow.ts";
import { readSendAt } from "./send-request.ts";
import type { RequestKey } from "../../intake/commit-attempt.ts";

export function campaignSteps(context: ConsoleContext): ConsoleEndpoint[] {
  return [start(context), ...steps.map((step) => stepEndpoint(context, step)), discard(context)];
}

function start(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/campaigns/:id/start",
    needs: sendsCampaigns,
    schema: {
      operationId: "startCampaign",
      summary: "Start a campaign",
      description:
        "Its rows go to the intake a hundred at a time, behind one-time codes and the calls of programs, each with the ordinary checks. " +
        "A row that had a fault when it was sent up is refused with that fault, so that no more is charged than the draft tells. " +
        "With `sendAt` they are accepted and charged now, and sent then. Takes an `Idempotency-Key` header.",
      tags: ["Campaigns"],
      params: campaignInPath,
      body: input({ sendAt: orAbsent(time("At most 366 days ahead; absent: at once.")) }),
      response: consoleResponses(campaignSchema, 400, 404, 409, 422),
    },
    answer: async (call) => {
      const { request, reply } = call;
      const account = accountOf(context, call);
      const id = pathId(request);
      const findings: FieldFinding[] = [];
      const sendAt = readSendAt(requireJsonBody(request).get("sendat"), Date.now(), findings);
      const { key, findings: ofKey } = keyOf(readIdempotencyKey(headerKey(request)), "console/campaigns/start", [
        id,
        sendAt ?? null,
      ]);
      const body = await context.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, { id, accountId: account.id });
        const kept = key && (await findKept(context, tx, { accountId: account.id, key, reply }));
        if (kept !== undefined) return kept;
        if (campaign === undefined) throw notThere();
        const invalid = [...findings, ...ofKey];
        if (invalid.length > 0) throw ApiError.invalidParameters(invalid);
        context.expectMay(request, [campaignOperation(campaign)]);
        expectState(campaign, ["draft"]);
        expectRows(campaign);
        await startCampaign(tx, id, sendAt);
        await note(context, request, tx, { campaign, after: { state: "sending", sendAt } });
        const answer = consoleJson(describeCampaign(await again(tx, campaign), { withText: true }));
        if (key !== undefined) await keep(context, tx, { accountId: account.id, key, answer });
        return answer;
      });
      return JSON.parse(body) as object;
    },
  };
}

interface KeyOfAccount {
  readonly accountId: number;
  readonly key: RequestKey;
}

async function findKept(
  context: ConsoleContext,
  tx: Queryable,
  { accountId, key, reply }: KeyOfAccount & { reply: FastifyReply },
): Promise<string | undefined> {
  const { idempotencyHours } = context.parts.config;
  const [kept] = await findKeptAnswers(tx, [{ accountId, key: key.key }], idempotencyHours);
  if (kept === undefined) return undefined;
  if (!kept.fingerprint.equals(key.fingerprint)) throw new ApiError("idempotencyKeyReused");
  void reply.header("idempotent-replayed", "true");
  return kept.answer;
}

async function keep(
  context: ConsoleContext,
  tx: Queryable,
  { accountId, key, answer }: KeyOfAccount & { answer: string },
): Promise<void> {
  const { idempotencyHours } = context.parts.config;
  // The other call has been committed meanwhile: the caller asks again and gets its answer.
  if (!(await insertIdempotencyKeys(tx, [{ accountId, ...key, answer }], idempotencyHours)))
    throw new ApiError("idempotencyKeyBusy", { headers: { "retry-after": "1" } });
}

function expectRows({ rows, faulty, duplicates, skipDuplicates }: Campaign): void {
  if (rows - faulty - (skipDuplicates ? duplicates : 0) <= 0)
    throw ApiError.invalidParameter("rows", "campaign.nothingToSend");
}

interface StepPlan {
  readonly name: "pause" | "resume" | "stop";
  readonly summary: string;
  readonly description: string;
  readonly from: readonly Campaign["state"][];
  readonly to: Campaign["state"];
  readonly needs: readonly Operation[];
  readonly take: (tx: Queryable, campaign: Campaign) => Promise<void>;
}

const steps: readonly StepPlan[] = [
  {
    name: "pause",
    summary: "Pause a campaign",
    description: "No further row is accepted until it is resumed. What was accepted is sent.",
    from: ["sending"],
    to: "paused",
    needs: [...sendsCampaigns, "cancel"],
    take: (tx, { id }) => pauseCampaign(tx, id, "person"),
  },
  {
    name: "resume",
    summary: "Go on with a paused campaign",
    description: "From the first row without an outcome.",
    from: ["paused"],
    to: "sending",
    needs: sendsCampaigns,
    take: (tx, { id }) => resumeCampaign(tx, id),
  },
  {
    name: "stop",
    summary: "Stop a campaign for good",
    description:
      "No further row is accepted, and what is scheduled or waits is canceled and refunded. One that is done is stopped as long as a message of " +
      "it waits.",
    from: ["sending", "paused", "done"],
    to: "stopped",
    needs: ["cancel"],
    take: stopWhatWaits,
  },
];

/** The last row was accepted, and messages may wait for hours, a link, or those before them. */
async function stopWhatWaits(tx: Queryable, campaign: Campaign): Promise<void> {
  const { id, state } = campaign;
  if (state === "done" && !(await hasUnsubmitted(tx, campaign)))
    throw ApiError.invalidParameter("state", "campaign.state", { state });
  await stopCampaign(tx, id);
}

function stepEndpoint(
  context: ConsoleContext,
  { name, summary, description, from, to, needs, take }: StepPlan,
): ConsoleEndpoint {
  return {
    method: "POST",
    path: `/campaigns/:id/${name}`,
    needs,
    schema: {
      operationId: `${name}Campaign`,
      summary,
      description,
      tags: ["Campaigns"],
      params: campaignInPath,
      response: consoleResponses(campaignSchema, 400, 404),
    },
    answer: async ({ request }) => {
      const session = context.sessionOf(request);
      const changed = await context.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, { id: pathId(request), accountId: session.account?.id });
        if (campaign === undefined) throw notThere();
        if (campaign.state === to) return campaign;
        expectState(campaign, from);
        await take(tx, campaign);
        await note(context, request, tx, { campaign, after: { state: to } });
        return again(tx, campaign);
      });
      return describeCampaign(changed, { withText: session.kind === "user" });
    },
  };
}

function discard(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/campaigns/:id/discard",
    needs: sendsCampaigns,
    schema: {
      operationId: "discardCampaign",
      summary: "Throw a draft away",
      tags: ["Campaigns"],
      params: campaignInPath,
      response: consoleResponses(object({}), 400, 404),
    },
    answer: async (call) => {
      const { id: accountId } = accountOf(context, call);
      await context.work.transaction(async (tx) => {
        const campaign = await lockCampaign(tx, { id: pathId(call.request), accountId });
        if (campaign === undefined) throw notThere();
        expectState(campaign, ["draft"]);
        await deleteDraft(tx, campaign.id);
        await insertAuditEntries(tx, context.actorOf(call.request), [
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
  };
}

function expectState({ state }: Campaign, wanted: readonly Campaign["state"][]): void {
  if (!wanted.includes(state)) throw ApiError.invalidParameter("state", "campaign.state", { state });
}

async function note(
  context: ConsoleContext,
  request: FastifyRequest,
  tx: Queryable,
  { campaign, after }: { campaign: Campaign; after: object },
): Promise<void> {
  const { id, account, state } = campaign;
  await insertAuditEntries(tx, context.actorOf(request), [
    { action: "change", kind: "campaign", name: id, account, before: { state }, after },
  ]);
}

async function again(tx: Queryable, { id, accountId }: Campaign): Promise<Campaign> {
  const found = await findCampaign(tx, { id, accountId });
  if (found === undefined) throw notThere();
  return found;
}
