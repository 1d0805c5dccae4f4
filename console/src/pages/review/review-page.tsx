// Messages that content rules keep for review: staff read them, and allow or refuse them.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/queries.ts";
import { formatNumber } from "../../format/numbers.ts";
import { Button, Select, formText } from "../../parts/controls.tsx";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Notice } from "../../parts/problem.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { Dialled, Moment } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
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
  const query = useList<"GET /review">("/review", values, { isStill: true });
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<string>();
  const language = useLanguage();
  const client = useQueryClient();
  const tellDone = (decision: Decision, count: number): void => {
    setDone(t(`review.${decision}Done`, { count: formatNumber(language, count) }));
    void client.invalidateQueries({ queryKey: ["/review"] });
  };
  const shown = query.data?.pages.flatMap(({ items }) => items.map(({ sentMessageId }) => sentMessageId)) ?? [];
  // Others may have decided meanwhile.
  const selected = shown.filter((id) => picked.has(id));
  const turn = (id: string, isOn: boolean): void =>
    setPicked(new Set(isOn ? [...selected, id] : selected.filter((each) => each !== id)));
  return (
    <>
      {done !== undefined && (
        <Notice kind="calm" role="status">
          {done}
        </Notice>
      )}
      {shown.length > 0 && (
        <Bar shown={shown} selected={selected} onSelect={(ids) => setPicked(new Set(ids))} onDone={tellDone} />
      )}
      <EndlessList
        name={t("review.title")}
        query={query}
        keyOf={({ sentMessageId }) => sentMessageId}
        columns={columnsOf(t, { selected: new Set(selected), turn, onDone: tellDone })}
        empty={
          <Empty title={t(Object.keys(values).length > 0 ? "review.noneFound" : "review.none")}>
            <p>{t("review.noneText")}</p>
          </Empty>
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
  const language = useLanguage();
  const isAll = selected.length === shown.length;
  return (
    <div className={styles["bar"]} role="group" aria-label={t("review.selection")}>
      <span aria-live="polite">{t("review.selected", { count: formatNumber(language, selected.length) })}</span>
      <Button kind="quiet" onClick={() => onSelect(isAll ? [] : shown)}>
        {t(isAll ? "review.selectNone" : "review.selectAll")}
      </Button>
      {selected.length > 0 && <DecideSelected decision="allow" ids={selected} onDone={onDone} />}
      {selected.length > 0 && <DecideSelected decision="refuse" ids={selected} onDone={onDone} />}
    </div>
  );
}

interface RowState {
  readonly selected: ReadonlySet<string>;
  readonly turn: (id: string, isOn: boolean) => void;
  readonly onDone: (decision: Decision, count: number) => void;
}

function columnsOf(t: Translate, { selected, turn, onDone }: RowState): readonly Column<ReviewedMessage>[] {
  return [
    {
      key: "select",
      title: t("review.select"),
      cell: ({ sentMessageId }) => (
        <input
          type="checkbox"
          className={styles["pick"]}
          aria-label={t("review.select")}
          checked={selected.has(sentMessageId)}
          onChange={({ target }) => turn(sentMessageId, target.checked)}
        />
      ),
    },
    ...messageColumns(t),
    {
      key: "actions",
      title: t("list.actions"),
      isActions: true,
      cell: (message) => (
        <RowActions>
          <DecideOne decision="allow" message={message} onDone={onDone} />
          <DecideOne decision="refuse" message={message} onDone={onDone} />
        </RowActions>
      ),
    },
  ];
}

function messageColumns(t: Translate): readonly Column<ReviewedMessage>[] {
  return [
    {
      key: "text",
      title: t("message.text"),
      wide: true,
      cell: ({ content }) => (
        <span dir="auto" className={styles["text"]}>
          {content}
        </span>
      ),
    },
    {
      key: "rule",
      title: t("review.rule"),
      cell: ({ rule }) => (
        <Link href={`/review?rule=${encodeURIComponent(rule)}`}>
          <bdi>{rule}</bdi>
        </Link>
      ),
    },
    {
      key: "account",
      title: t("message.account"),
      cell: ({ account }) => (
        <Link href={`/review?account=${encodeURIComponent(account)}`}>
          <bdi>{account}</bdi>
        </Link>
      ),
    },
    {
      key: "recipient",
      title: t("message.recipient"),
      cell: ({ sentMessageId, recipientNumber }) => (
        <Link href={`/messages/${sentMessageId}`}>
          <Dialled text={recipientNumber} />
        </Link>
      ),
    },
    { key: "line", title: t("message.line"), minor: true, cell: ({ senderNumber }) => <Dialled text={senderNumber} /> },
    { key: "until", title: t("review.until"), cell: ({ validUntil }) => <Moment at={validUntil} /> },
  ];
}

// Allowing and refusing messages that a content rule keeps: one, some, a batch, or all of the rule.

export type ReviewedMessage = Answers["GET /review"]["items"][number];
export type Decision = "allow" | "refuse";

type Choice = { readonly sentMessageIds: readonly string[] } | { readonly batchId: string } | { readonly rule: string };

/** A call decides a bounded number: it is made again until nothing is left. Answers how many. */
async function decide(decision: Decision, choice: Choice): Promise<number> {
  let total = 0;
  for (;;) {
    const body = { decision, ...choice };
    const { messages, more } = await callApi<"POST /review/decision">("POST", "/review/decision", { body });
    total += messages;
    if (!more) return total;
  }
}

interface DecideProps {
  readonly decision: Decision;
  /** Told on the page: what was decided is in the list no more, and neither is its dialog. */
  readonly onDone: (decision: Decision, count: number) => void;
}

export function DecideOne({ decision, message, onDone }: DecideProps & { readonly message: ReviewedMessage }) {
  const t = useTexts();
  const [scope, setScope] = useState("one");
  const { sentMessageId, batchId, rule } = message;
  const choices: Readonly<Record<string, Choice>> = { batch: { batchId }, rule: { rule } };
  return (
    <FormDialog
      button={t(`review.${decision}`)}
      title={t(`review.${decision}Title`)}
      lead={t(`review.${decision}Lead`)}
      submit={t(`review.${decision}`)}
      onSubmit={async (form) => {
        const choice = choices[formText(form, "scope")] ?? { sentMessageIds: [sentMessageId] };
        onDone(decision, await decide(decision, choice));
      }}
    >
      <Select
        label={t("review.scope")}
        name="scope"
        value={scope}
        onChoose={setScope}
        options={[
          { value: "one", text: t("review.scope.one") },
          { value: "batch", text: t("review.scope.batch") },
          { value: "rule", text: t("review.scope.rule", { rule: `\u2068${rule}\u2069` }) },
        ]}
      />
    </FormDialog>
  );
}

export function DecideSelected({ decision, ids, onDone }: DecideProps & { readonly ids: readonly string[] }) {
  const t = useTexts();
  const language = useLanguage();
  const count = formatNumber(language, ids.length);
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
    >
      {null}
    </FormDialog>
  );
}

/** What the API takes at a time. */
const idsAtOnce = 1_000;
