// A webhook as the API tells it, and its path.
import { useQueryClient } from "@tanstack/react-query";
import type { Answers } from "../../api/endpoints.ts";

export type Webhook = Answers["GET /accounts/{name}/webhooks"]["items"][number];

export interface WebhookProps {
  readonly account: string;
  readonly webhook: Webhook;
}

export function webhooksPath(account: string): `/accounts/${string}/webhooks` {
  return `/accounts/${encodeURIComponent(account)}/webhooks`;
}

export function pathOf({ account, webhook: { id } }: WebhookProps): `/accounts/${string}/webhooks/${string}` {
  return `${webhooksPath(account)}/${encodeURIComponent(id)}`;
}

/** What follows a change of an account's webhooks: reads the list again. */
export function useWebhooksChanged(account: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [webhooksPath(account)] });
}
