// Sending by hand and campaigns, as the API tells them.
import { callApi } from "./client.ts";
import type { Answers, Bodies } from "./endpoints.ts";

export type SendOptions = Answers["GET /send"];
export type SendBody = Bodies["POST /send"];
export type PreviewAnswer = Answers["POST /preview"];
export type SendAnswer = Answers["POST /send"];

export type Campaign = Answers["GET /campaigns/{id}"];
export type CampaignOutcomes = Answers["GET /campaigns/{id}/outcomes"];
export type CampaignRow = Answers["GET /campaigns/{id}/rows"]["items"][number];

export function sendNow(body: SendBody, key: string): Promise<SendAnswer> {
  return callApi<"POST /send">("POST", "/send", { body, headers: { "idempotency-key": key } });
}

export function takeCampaignStep(
  id: string,
  step: "start" | "pause" | "resume" | "stop",
  { body = {}, key }: { body?: object; key?: string } = {},
): Promise<Campaign> {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return callApi<`POST /campaigns/{id}/${typeof step}`>("POST", `/campaigns/${id}/${step}`, { body, headers });
}

export function discardCampaign(id: string): Promise<unknown> {
  return callApi("POST", `/campaigns/${id}/discard`);
}
