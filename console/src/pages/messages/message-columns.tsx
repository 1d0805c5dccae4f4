// How a message stands in a list.
import { Link } from "wouter";
import { type Message, State, stateNote, stateOf, statuses } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { AccountLink, Dialled, Moment, Operator, Rials, TextErased } from "../../parts/values.tsx";
import type { Translate } from "../../texts/texts.ts";

/** What was charged for it is given back. */
const unsent = statuses.indexOf("unsent");

/** Staff see whose it is, customers what it says. */
export function messageColumns(t: Translate, ofAccounts: boolean): readonly Column<Message>[] {
  return [
    {
      title: t("message.recipient"),
      cell: ({ sentMessageId, recipientNumber }) => (
        <Link href={`/messages/${sentMessageId}`}>
          <Dialled text={recipientNumber} />
        </Link>
      ),
    },
    {
      title: t("message.state"),
      cell: (message) => <State state={stateOf(message)} note={stateNote(message)} />,
    },
    { title: t("message.accepted"), cell: ({ acceptedAt }) => <Moment at={acceptedAt} ago /> },
    ofAccounts ? accountColumn(t) : textColumn(t),
    { title: t("message.operator"), minor: true, cell: ({ operator }) => <Operator name={operator} /> },
    { title: t("message.line"), minor: true, cell: ({ senderNumber }) => <Dialled text={senderNumber} /> },
    {
      title: t("message.parts"),
      atEnd: true,
      minor: true,
      cell: ({ parts }) => parts,
    },
    {
      title: t("message.cost"),
      atEnd: true,
      cell: ({ cost, messageStatus }) => (
        <>
          <Rials value={cost} />
          {messageStatus === unsent && (
            <div>
              <small>{t("send.refunded")}</small>
            </div>
          )}
        </>
      ),
    },
  ];
}

function accountColumn(t: Translate): Column<Message> {
  return {
    title: t("message.account"),
    cell: ({ account }) => <AccountLink name={account} />,
  };
}

function textColumn(t: Translate): Column<Message> {
  return {
    title: t("message.text"),
    wide: true,
    cell: ({ content, contentErased }) => (contentErased === true ? <TextErased /> : <Excerpt text={content ?? ""} />),
  };
}

const excerptLength = 60;

function Excerpt({ text }: { readonly text: string }) {
  const letters = Array.from(text);
  return (
    <span dir="auto">{letters.length <= excerptLength ? text : `${letters.slice(0, excerptLength).join("")}…`}</span>
  );
}
