// The webhooks of an account: where they lead, what they are sent, how their sending goes, and what
// became of the requests.
import { Dialog } from "radix-ui";
import { useState } from "react";
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/queries.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type MessageState, StateSign } from "../../parts/state.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { Code, Figure, Moment } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type TextKey, type Translate, useTexts } from "../../texts/texts.ts";
import {
  ChangeWebhook,
  MakeWebhook,
  RemoveWebhook,
  RenewSecret,
  ReplayEvents,
  SwitchWebhook,
  TestWebhook,
  type Webhook,
  webhooksPath,
} from "./webhook-actions.tsx";
import confirmStyles from "../../parts/confirm.module.css";
import styles from "./webhooks.module.css";

export function WebhooksPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const mayChange = useAble("manage");
  return (
    <>
      <PageHead
        title={t("webhooks.title")}
        lead={t("webhooks.lead")}
        actions={mayChange && <MakeWebhook account={account} />}
      />
      <WebhookList account={account} mayChange={mayChange} />
    </>
  );
}

// The webhooks of an account: where they lead, what they are told, and how their sending goes.

export interface WebhookListProps {
  readonly account: string;
  readonly mayChange: boolean;
}

export function WebhookList({ account, mayChange }: WebhookListProps) {
  const t = useTexts();
  const query = useList<"GET /accounts/{name}/webhooks">(webhooksPath(account));
  return (
    <EndlessList
      name={t("webhooks.title")}
      query={query}
      keyOf={({ id }) => id}
      columns={columnsOf(t, account, mayChange)}
      empty={
        <Empty title={t("webhooks.none")}>
          <p>{t("webhooks.noneText")}</p>
        </Empty>
      }
    />
  );
}

function columnsOf(t: Translate, account: string, mayChange: boolean): readonly Column<Webhook>[] {
  return [
    {
      key: "name",
      title: t("webhooks.name"),
      wide: true,
      cell: ({ name, url, host }) => (
        <>
          <bdi>{name}</bdi>
          <div className={styles["url"]}>
            <Code text={url ?? host} />
          </div>
        </>
      ),
    },
    {
      key: "events",
      title: t("webhooks.events"),
      cell: ({ events }) =>
        events.map((pattern, index) => (
          <span key={index} className={styles["event"]}>
            <Code text={pattern} />
          </span>
        )),
    },
    { key: "state", title: t("message.state"), cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      key: "waiting",
      title: t("webhooks.oldestWaiting"),
      cell: ({ oldestWaitingAt }) =>
        oldestWaitingAt === undefined ? t("webhooks.nothingWaits") : <Moment at={oldestWaitingAt} ago />,
    },
    {
      key: "actions",
      title: t("list.actions"),
      isActions: true,
      cell: (webhook) => (
        <RowActions>
          <Attempts account={account} webhook={webhook} />
          {mayChange && <Changes account={account} webhook={webhook} />}
        </RowActions>
      ),
    },
  ];
}

function Changes(props: { readonly account: string; readonly webhook: Webhook }) {
  return (
    <>
      <TestWebhook {...props} />
      <ChangeWebhook {...props} />
      <SwitchWebhook {...props} />
      {props.webhook.enabled && <ReplayEvents {...props} />}
      <RenewSecret {...props} />
      <RemoveWebhook {...props} />
    </>
  );
}

// How a webhook stands: whether it works, fails, rests after failures, or is disabled, and since or
// until when.

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

// What became of the requests to a webhook, newest first.

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
      columns={attemptColumns(t)}
      empty={<p>{t("webhooks.noAttempts")}</p>}
    />
  );
}

function attemptColumns(t: Translate): readonly Column<Attempt>[] {
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
