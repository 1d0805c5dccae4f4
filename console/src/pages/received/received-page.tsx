// Messages from subscribers to the lines.
import type { Answers } from "../../api/types.ts";
import { dialled } from "../../format/numbers.ts";
import { useAble, useMay } from "../../frame/person.ts";
import { ButtonLink } from "../../parts/controls.tsx";
import { dayFilters, type Filter } from "../../parts/filters.tsx";
import { ListPage } from "../../parts/list-page.tsx";
import type { Column } from "../../parts/table.tsx";
import { AccountLink, Dialled, Moment, TextErased } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

type ReceivedMessage = Answers["GET /received"]["items"][number];

export function ReceivedPage() {
  const t = useTexts();
  const ofAccounts = useAble("see");
  const maySend = useMay("sendText");
  return (
    <ListPage
      list="GET /received"
      title={t("received.title")}
      lead={t(ofAccounts ? "received.leadStaff" : "received.lead")}
      hasFile
      filters={filtersOf(t, ofAccounts)}
      keyOf={({ receivedMessageId }) => receivedMessageId}
      columns={columnsOf(t, ofAccounts)}
      actions={
        maySend &&
        (({ senderNumber, recipientNumber }) => (
          <ButtonLink href={`/send?${new URLSearchParams({ line: recipientNumber, to: dialled(senderNumber) })}`}>
            {t("rules.reply")}
          </ButtonLink>
        ))
      }
      none={{ title: t("received.none"), text: t("received.noneText") }}
    />
  );
}

function filtersOf(t: Translate, ofAccounts: boolean): readonly Filter[] {
  const ofStaff: readonly Filter[] = [
    { key: "account", label: t("message.account"), kind: "text" },
    {
      key: "unassigned",
      label: t("received.whose"),
      kind: "choice",
      options: [{ value: "true", text: t("received.unassigned") }],
    },
  ];
  return [
    { key: "sender", label: t("from"), kind: "number" },
    { key: "line", label: t("message.line"), kind: "number" },
    ...dayFilters(t),
    ...(ofAccounts ? ofStaff : [{ key: "text", label: t("message.text"), kind: "text" } as const]),
  ];
}

function columnsOf(t: Translate, ofAccounts: boolean): readonly Column<ReceivedMessage>[] {
  return [
    { title: t("from"), cell: ({ senderNumber }) => <Dialled text={senderNumber} /> },
    { title: t("message.line"), cell: ({ recipientNumber }) => <Dialled text={recipientNumber} /> },
    ofAccounts
      ? {
          title: t("message.account"),
          cell: ({ account }) => (account === undefined ? t("received.nobody") : <AccountLink name={account} />),
        }
      : {
          title: t("message.text"),
          wide: true,
          cell: ({ content, contentErased, complete }) => (
            <>
              {contentErased === true ? <TextErased /> : <span dir="auto">{content}</span>}
              {!complete && ` (${t("received.incomplete")})`}
            </>
          ),
        },
    { title: t("received.time"), cell: ({ receivedAt }) => <Moment at={receivedAt} ago /> },
  ];
}
