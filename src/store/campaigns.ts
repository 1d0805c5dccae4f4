// Campaigns: what they are, in which state, and how far they have come.
import type { CampaignPlan, CostlyInRows } from "../sms/campaign.ts";
import { composed, firstOf, type Queryable } from "./database.ts";
import { conditions } from "./row-statement.ts";

export type CampaignState = "draft" | "sending" | "paused" | "stopped" | "done";
export const campaignStates: readonly CampaignState[] = ["draft", "sending", "paused", "stopped", "done"];

/**
 * `person`: somebody paused it. `permission`: the account may no longer send so. `restored`: the
 * database was restored meanwhile. `ceiling`: of the day or the month.
 */
export type PauseReason = "person" | "credit" | "ceiling" | "permission" | "restored";

export interface Campaign extends CampaignPlan {
  readonly id: string;
  readonly accountId: number;
  readonly account: string;
  readonly name: string;
  readonly state: CampaignState;
  readonly pauseReason: PauseReason | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly skipDuplicates: boolean;
  readonly sendAt: Date | null;
  readonly rows: number;
  /** Rows that cannot be sent, as found when they were sent up. */
  readonly faulty: number;
  /** Of these, recipients on the block list of the account. */
  readonly blocked: number;
  /** Rows with the recipient of an earlier one. */
  readonly duplicates: number;
  /** Of all rows that can be sent, at the prices of when they were sent up. */
  readonly expectedParts: bigint;
  readonly expectedCost: bigint;
  readonly costly: readonly CostlyInRows[];
  /** Rows up to this number have their outcome. */
  readonly fed: number;
  readonly accepted: number;
  readonly refused: number;
  /** Duplicates that were left out. */
  readonly skipped: number;
  /** Of the accepted messages. */
  readonly parts: bigint;
  readonly cost: bigint;
  readonly canceling: boolean;
  /** Messages that Stop has canceled and refunded. */
  readonly canceled: number;
}

const campaignColumns = `c.id, c.account_id as "accountId", a.name as account, c.name, c.state, c.pause_reason as "pauseReason",
       c.created_by as "createdBy", c.created_at as "createdAt", c.started_at as "startedAt", c.ended_at as "endedAt", c.sender, c.content,
       c.template_id as "templateId", c.columns, c.skip_duplicates as "skipDuplicates", c.send_at as "sendAt", c.rows, c.faulty, c.blocked,
       c.duplicates, c.expected_parts as "expectedParts", c.expected_cost as "expectedCost", c.costly, c.fed, c.accepted, c.refused, c.skipped, c.parts,
       c.cost, c.canceling, c.canceled
  from campaign c join account a on a.id = c.account_id`;

interface OneCampaign {
  readonly id: string;
  /** Only of this account. */
  readonly accountId: number | undefined;
}

async function readCampaign(
  db: Queryable,
  { id, accountId }: OneCampaign,
  lock: string,
): Promise<Campaign | undefined> {
  const { text, values } = conditions({ "c.id = ?": id, "c.account_id = ?": accountId });
  return firstOf(
    db.query<Campaign>(composed("findCampaign", `select ${campaignColumns} where ${text} ${lock}`, values)),
  );
}

export function findCampaign(db: Queryable, one: OneCampaign): Promise<Campaign | undefined> {
  return readCampaign(db, one, "");
}

/** Like findCampaign, and nobody else changes it before the transaction ends. */
export function lockCampaign(tx: Queryable, one: OneCampaign): Promise<Campaign | undefined> {
  return readCampaign(tx, one, "for no key update of c");
}

interface CampaignsAsked {
  readonly accountId: number | undefined;
  readonly state: CampaignState | undefined;
  readonly before: string;
  readonly limit: number;
}

/** Newest first: those with ids below `before`. */
export function listCampaigns(db: Queryable, { accountId, state, before, limit }: CampaignsAsked): Promise<Campaign[]> {
  const where = conditions({ "c.account_id = ?": accountId, "c.state = ?": state, "c.id < ?": before });
  return db.query<Campaign>(
    composed(
      "listCampaigns",
      `select ${campaignColumns} where ${where.text} order by c.id desc limit ${where.value(limit)}`,
      where.values,
    ),
  );
}

export interface NewCampaign extends CampaignPlan {
  readonly id: string;
  readonly accountId: number;
  readonly name: string;
  readonly createdBy: string;
  readonly skipDuplicates: boolean;
}

/**
 * False: the account has as many drafts, or as many rows that are not sent, as it may have. Rows
 * that were sent cost it money.
 */
