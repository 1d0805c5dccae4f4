// Reads what the endpoints of campaigns take. Pure; throws 1001 for what does not have the right
// shape.
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { type CampaignPlan, findPlanFault, rowRecipient } from "../../sms/campaign.ts";
import { longestCell } from "../../tables/table.ts";
import {
  type ValuesOf,
  anyOf,
  array,
  boolean,
  decimal,
  input,
  integer,
  orAbsent,
  orDefault,
  plainText,
  unknown,
} from "../json-schema.ts";
import { byRule } from "./console-input.ts";
import { isOneLine } from "../../sms/text-kind.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { scalarText } from "../read-parameters.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import type { FileRow, ListedRow } from "../../store/campaign-rows.ts";
import type { Campaign } from "../../store/campaigns.ts";
import { describeReason, type ReasonInWords } from "../../texts/reason-text.ts";
import { faultText } from "./message-fields.ts";

const longestName = 100;
const maximumColumns = 20;
const columnName = /^[\p{L}\p{Nd}_-]{1,50}$/u;
export const maximumRowsOfCall = 1000;

/**
 * U+0000, which the database cannot store, and half of a surrogate pair, which it would store as
 * another character.
 */
const unstorable = /\0|\p{Surrogate}/u;

export const sendsCampaigns = ["sendBulk", "sendTemplate"] as const;
/** Whoever sends one sees what they send, and what the calls of sending answer. */
export const readsCampaigns = ["readMessages", ...sendsCampaigns] as const;

export interface CampaignRequest extends CampaignPlan {
  readonly name: string;
  readonly skipDuplicates: boolean;
}

export const newCampaign = input({
  name: plainText(),
  senderNumber: orAbsent(plainText()),
  content: orAbsent(plainText({ maxLength: longestCell })),
  templateId: orAbsent(plainText()),
  columns: orDefault(array(plainText()), []),
  skipDuplicates: orDefault(boolean(), true),
});

export function readCampaign(given: ValuesOf<(typeof newCampaign)["properties"]>): CampaignRequest {
  const { senderNumber, content = null, templateId = null, columns, skipDuplicates } = given;
  const findings: FieldFinding[] = [];
  const name = given.name.trim();
  if (!isOneLine(name) || name.length > longestName)
    findings.push({ field: "name", messageKey: "campaign.name", values: { maximum: longestName } });
  const sender = senderNumber === undefined ? null : cleanNumber(senderNumber, "json");
  if (!areColumns(columns))
    findings.push({ field: "columns", messageKey: "campaign.columns", values: { maximum: maximumColumns } });
  if (content !== null && !isStorable(content))
    findings.push({ field: "content", messageKey: "console.nullCharacter" });
  if (content !== null && templateId !== null)
    findings.push({ field: "content", messageKey: "console.textOrTemplate" });
  if (content === null && templateId === null && columns.length === 0)
    findings.push({ field: "columns", messageKey: "list.missing" });
  const plan: CampaignPlan = { sender, content, templateId, columns };
  const wrong = findPlanFault(plan);
  if (wrong !== undefined) findings.push({ field: "content", messageKey: wrong.messageKey, values: wrong.values });
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
  return { name, ...plan, skipDuplicates };
}

function areColumns(names: readonly string[]): boolean {
  return (
    names.length <= maximumColumns &&
    new Set(names).size === names.length &&
    names.every((name) => columnName.test(name))
  );
}

function isStorable(text: string): boolean {
  return !unstorable.test(text);
}

const cell = orDefault(
  byRule<string | null>(
    anyOf([plainText({ maxLength: longestCell }), decimal(), boolean(), unknown({ type: "null" })]),
    (value) => {
      const text = scalarText(value);
      return text?.trim() === "" ? null : text;
    },
    "campaign.rows",
  ),
  null,
);

export const newRows = input({
  first: integer({ minimum: 1 }),
  fileRows: orAbsent(
    array(
      integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
      "Of each, its row in the file of the caller; absent: as `first` counts.",
    ),
  ),
  rows: array(array(cell), "Each: the number of the recipient, then a text for each column (null, or blank: none)."),
});

/** `first`: the number of the first of them. Throws 1001. */
export function readRows(
  { first, rows: list, fileRows = [] }: ValuesOf<(typeof newRows)["properties"]>,
  columns: number,
): readonly FileRow[] {
  const isTooWide = list.some(({ length }) => length === 0 || length > columns + 1);
  if (list.length === 0 || list.length > maximumRowsOfCall || isTooWide)
    throw ApiError.invalidParameter("rows", "campaign.rows", { maximum: maximumRowsOfCall });
  return list.map(([recipient, ...given], index) => {
    const row = {
      number: first + index,
      fileRow: fileRows[index] ?? first + index,
      recipient: rowRecipient(recipient ?? ""),
      given: Array.from({ length: columns }, (_, place) => given[place] ?? null),
    };
    if (![row.recipient, ...row.given].every((text) => text === null || isStorable(text)))
      throw ApiError.invalidParameter("rows", "campaign.rowText", { row: row.fileRow });
    return row;
  });
}

// Campaigns and their rows as the console's API tells them.

export function describeCampaign(campaign: Campaign, { withText }: { withText: boolean }) {
  const { sender, content, canceling, ...rest } = campaign;
  return {
    ...rest,
    accountId: undefined,
    costly: undefined,
    ...(sender !== null && { senderNumber: sender }),
    /** Stopped; waiting messages are being canceled. */
    ...(canceling && { canceling }),
    ...(withText && content !== null && { content }),
  };
}

/** `withMessage`: the reader may see what became of messages. */
export function describeRow(
  row: ListedRow,
  { language, withMessage }: { readonly language: AnswerLanguage; readonly withMessage: boolean },
) {
  const { fileRow, recipient, duplicateOf, messageId, status, fault } = row;
  return {
    ...{ number: fileRow, recipientNumber: recipient, duplicateOf },
    ...(fault === null && withMessage && { sentMessageId: messageId, messageStatus: status }),
    ...reasonOfRow(row, { language, withMessage }),
  };
}

/** Why it is not sent, or why its message has its status. */
export function reasonOfRow(
  row: ListedRow,
  { language, withMessage }: { readonly language: AnswerLanguage; readonly withMessage: boolean },
): ReasonInWords {
  const { fault } = row;
  if (fault !== null) return { errorCode: fault.code, errorMessage: faultText(fault, language) };
  return withMessage ? describeReason(row, language) : {};
}
