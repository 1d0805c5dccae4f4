// The life of one message: one vertical line of time.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { ApiProblem, callApi } from "../../api/client.ts";
import { stateOf } from "../../api/messages.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble } from "../../frame/person.ts";
import { AccountLink } from "../../parts/account-link.tsx";
import { Button } from "../../parts/button.tsx";
import { CancelWaiting } from "../../parts/cancel-waiting.tsx";
import { Copyable, copyText } from "../../parts/copyable.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Waiting } from "../../parts/endless-list.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Moment } from "../../parts/moment.tsx";
import { dialled } from "../../format/phone.ts";
import { NotAnew } from "../../parts/not-anew.tsx";
import { Dialled, Figure, Rials } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { State } from "../../parts/state.tsx";
import { useLanguage } from "../../preferences.ts";
import { isTextKey, useTexts } from "../../texts/texts.ts";
import { LifeLine } from "./life-line.tsx";
import { lifeAsText, type MessageLife } from "./message-life.ts";
import { MessageText } from "./message-text.tsx";
import { PartTable } from "./part-table.tsx";

const refreshMs = 3_000;
const notFound = 404;

export function MessagePage({ params: { id = "" } }: { readonly params: PageParams }) {
  const t = useTexts();
  const life = useQuery({
    queryKey: ["message", id],
    queryFn: ({ signal }) => callApi<"GET /messages/{id}">("GET", `/messages/${encodeURIComponent(id)}`, { signal }),
    // Until it has ended, or where there is none.
    refetchInterval: ({ state: { data, error } }) =>
      (data === undefined ? error === null : data.finalAt === undefined) ? refreshMs : false,
  });
  if (life.isPending) return <Waiting />;
  if (life.isLoadingError) {
    const isUnknown = life.error instanceof ApiProblem && life.error.status === notFound;
    return (
      <>
        <PageHead title={t("message.title")} />
        {isUnknown ? <UnknownMessage id={id} /> : <Problem error={life.error} onRetry={() => void life.refetch()} />}
      </>
    );
  }
  return (
    <>
      <NotAnew query={life} />
      <Life message={life.data} onChange={() => void life.refetch()} />
    </>
  );
}

/** It may be a batch. */
function UnknownMessage({ id }: { readonly id: string }) {
  const t = useTexts();
  return (
    <Empty title={t("message.unknown")}>
      <p>{t("message.unknownText")}</p>
      <Link href={`/messages?batch=${encodeURIComponent(id)}`}>{t("message.asBatch")}</Link>
    </Empty>
  );
}

function Life({ message, onChange }: { readonly message: MessageLife; readonly onChange: () => void }) {
  const t = useTexts();
  const isStaff = useAble("see");
  const mayCancel = [useAble("send"), useAble("cancel")].includes(true);
  const { sentMessageId: id, account, batchId, parts, sendAt } = message;
  return (
    <>
      <PageHead
        title={`${t("message.title")} ${dialled(message.recipientNumber)}`.trim()}
        heading={
          <>
            {t("message.to")} <Dialled text={message.recipientNumber} />
          </>
        }
        lead={<State state={stateOf(message)} note={message.errorMessage} />}
        actions={
          <>
            {mayCancel && stateOf(message) === "waiting" && (
              <CancelWaiting path={`/messages/${id}/cancel`} isOne onDone={onChange} />
            )}
            <CopyLife message={message} />
          </>
        }
      />
      <Facts
        facts={[
          { name: t("message.id"), value: <Copyable text={id} name={t("message.id")} /> },
          { name: t("message.batch"), value: <Copyable text={batchId} name={t("message.batch")} /> },
          {
            name: t("message.account"),
            value: isStaff ? <AccountLink name={account} /> : undefined,
          },
          { name: t("message.operator"), value: <bdi>{message.operator}</bdi> },
          { name: t("message.line"), value: <Dialled text={message.senderNumber} /> },
          { name: t("message.accepted"), value: <Moment at={message.acceptedAt} /> },
          { name: t("message.due"), value: sendAt !== undefined ? <Moment at={sendAt} /> : undefined },
          { name: t("message.parts"), value: <Figure value={parts} /> },
          { name: t("message.cost"), value: <Rials value={message.cost} /> },
        ]}
      />
      <MessageText id={id} />
      <Section title={t("life.title")}>
        <LifeLine message={message} />
        <NotKept kinds={message.notKept} />
      </Section>
      {isStaff && message.partStates.length > 0 && (
        <Section title={t("part.title")}>
          <PartTable parts={message.partStates} />
        </Section>
      )}
    </>
  );
}

/** What the line of time lacks. */
function NotKept({ kinds }: { readonly kinds: readonly string[] }) {
  const t = useTexts();
  const texts = kinds.map((kind) => `life.notKept.${kind}`).filter(isTextKey);
  return texts.length > 0 && <p>{texts.map((key) => t(key)).join(" ")}</p>;
}

function CopyLife({ message }: { readonly message: MessageLife }) {
  const t = useTexts();
  const language = useLanguage();
  const [copied, setCopied] = useState(false);
  return (
    <Button onClick={() => void copyText(lifeAsText(t, language, message)).then(setCopied)}>
      {t(copied ? "life.copied" : "life.copy")}
    </Button>
  );
}