export async function insertCampaign(
  tx: Queryable,
  campaign: NewCampaign,
  { drafts, rows }: { drafts: number; rows: number },
): Promise<boolean> {
  const inserted = await tx.query<{ id: string }>(
    "insertCampaign",
    `insert into campaign (id, account_id, name, created_by, sender, content, template_id, columns, skip_duplicates)
select $1, $2, $3, $4, $5, $6, $7, $8::text[], $9
 where (select count(*) filter (where state = 'draft') < $10
               and coalesce(sum(rows - case when state in ('stopped', 'done') then accepted - canceled else 0 end), 0) < $11
          from campaign where account_id = $2)
returning id`,
    [
      campaign.id,
      campaign.accountId,
      campaign.name,
      campaign.createdBy,
      campaign.sender,
      campaign.content,
      campaign.templateId,
      campaign.columns,
      campaign.skipDuplicates,
      drafts,
      rows,
    ],
  );
  return inserted.length > 0;
}

/** What was found about rows that were sent up. */
export interface RowFindings {
  readonly rows: number;
  readonly faulty: number;
  readonly blocked: number;
  readonly duplicates: number;
  readonly parts: bigint;
  readonly cost: bigint;
  /** Of all rows so far. */
  readonly costly: readonly CostlyInRows[];
}

export async function addToDraft(tx: Queryable, id: string, found: RowFindings): Promise<void> {
  await tx.query(
    "addToDraft",
    `update campaign set rows = rows + $2, faulty = faulty + $3, blocked = blocked + $4, duplicates = duplicates + $5,
       expected_parts = expected_parts + $6, expected_cost = expected_cost + $7, costly = $8, changed_at = now() where id = $1`,
    [
      id,
      found.rows,
      found.faulty,
      found.blocked,
      found.duplicates,
      found.parts,
      found.cost,
      JSON.stringify(found.costly),
    ],
  );
}

interface StateChange {
  readonly from: readonly CampaignState[];
  readonly to: CampaignState;
  readonly pauseReason?: PauseReason;
  readonly sendAt?: Date | undefined;
}

/** Of one in another state than `from`, nothing. What waits of a stopped one is canceled by the duty. */
async function changeState(tx: Queryable, id: string, { from, to, pauseReason, sendAt }: StateChange): Promise<void> {
  await tx.query(
    "changeCampaignState",
    `update campaign
   set state = $2::text, pause_reason = $3, send_at = coalesce($4, send_at), canceling = case when $2 = 'stopped' then fed > 0 else canceling end,
       started_at = case when state = 'draft' then now() else started_at end,
       ended_at = case when $2 in ('stopped', 'done') then now() else ended_at end, changed_at = now()
 where id = $1 and state = any ($5::text[])`,
    [id, to, pauseReason, sendAt, from],
  );
}

export function startCampaign(tx: Queryable, id: string, sendAt: Date | undefined): Promise<void> {
  return changeState(tx, id, { from: ["draft"], to: "sending", sendAt });
}

export function pauseCampaign(tx: Queryable, id: string, pauseReason: PauseReason): Promise<void> {
  return changeState(tx, id, { from: ["sending"], to: "paused", pauseReason });
}

export function resumeCampaign(tx: Queryable, id: string): Promise<void> {
  return changeState(tx, id, { from: ["paused"], to: "sending" });
}

/** No row is fed any more; its waiting messages are canceled, also where all rows were fed. */
export function stopCampaign(tx: Queryable, id: string): Promise<void> {
  return changeState(tx, id, { from: ["sending", "paused", "done"], to: "stopped" });
}

export function finishCampaign(tx: Queryable, id: string): Promise<void> {
  return changeState(tx, id, { from: ["sending"], to: "done" });
}

export async function deleteDraft(tx: Queryable, id: string): Promise<void> {
  await tx.query("deleteDraft", `delete from campaign where id = $1 and state = 'draft'`, [id]);
}

/**
 * Drops drafts that nobody has touched for `draftDays`, and campaigns that have not changed for the
 * retention. A campaign has up to 100,000 rows, so only a few go at once.
 */
export async function dropOldCampaigns(
  db: Queryable,
  { draftDays, retentionDays }: { draftDays: number; retentionDays: number },
): Promise<number> {
  const rows = await db.query<{ id: string }>(
    "dropOldCampaigns",
    `delete from campaign where id = any (array(
  select id from campaign
   where (state = 'draft' and changed_at < now() - make_interval(days => least($1::int, $2::int)))
      or (state in ('paused', 'stopped', 'done') and not canceling and changed_at < now() - make_interval(days => $2::int))
   limit 5))
returning id`,
    [draftDays, retentionDays],
  );
  return rows.length;
}
