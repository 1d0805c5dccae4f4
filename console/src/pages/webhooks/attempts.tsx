// What became of the requests to a webhook, newest first.
import { Dialog } from "radix-ui";
import { useState } from "react";
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/lists.ts";
import { Button } from "../../parts/button.tsx";
import confirmStyles from "../../parts/confirm.module.css";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Figure } from "../../parts/number-text.tsx";
import type { Column } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { webhooksPath, type Webhook } from "./webhook.ts";
import { WebhookState } from "./webhook-state.tsx";

type Attempt = Answers["GET /accounts/{name}/webhooks/{id}/attempts"]["items"][number];

export function Attempts({ account, webhook }: { readonly account: string; readonly webhook: Webhook }) {
  const { id, name } = webhook;
  const t = useTexts();
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <Button>{t("webhooks.attempts")}</Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={confirmStyles["shade"]} />
        <Dialog.Content className={[confirmStyles["dialog"], confirmStyles["wide"]].join(" ")} dir={direction}>
          <Dialog.Title asChild>
            <h2>{t("webhooks.attemptsTitle", { name })}</h2>
          </Dialog.Title>
          <Dialog.Description className={confirmStyles["text"]}>{t("webhooks.attemptsLead")}</Dialog.Description>
          <div>
            <WebhookState webhook={webhook} />
          </div>
          <AttemptList path={`${webhooksPath(account)}/${id}/attempts`} />
          <div className={confirmStyles["buttons"]}>
            <Dialog.Close asChild>
              <Button>{t("dialog.close")}</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function AttemptList({ path }: { readonly path: `/accounts/${string}/webhooks/${string}/attempts` }) {
  const t = useTexts();
  return (
    <EndlessList
      name={t("webhooks.attempts")}
      query={useList<"GET /accounts/{name}/webhooks/{id}/attempts">(path)}
      keyOf={({ id }) => id}
      columns={columnsOf(t)}
      empty={<p>{t("webhooks.noAttempts")}</p>}
    />
  );
}

function columnsOf(t: Translate): readonly Column<Attempt>[] {
  return [
    { key: "at", title: t("webhooks.attemptAt"), cell: ({ startedAt }) => <Moment at={startedAt} ago /> },
    {
      key: "result",
      title: t("webhooks.result"),
      wide: true,
      cell: ({ errorMessage }) => errorMessage ?? t("webhooks.delivered"),
    },
    {
      key: "events",
      title: t("webhooks.events"),
      atEnd: true,
      cell: ({ eventIds }) => <Figure value={eventIds.length} />,
    },
    {
      key: "duration",
      title: t("webhooks.milliseconds"),
      atEnd: true,
      minor: true,
      cell: ({ durationMs }) => <Figure value={durationMs} />,
    },
    {
      key: "next",
      title: t("webhooks.nextAttempt"),
      cell: ({ nextAttemptAt }) => nextAttemptAt !== undefined && <Moment at={nextAttemptAt} />,
    },
  ];
}
