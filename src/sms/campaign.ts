// What a campaign makes of each row of its file: one message, or a fault. Pure. A row has a
// recipient and the values of the campaign's columns.
import { isFault, type Fault } from "./fault.ts";
import { cleanNumber, readNumberCell } from "./msisdn.ts";
import {
  prepareMessages,
  type AccountTerms,
  type CallTime,
  type MessageDraft,
  type PreparedMessage,
  type RejectedMessage,
} from "./prepare-message.ts";
import { type CostlyCharacter, costlyCharacters } from "./segmentation.ts";
import { renderTemplate, type TemplateParameter } from "./template.ts";

/** Rows of one campaign. */
export const maximumCampaignRows = 100_000;

export interface CampaignPlan {
  readonly sender: string | null;
  /**
   * One text for all; with columns it has a placeholder for each value. Null: a template, or each
   * row's first value is its text.
   */
  readonly content: string | null;
  readonly templateId: string | null;
  readonly columns: readonly string[];
}

export interface CampaignRow {
  /** From 1. */
  readonly number: number;
  readonly recipient: string;
  /** In the order of the columns; null is a missing value. */
  readonly given: readonly (string | null)[];
}

/** What the clients' API calls the sending of the same messages (abilities.ts). */
export function campaignOperation({ templateId }: Pick<CampaignPlan, "templateId">): "sendTemplate" | "sendBulk" {
  return templateId === null ? "sendBulk" : "sendTemplate";
}

/** A recipient as rows keep it: in the one form of numbers, or as it was given. */
export function rowRecipient(given: string): string {
  return readNumberCell(given) ?? cleanNumber(given, "json").slice(0, longestRecipient);
}

const longestRecipient = 200;

/** What is wrong with a plan, whatever its rows are; undefined if nothing is. */
export function findPlanFault({ content, columns }: CampaignPlan): Fault | undefined {
  if (content === null || columns.length === 0) return undefined;
  const sample = columns.map((name) => ({ name, value: "" }));
  const rendered = renderTemplate({ content }, sample, Infinity);
  return isFault(rendered) ? rendered : undefined;
}

/** The verdict on each row. Credit is checked where the money is charged. */
export function checkRows(
  plan: CampaignPlan,
  rows: readonly CampaignRow[],
  terms: AccountTerms,
  time?: CallTime,
): (PreparedMessage | RejectedMessage)[] {
  const drafts = rows.map((row) => draftOf(plan, row, terms.maximumParts));
  const verdicts = prepareMessages(
    drafts.filter((draft): draft is MessageDraft => !isFault(draft)),
    terms,
    time,
  )[Symbol.iterator]();
  return drafts.map((draft, index) => {
    if (isFault(draft)) return refusedRow(plan, rows[index]?.recipient ?? "", draft);
    const { value } = verdicts.next();
    if (value === undefined) throw new Error("a row of a campaign has no verdict");
    return value;
  });
}

function draftOf(plan: CampaignPlan, { recipient, given }: CampaignRow, maximumParts: number): MessageDraft | Fault {
  const { content, templateId, columns } = plan;
  const draft = { senderNumber: plan.sender ?? undefined, recipientNumber: recipient, source: "json" } as const;
  const parameters = columns.map((name, index): TemplateParameter => ({ name, value: given[index] ?? null }));
  if (templateId !== null) return { ...draft, templateId, parameters };
  if (content === null) return { ...draft, content: given[0] ?? undefined };
  if (columns.length === 0) return { ...draft, content };
  const rendered = renderTemplate({ content }, parameters, maximumParts);
  return isFault(rendered) ? rendered : { ...draft, content: rendered.content };
}

function refusedRow({ sender }: CampaignPlan, recipientNumber: string, found: Fault): RejectedMessage {
  return { kind: "rejected", senderNumber: sender ?? "", recipientNumber, content: "", faults: [found] };
}

export interface WaitingRow {
  /** Among the verdicts. */
  readonly place: number;
  readonly for: "credit" | "ceiling";
}

/**
 * The first row that the account's credit, or the rest of its day or month, does not cover. The
 * campaign waits there. Rows that are refused for other reasons are skipped.
 */
export function firstToWait(verdicts: readonly (PreparedMessage | RejectedMessage)[]): WaitingRow | undefined {
  const codes = verdicts.map((verdict) => (verdict.kind === "rejected" ? verdict.faults[0].code : undefined));
  const place = codes.findIndex((code) => code === 1201 || code === 1208);
  return place < 0 ? undefined : { place, for: codes[place] === 1201 ? "credit" : "ceiling" };
}

/**
 * Places of earlier rows by recipient: of each group of equal recipients only the first row has
 * none.
 */
export function findDuplicates(
  rows: readonly { readonly number: number; readonly recipient: string; readonly isFaulty: boolean }[],
  earlier: ReadonlyMap<string, number>,
): (number | null)[] {
  const first = new Map(earlier);
  return rows.map(({ number, recipient, isFaulty }) => {
    if (isFaulty) return null;
    const before = first.get(recipient);
    if (before === undefined) first.set(recipient, number);
    return before ?? null;
  });
}

/** A character that makes texts dearer: its first row, and in how many rows it is. */
export interface CostlyInRows extends CostlyCharacter {
  readonly row: number;
  readonly rows: number;
}

const mostCostly = 20;

/** Those that are known, and those of one more row. */
export function addCostly(known: readonly CostlyInRows[], row: number, content: string): readonly CostlyInRows[] {
  const costly = costlyCharacters(content);
  if (costly.length === 0) return known;
  const codePoints = new Set(known.map(({ codePoint }) => codePoint));
  const ofRow = new Set(costly.map(({ codePoint }) => codePoint));
  const added = costly.filter(({ codePoint }) => !codePoints.has(codePoint)).map((each) => ({ ...each, row, rows: 1 }));
  const counted = known.map((each) => (ofRow.has(each.codePoint) ? { ...each, rows: each.rows + 1 } : each));
  return [...counted, ...added].slice(0, mostCostly);
}
