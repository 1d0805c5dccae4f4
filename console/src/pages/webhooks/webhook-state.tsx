// How a webhook stands: whether it works, fails, rests after failures, or is disabled, and since or
// until when.
import { Moment } from "../../parts/moment.tsx";
import { StateSign, type MessageState } from "../../parts/state.tsx";
import { useTexts, type TextKey } from "../../texts/texts.ts";
import type { Webhook } from "./webhook.ts";
import styles from "./webhooks.module.css";

interface Shown {
  readonly sign: MessageState;
  readonly text: TextKey;
  readonly at?: string | undefined;
}

/** What a person should know first. */
function shownState(webhook: Webhook): Shown {
  const { enabled, disabledReason, lastSuccessAt, lastFailureAt, restsUntil } = webhook;
  if (!enabled) return disabledState(disabledReason);
  if (restsUntil !== undefined) return { sign: "undelivered", text: "webhooks.state.rests", at: restsUntil };
  if (lastFailureAt !== undefined && (lastSuccessAt === undefined || lastFailureAt > lastSuccessAt))
    return { sign: "undelivered", text: "webhooks.state.fails", at: lastFailureAt };
  if (lastSuccessAt === undefined) return { sign: "waiting", text: "webhooks.state.new" };
  return { sign: "delivered", text: "webhooks.state.works", at: lastSuccessAt };
}

/** The cross is of what has failed; what somebody wanted has none. */
function disabledState(reason: Webhook["disabledReason"]): Shown {
  if (reason === "gone") return { sign: "unsent", text: "webhooks.state.gone" };
  if (reason === "failing") return { sign: "unsent", text: "webhooks.state.failing" };
  return { sign: "waiting", text: "webhooks.state.disabled" };
}

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const t = useTexts();
  const { sign, text, at } = shownState(webhook);
  return (
    <>
      <span className={styles["state"]}>
        <StateSign state={sign} />
        {t(text)}
      </span>
      {at !== undefined && (
        <div className={styles["note"]}>
          <Moment at={at} ago />
        </div>
      )}
    </>
  );
}
