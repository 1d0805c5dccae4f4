// How a message stands in a list.
import { Link } from "wouter";
import { linePlaceholder } from "../../../../src/texts/code-samples.ts";
import { useAnswer } from "../../api/queries.ts";
import { usePerson } from "../../frame/person.ts";
import { type Message, State, stateNote, stateOf } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { AccountLink, Dialled, Figure, Moment, Operator, Rials, TextErased } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

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
      cell: ({ parts }) => <Figure value={parts} />,
    },
    { title: t("message.cost"), atEnd: true, cell: ({ cost }) => <Rials value={cost} /> },
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

// The one next step of somebody without messages: a call that sends one.

export function SendExample() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const { data } = useAnswer("GET /accounts/{name}", { params: { name: account } });
  const senderNumber = data?.lines[0] ?? linePlaceholder;
  const call = [
    `curl ${window.location.origin}/messages/send \\`,
    `  -H 'X-Api-Key: YOUR_API_KEY' -H 'Content-Type: application/json' \\`,
    `  -d '{"senderNumber":"${senderNumber}","recipientNumber":"09121234567","content":"Hodhod"}'`,
  ].join("\n");
  return (
    <>
      <p>{t("messages.sendFirst")}</p>
      <pre dir="ltr" tabIndex={0}>
        {call}
      </pre>
    </>
  );
}
