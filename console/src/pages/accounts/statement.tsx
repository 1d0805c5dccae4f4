// What moved the credit of an account in a period, oldest first, with the balance after each
// movement.
import { useState } from "react";
import { Link } from "wouter";
import type { StatementEntry } from "../../api/accounts.ts";
import { useList } from "../../api/lists.ts";
import { formatNumber } from "../../format/numbers.ts";
import { dayFilters, withTimes } from "../../parts/day-filters.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Rials } from "../../parts/number-text.tsx";
import type { Column } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";

const usualDays = 30;
const dayMs = 86_400_000;

export function Statement({ account }: { readonly account: string }) {
  const t = useTexts();
  const filters = dayFilters(t);
  const values = useFilterValues(filters);
  // Once: a period that moves would ask for another list with each look.
  const [openedAt] = useState(() => Date.now());
  const asked = withTimes(values);
  const end = asked["to"] === undefined ? openedAt : Date.parse(asked["to"]);
  const query = useList<"GET /accounts/{name}/statement">(`/accounts/${encodeURIComponent(account)}/statement`, {
    from: new Date(end - usualDays * dayMs).toISOString(),
    ...asked,
  });
  return (
    <>
      <Filters filters={filters} />
      <EndlessList
        name={t("statement.title")}
        query={query}
        keyOf={({ id }) => id}
        columns={columnsOf(t)}
        empty={
          <Empty title={t("statement.none")}>
            <p>{t("statement.noneText")}</p>
          </Empty>
        }
      />
    </>
  );
}

function columnsOf(t: Translate): readonly Column<StatementEntry>[] {
  return [
    { key: "time", title: t("statement.time"), cell: ({ at }) => <Moment at={at} ago /> },
    { key: "kind", title: t("statement.kind"), cell: ({ kind }) => kindText(t, kind) },
    { key: "about", title: t("statement.about"), wide: true, cell: (entry) => <About entry={entry} /> },
    { key: "amount", title: t("statement.amount"), atEnd: true, cell: ({ amount }) => <Rials value={amount} /> },
    { key: "balance", title: t("statement.balance"), atEnd: true, cell: ({ balance }) => <Rials value={balance} /> },
  ];
}

function kindText(t: Translate, kind: string): string {
  const key = `statement.kind.${kind}`;
  return isTextKey(key) ? t(key) : kind;
}

function About({ entry: { reference, messageId, batchId, messages } }: { readonly entry: StatementEntry }) {
  const t = useTexts();
  const language = useLanguage();
  if (messageId !== undefined) return <Link href={`/messages/${messageId}`}>{t("statement.message")}</Link>;
  if (batchId !== undefined)
    return (
      <Link href={`/messages?batch=${batchId}`}>
        {messages === undefined
          ? t("statement.batch")
          : t("statement.messages", { count: formatNumber(language, messages) })}
      </Link>
    );
  return reference === undefined ? null : <bdi>{reference}</bdi>;
}
