// The webhooks of an account: where they lead, what they are sent, how their sending goes, and what
// became of the requests.
import type { Answers } from "../../api/types.ts";
import { useAble, useMay, usePerson } from "../../frame/person.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { PageHead } from "../../parts/page.tsx";
import { type MessageState, SignedText } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { Code, Moment } from "../../parts/values.tsx";
import { type TextKey, type Translate, useTexts } from "../../texts/texts.ts";
import { MakeWebhook, type Webhook, WebhookActions, type WebhookProps } from "./webhook-actions.tsx";
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

interface WebhookListProps {
  readonly account: string;
  readonly mayChange: boolean;
}

export function WebhookList({ account, mayChange }: WebhookListProps) {
  const t = useTexts();
  const seesAttempts = useMay("readEvents");
  return (
    <FilteredList
      list="GET /accounts/{name}/webhooks"
      name={t("webhooks.title")}
      asked={{ params: { name: account } }}
      keyOf={({ id }) => id}
      columns={columnsOf(t)}
      actions={(webhook) => (
        <>
          {seesAttempts && <Attempts account={account} webhook={webhook} />}
          {mayChange && <WebhookActions account={account} webhook={webhook} />}
        </>
      )}
      none={{ title: t("webhooks.none"), text: t("webhooks.noneText") }}
    />
  );
}

function columnsOf(t: Translate): readonly Column<Webhook>[] {
  return [
    {
      title: t("object.name"),
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
      title: t("webhooks.events"),
      cell: ({ events }) =>
        events.map((pattern, index) => (
          <span key={index} className={styles["event"]}>
            <Code text={pattern} />
          </span>
        )),
    },
    { title: t("message.state"), cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      title: t("webhooks.oldestWaiting"),
      cell: ({ oldestWaitingAt }) =>
        oldestWaitingAt === undefined ? t("webhooks.nothingWaits") : <Moment at={oldestWaitingAt} ago />,
    },
  ];
}

interface Shown {
  readonly sign: MessageState;
  readonly text: TextKey;
  readonly at?: string | undefined;
}

/** What a person should know first. */
function shownState(webhook: Webhook): Shown {
  const { enabled, disabledReason, lastSuccessAt, lastFailureAt, pausedUntil } = webhook;
  if (!enabled) return disabledState(disabledReason);
  if (pausedUntil !== undefined) return { sign: "undelivered", text: "webhooks.state.pauses", at: pausedUntil };
  if (lastFailureAt !== undefined && (lastSuccessAt === undefined || lastFailureAt > lastSuccessAt))
    return { sign: "undelivered", text: "webhooks.state.fails", at: lastFailureAt };
  if (lastSuccessAt === undefined) return { sign: "waiting", text: "webhooks.state.new" };
  return { sign: "delivered", text: "webhooks.state.works", at: lastSuccessAt };
}

/** The cross is of what has failed; what somebody wanted has none. */
function disabledState(reason: Webhook["disabledReason"]): Shown {
  if (reason === "gone") return { sign: "unsent", text: "webhooks.state.gone" };
  if (reason === "failing") return { sign: "unsent", text: "webhooks.state.failing" };
  return { sign: "waiting", text: "connectors.state.disabled" };
}

function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const t = useTexts();
  const { sign, text, at } = shownState(webhook);
  return (
    <>
      <SignedText state={sign} text={t(text)} />
      {at !== undefined && (
        <div className={styles["note"]}>
          <Moment at={at} ago />
        </div>
      )}
    </>
  );
}

type Attempt = Answers["GET /accounts/{name}/webhooks/{id}/attempts"]["items"][number];

/** What became of the requests, newest first. */
function Attempts({ account, webhook }: WebhookProps) {
  const { id, name } = webhook;
  const t = useTexts();
  return (
    <FormDialog
      button={t("webhooks.attempts")}
      title={t("webhooks.attemptsTitle", { name })}
      lead={t("webhooks.attemptsLead")}
    >
      {() => (
        <>
          <div>
            <WebhookState webhook={webhook} />
          </div>
          <FilteredList
            list="GET /accounts/{name}/webhooks/{id}/attempts"
            name={t("webhooks.attempts")}
            asked={{ params: { name: account, id } }}
            keyOf={({ id: attempt }) => attempt}
            columns={attemptColumns(t)}
            none={{ title: t("webhooks.noAttempts") }}
          />
        </>
      )}
    </FormDialog>
  );
}

function attemptColumns(t: Translate): readonly Column<Attempt>[] {
  return [
    { title: t("statement.time"), cell: ({ startedAt }) => <Moment at={startedAt} ago /> },
    { title: t("webhooks.result"), wide: true, cell: ({ errorMessage }) => errorMessage ?? t("webhooks.delivered") },
    { title: t("webhooks.events"), atEnd: true, cell: ({ eventIds }) => eventIds.length },
    {
      title: t("webhooks.milliseconds"),
      atEnd: true,
      minor: true,
      cell: ({ durationMs }) => durationMs,
    },
    {
      title: t("webhooks.nextAttempt"),
      cell: ({ nextAttemptAt }) => nextAttemptAt !== undefined && <Moment at={nextAttemptAt} />,
    },
  ];
}
