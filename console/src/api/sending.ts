// Sending by hand and campaigns, as the API tells them.
import { callApi } from "./client.ts";

export interface SendOptions {
  readonly lines: readonly { readonly number: string; readonly kind: string }[];
  readonly templates: readonly { readonly id: string; readonly content: string; readonly sender?: string }[];
  /** Permissions of the account. */
  readonly may: readonly string[];
  readonly maximumParts: number;
  readonly maximumRecipients: number;
}

export interface SendBody {
  readonly senderNumber?: string;
  readonly recipientNumbers: readonly string[];
  readonly content?: string;
  readonly templateId?: string;
  readonly parameters?: readonly { readonly name: string; readonly value: string }[];
  readonly sendAt?: string;
}

export interface JudgedMessage {
  readonly sentMessageId?: string;
  readonly recipientNumber: string;
  readonly parts?: number;
  readonly cost?: number;
  readonly errorMessage?: string;
}

export interface PreviewAnswer {
  readonly messages: readonly JudgedMessage[];
  readonly accepted: number;
  readonly refused: number;
  readonly parts: number;
  readonly cost: number;
  readonly credit?: number;
}

export interface SendAnswer {
  readonly batchId: string;
  readonly sendAt?: string;
  readonly messages: readonly JudgedMessage[];
}

export const campaignStates = ["draft", "sending", "paused", "stopped", "done"] as const;
export type CampaignState = (typeof campaignStates)[number];

export interface Campaign {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly state: CampaignState;
  readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly senderNumber?: string;
  readonly templateId?: string;
  readonly content?: string;
  readonly columns: readonly string[];
  readonly skipDuplicates: boolean;
  readonly sendAt?: string;
  readonly rows: number;
  readonly faulty: number;
  readonly blocked: number;
  readonly duplicates: number;
  readonly expectedParts: number;
  readonly expectedCost: number;
  readonly fed: number;
  readonly accepted: number;
  readonly refused: number;
  readonly skipped: number;
  readonly parts: number;
  readonly cost: number;
  readonly canceling?: true;
  readonly canceled: number;
}

export interface CampaignRow {
  readonly number: number;
  readonly recipientNumber: string;
  readonly duplicateOf?: number;
  readonly sentMessageId?: string;
  readonly messageStatus?: number;
  readonly errorCode?: number;
  readonly errorMessage?: string;
}

export interface CampaignOutcomes {
  readonly waiting: number;
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly unsent: number;
}

export function sendNow(body: SendBody, key: string): Promise<SendAnswer> {
  return callApi("POST", "/send", { body, headers: { "idempotency-key": key } });
}

export function takeCampaignStep(
  id: string,
  step: "start" | "pause" | "resume" | "stop" | "discard",
  { body = {}, key }: { body?: object; key?: string } = {},
): Promise<Campaign> {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return callApi("POST", `/campaigns/${id}/${step}`, { body, headers });
}
