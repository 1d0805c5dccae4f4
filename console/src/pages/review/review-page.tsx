// Messages that content rules keep for review: staff read them, and allow or refuse them.
import { useState } from "react";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { useList } from "../../api/queries.ts";
import { Button } from "../../parts/controls.tsx";
import { shownText } from "../../parts/field-spec.ts";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Notice } from "../../parts/problem.tsx";
import { type Column, EndlessList } from "../../parts/table.tsx";
import { Dialled, Moment } from "../../parts/values.tsx";
import { isolated, type Translate, useTexts } from "../../texts/texts.ts";
import styles from "./review.module.css";

export function ReviewPage() {
  const t = useTexts();
  const filters: readonly Filter[] = [
    { key: "account", label: t("message.account"), kind: "text" },
    { key: "rule", label: t("review.rule"), kind: "text" },
  ];
  const values = useFilterValues(filters);
  return (
    <>
      <PageHead title={t("review.title")} lead={t("review.lead")} />
      <Filters filters={filters} />
      {/* What is selected is of this list. */}
      <Waiting key={JSON.stringify(values)} values={values} />
    </>
  );
}

function Waiting({ values }: { readonly values: Readonly<Record<string, string | undefined>> }) {
  const t = useTexts();
  // Each reading shows texts, and is written into the audit.
  const query = useList("GET /review", { query: values }, { isStill: true });
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<string>();
  const showDone = (decision: Decision, count: number): void => setDone(t(`review.${decision}Done`, { count }));
  const shown = query.data?.pages.flatMap(({ items }) => items.map(({ sentMessageId }) => sentMessageId)) ?? [];
  // Others may have decided meanwhile.
  const selected = shown.filter((id) => picked.has(id));
  const select = (id: string, isOn: boolean): void =>
    setPicked(new Set(isOn ? [...selected, id] : selected.filter((each) => each !== id)));
  return (
    <>
      {done !== undefined && (
        <Notice kind="calm" role="status">
          {done}
        </Notice>
      )}
      {shown.length > 0 && (
        <Bar shown={shown} selected={selected} onSelect={(ids) => setPicked(new Set(ids))} onDone={showDone} />
      )}
      <EndlessList
        name={t("review.title")}
        query={query}
        keyOf={({ sentMessageId }) => sentMessageId}
        columns={columnsOf(t, new Set(selected), select)}
        actions={(message) => (
          <>
            <DecideOne decision="allow" message={message} onDone={showDone} />
            <DecideOne decision="refuse" message={message} onDone={showDone} />
          </>
        )}
        empty={
          <Empty
            title={t(Object.keys(values).length > 0 ? "list.noneFound" : "review.none")}
            text={t("review.noneText")}
          />
        }
      />
    </>
  );
}

interface BarProps {
  readonly shown: readonly string[];
  readonly selected: readonly string[];
  readonly onSelect: (ids: readonly string[]) => void;
  readonly onDone: (decision: Decision, count: number) => void;
}

function Bar({ shown, selected, onSelect, onDone }: BarProps) {
  const t = useTexts();
  const isAll = selected.length === shown.length;
  return (
    <div className={styles["bar"]} role="group" aria-label={t("review.selection")}>
      <span aria-live="polite">{t("review.selected", { count: selected.length })}</span>
      <Button kind="quiet" onClick={() => onSelect(isAll ? [] : shown)}>
        {t(isAll ? "review.selectNone" : "review.selectAll")}
      </Button>
      {selected.length > 0 && <DecideSelected decision="allow" ids={selected} onDone={onDone} />}
      {selected.length > 0 && <DecideSelected decision="refuse" ids={selected} onDone={onDone} />}
    </div>
  );
}

