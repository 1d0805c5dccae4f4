// The life of one message: one vertical line of time.
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { ApiProblem, callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { useAnswer } from "../../api/queries.ts";
import { waitingText } from "../../../../src/texts/waiting-texts.ts";
import { dialled, formatNumber, type Language } from "../../format/numbers.ts";
import { formatNearTime } from "../../format/times.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble, useMay } from "../../frame/person.ts";
import { CancelWaiting } from "../../parts/cancel-waiting.tsx";
import { Button } from "../../parts/controls.tsx";
import { Empty, Facts, PageHead, Section } from "../../parts/page.tsx";
import { ErrorLink, Problem } from "../../parts/problem.tsx";
import { type MessageState, State, stateOf, StateSign } from "../../parts/state.tsx";
import { Loaded, Table } from "../../parts/table.tsx";
import {
  AccountLink,
  CampaignLink,
  Code,
  Copyable,
  Dialled,
  Moment,
  Operator,
  Rials,
  TextErased,
  useCopy,
} from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import { LifeLine } from "./life-line.tsx";
import { lifeAsText, type LifePart, type MessageLife } from "./message-life.ts";
import messageTextStyles from "./message-text.module.css";
import partTableStyles from "./part-table.module.css";

const refreshMs = 3_000;
const notFound = 404;

export function MessagePage({ params: { id = "" } }: { readonly params: PageParams }) {
  const t = useTexts();
  const life = useAnswer(
    "GET /messages/{id}",
    { params: { id } },
    {
      // Until it has ended, or where there is none.
      refetchInterval: ({ state: { data, error } }) =>
        (data === undefined ? error === null : data.finalAt === undefined) ? refreshMs : false,
    },
  );
  const failed = (error: Error) => {
    const isUnknown = error instanceof ApiProblem && error.status === notFound;
    return (
      <>
        <PageHead title={t("message.title")} />
        {isUnknown ? <UnknownMessage id={id} /> : <Problem error={error} onRetry={() => void life.refetch()} />}
      </>
    );
  };
  return (
    <Loaded query={life} failed={failed}>
      {(message) => <Life message={message} onChange={() => void life.refetch()} />}
    </Loaded>
  );
}

/** It may be a batch. */
function UnknownMessage({ id }: { readonly id: string }) {
  const t = useTexts();
  return (
    <Empty title={t("message.unknown")} text={t("message.unknownText")}>
      <Link href={`/messages?batch=${encodeURIComponent(id)}`}>{t("message.asBatch")}</Link>
    </Empty>
  );
}

/** Why it waits, or why it has its state. */
function noteOf(t: Translate, language: Language, message: MessageLife): string | undefined {
  const { errorMessage, waits } = message;
  if (stateOf(message) === "undelivered")
    return errorMessage === undefined ? t("message.notRefunded") : `${errorMessage} ${t("message.notRefunded")}`;
  // The reason of a message in review says what it waits for.
  if (waits === undefined || waits.kind === "review") return errorMessage;
  const time = (at: Date) => formatNearTime(language, at, new Date());
  const text = waitingText(waits, { language, time, number: (value) => formatNumber(language, value) });
  return errorMessage === undefined ? text : `${errorMessage} ${text}`;
}

function Life({ message, onChange }: { readonly message: MessageLife; readonly onChange: () => void }) {
  const t = useTexts();
  const language = useLanguage();
  const isStaff = useAble("see");
  const mayCancel = useMay("cancel");
  const { sentMessageId: id, account, batchId, campaign, parts, sendAt } = message;
  const refund = message.events.find(({ kind }) => kind === "refunded");
  return (
    <>
      <PageHead
        title={`${t("message.title")} ${dialled(message.recipientNumber)}`.trim()}
        heading={
          <>
            {t("message.to")} <Dialled text={message.recipientNumber} />
          </>
        }
        lead={<State state={stateOf(message)} note={noteOf(t, language, message)} />}
        actions={
          <>
            {mayCancel && stateOf(message) === "waiting" && <CancelWaiting of="messages" id={id} onDone={onChange} />}
            <CopyLife message={message} />
          </>
        }
      />
      <Facts
        facts={[
          { name: t("message.id"), value: <Copyable text={id} name={t("message.id")} /> },
          { name: t("message.batch"), value: <Copyable text={batchId} name={t("message.batch")} /> },
          {
            name: t("message.campaign"),
            value: campaign && <CampaignLink {...campaign} />,
          },
          { name: t("message.account"), value: isStaff ? <AccountLink name={account} /> : undefined },
          { name: t("message.operator"), value: <Operator name={message.operator} /> },
          { name: t("message.line"), value: <Dialled text={message.senderNumber} /> },
          { name: t("message.accepted"), value: <Moment at={message.acceptedAt} /> },
          { name: t("message.due"), value: sendAt !== undefined ? <Moment at={sendAt} /> : undefined },
          { name: t("message.help"), value: message.errorCode && <ErrorLink code={message.errorCode} /> },
          { name: t("message.parts"), value: parts },
          { name: t("message.cost"), value: <Rials value={message.cost} /> },
          { name: t("send.refunded"), value: refund?.amount && <Rials value={refund.amount} /> },
        ]}
      />
      <MessageText id={id} />
      <Section title={t("life.title")}>
        <LifeLine message={message} />
        {message.answersDropped && <p>{t("life.answersDropped")}</p>}
      </Section>
      {isStaff && message.partStates.length > 0 && (
        <Section title={t("part.title")}>
          <PartTable parts={message.partStates} />
        </Section>
      )}
    </>
  );
}

function CopyLife({ message }: { readonly message: MessageLife }) {
  const t = useTexts();
  const language = useLanguage();
  const [copied, copy] = useCopy(lifeAsText(t, language, message));
  return <Button onClick={copy}>{t(copied ? "copy.copied" : "life.copy")}</Button>;
}

// What the message says. Customers see their own; staff ask for it, where their role allows it, and
// that is audited.

function MessageText({ id }: { readonly id: string }) {
  const isOwn = useAble("look");
  const mayAsk = useAble("texts");
  if (isOwn) return <OwnText id={id} />;
  return mayAsk ? <HiddenText id={id} /> : null;
}

type FoundText = Answers["GET /messages/{id}/text"];

function OwnText({ id }: { readonly id: string }) {
  const t = useTexts();
  const text = useAnswer("GET /messages/{id}/text", { params: { id } }, { staleTime: Infinity });
  return (
    <Section title={t("message.text")}>
      {text.isError && <Problem error={text.error} onRetry={() => void text.refetch()} />}
      {text.data !== undefined && <Bubble found={text.data} />}
    </Section>
  );
}

function HiddenText({ id }: { readonly id: string }) {
  const t = useTexts();
  const asked = useMutation({ mutationFn: () => callApi("GET /messages/{id}/text", { params: { id } }) });
  return (
    <Section title={t("message.text")}>
      {asked.isError && <Problem error={asked.error} />}
      {asked.data === undefined ? (
        <div className={messageTextStyles["ask"]}>
          <p>{t("message.textHidden")}</p>
          <Button busy={asked.isPending} onClick={() => asked.mutate()}>
            {t("message.showText")}
          </Button>
        </div>
      ) : (
        <Bubble found={asked.data} />
      )}
    </Section>
  );
}

function Bubble({ found: { content, contentErased } }: { readonly found: FoundText }) {
  return (
    <p className={messageTextStyles["text"]} dir="auto">
      {contentErased === true ? <TextErased /> : content}
    </p>
  );
}

// The state of each part, for staff.

function PartTable({ parts }: { readonly parts: readonly LifePart[] }) {
  const t = useTexts();
  return (
    <Table
      name={t("part.title")}
      rows={parts}
      keyOf={({ part }) => String(part)}
      columns={[
        { title: t("part.number"), cell: ({ part }) => part },
        { title: t("message.state"), cell: (part) => <PartState t={t} part={part} /> },
        { title: t("connectors.name"), cell: ({ connector }) => <bdi>{connector}</bdi> },
        {
          title: t("part.smscId"),
          cell: ({ smscMessageId = "" }) => smscMessageId !== "" && <Code text={smscMessageId} />,
        },
      ]}
    />
  );
}

const signs: Readonly<Record<string, MessageState>> = {
  inFlight: "sent",
  taken: "sent",
  uncertain: "open",
  delivered: "delivered",
  undelivered: "undelivered",
  unsent: "unsent",
};

function PartState({
  t,
  part: { state, resendAt, heldUntil, resolvedBy },
}: {
  readonly t: Translate;
  readonly part: LifePart;
}) {
  return (
    <span className={partTableStyles["state"]}>
      <StateSign state={signs[state] ?? "waiting"} />
      <span>
        {wordFor(t, `state.${state}`, state)}
        {resolvedBy !== undefined && t("list.comma") + t("part.wasUncertain")}
        {resendAt !== undefined && (
          <>
            {t("list.comma")}
            {t("part.resendAt")} <Moment at={resendAt} />
          </>
        )}
        {heldUntil !== undefined && (
          <>
            {t("list.comma")}
            {t("part.heldUntil")} <Moment at={heldUntil} />
          </>
        )}
      </span>
    </span>
  );
}
