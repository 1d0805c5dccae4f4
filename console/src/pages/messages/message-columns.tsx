// How a message stands in a list.
import { Link } from "wouter";
import { stateOf, type Message } from "../../api/messages.ts";
import { Dialled, Figure, Rials } from "../../parts/number-text.tsx";
import { Moment } from "../../parts/moment.tsx";
import { State } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import type { Translate } from "../../texts/texts.ts";

export function messageColumns(t: Translate, ofAccounts: boolean): readonly Column<Message>[] {
  return [
    {
      key: "recipient",
      title: t("message.recipient"),
      cell: ({ id, recipient }) => (
        <Link href={`/messages/${id}`}>
          <Dialled text={recipient} />
        </Link>
      ),
    },
    { key: "state", title: t("message.state"), cell: (message) => <State state={stateOf(message)} /> },
    { key: "time", title: t("message.accepted"), cell: ({ acceptedAt }) => <Moment at={acceptedAt} ago /> },
    ...(ofAccounts
      ? [
          {
            key: "account",
            title: t("message.account"),
            cell: ({ account = "" }: Message) => (
              <Link href={`/accounts/${encodeURIComponent(account)}`}>
                <bdi>{account}</bdi>
              </Link>
            ),
          },
        ]
      : []),
    { key: "operator", title: t("message.operator"), cell: ({ operator }) => <bdi>{operator}</bdi> },
    { key: "line", title: t("message.line"), cell: ({ sender }) => <Dialled text={sender} /> },
    { key: "parts", title: t("message.parts"), atEnd: true, cell: ({ parts }) => <Figure value={parts} /> },
    { key: "cost", title: t("message.cost"), atEnd: true, cell: ({ cost }) => <Rials value={cost} /> },
  ];
}