function columnsOf(
  t: Translate,
  selected: ReadonlySet<string>,
  select: (id: string, isOn: boolean) => void,
): readonly Column<ReviewedMessage>[] {
  return [
    {
      title: t("review.select"),
      cell: ({ sentMessageId }) => (
        <input
          type="checkbox"
          className={styles["pick"]}
          aria-label={t("review.select")}
          checked={selected.has(sentMessageId)}
          onChange={({ target }) => select(sentMessageId, target.checked)}
        />
      ),
    },
    {
      title: t("message.text"),
      wide: true,
      cell: ({ content }) => (
        <span dir="auto" className={styles["text"]}>
          {content}
        </span>
      ),
    },
    {
      title: t("review.rule"),
      cell: ({ rule }) => (
        <Link href={`/review?rule=${encodeURIComponent(rule)}`}>
          <bdi>{rule}</bdi>
        </Link>
      ),
    },
    {
      title: t("message.account"),
      cell: ({ account }) => (
        <Link href={`/review?account=${encodeURIComponent(account)}`}>
          <bdi>{account}</bdi>
        </Link>
      ),
    },
    {
      title: t("message.recipient"),
      cell: ({ sentMessageId, recipientNumber }) => (
        <Link href={`/messages/${sentMessageId}`}>
          <Dialled text={recipientNumber} />
        </Link>
      ),
    },
    { title: t("message.line"), minor: true, cell: ({ senderNumber }) => <Dialled text={senderNumber} /> },
    { title: t("review.until"), cell: ({ validUntil }) => <Moment at={validUntil} /> },
  ];
}

// Allowing and refusing messages that a content rule keeps: one, some, a batch, or all of the rule.

type ReviewedMessage = Answers["GET /review"]["items"][number];
type Decision = "allow" | "refuse";

type Choice = { readonly sentMessageIds: readonly string[] } | { readonly batchId: string } | { readonly rule: string };

/** A call decides a bounded number: it is made again until nothing is left. Answers how many. */
async function decide(decision: Decision, choice: Choice): Promise<number> {
  let total = 0;
  for (;;) {
    const body = { decision, ...choice };
    const { messages, more } = await callApi("POST /review/decision", { body });
    total += messages;
    if (!more) return total;
  }
}

interface DecideProps {
  readonly decision: Decision;
  /** Shown on the page: what was decided is in the list no more, and neither is its dialog. */
  readonly onDone: (decision: Decision, count: number) => void;
}

function DecideOne({ decision, message, onDone }: DecideProps & { readonly message: ReviewedMessage }) {
  const t = useTexts();
  const { sentMessageId, batchId, rule } = message;
  const choices: Readonly<Record<string, Choice>> = { batch: { batchId }, rule: { rule } };
  const options = [
    { value: "one", text: t("review.scope.one") },
    { value: "batch", text: t("review.scope.batch") },
    { value: "rule", text: t("review.scope.rule", { rule: isolated(rule) }) },
  ];
  return (
    <FormDialog
      button={t(`review.${decision}`)}
      title={t(`review.${decision}Title`)}
      lead={t(`review.${decision}Lead`)}
      specs={[{ name: "scope", label: t("review.scope"), kind: "choice", options }]}
      onSubmit={async ({ scope }) => {
        const choice = choices[shownText(scope)] ?? { sentMessageIds: [sentMessageId] };
        onDone(decision, await decide(decision, choice));
      }}
    />
  );
}

function DecideSelected({ decision, ids, onDone }: DecideProps & { readonly ids: readonly string[] }) {
  const t = useTexts();
  const count = ids.length;
  return (
    <FormDialog
      button={t(`review.${decision}Selected`)}
      title={t(`review.${decision}SelectedTitle`, { count })}
      lead={t(`review.${decision}Lead`)}
      submit={t(`review.${decision}`)}
      onSubmit={async () => {
        let total = 0;
        for (let from = 0; from < ids.length; from += idsAtOnce)
          total += await decide(decision, { sentMessageIds: ids.slice(from, from + idsAtOnce) });
        onDone(decision, total);
      }}
    />
  );
}

/** What the API takes at a time. */
const idsAtOnce = 1_000;
