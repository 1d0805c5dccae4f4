// Messages that content rules keep for review: staff read them, and allow or refuse them.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { useList } from "../../api/lists.ts";
import { formatNumber } from "../../format/numbers.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Dialled } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import type { Column } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { DecideOne, DecideSelected, type Decision, type ReviewedMessage } from "./decide.tsx";
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
