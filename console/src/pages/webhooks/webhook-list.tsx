// The webhooks of an account: where they lead, what they are told, and how their sending goes.
import { useList } from "../../api/lists.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Code } from "../../parts/number-text.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { Attempts } from "./attempts.tsx";
import { ReplayEvents } from "./replay-events.tsx";
import { ChangeWebhook, RemoveWebhook, RenewSecret, SwitchWebhook, TestWebhook } from "./webhook-actions.tsx";
import { webhooksPath, type Webhook } from "./webhook.ts";
import { WebhookState } from "./webhook-state.tsx";
import styles from "./webhooks.module.css";

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
