// A customer's own credit: what is left, and what moved it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import { useList } from "../../api/queries.ts";
import type { Account, StatementEntry } from "../../api/types.ts";
import { formatNumber } from "../../format/numbers.ts";
import { usePerson } from "../../frame/person.ts";
import { Filters, dayFilters, useFilterValues, withTimes } from "../../parts/filters.tsx";
import { Empty, PageHead, Section } from "../../parts/page.tsx";
import { NotAnew, Problem } from "../../parts/problem.tsx";
import { type Column, EndlessList } from "../../parts/table.tsx";
import { Moment, Rials } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, isTextKey, useTexts } from "../../texts/texts.ts";
import styles from "./credit-page.module.css";

export function CreditPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  return (
    <>
      <PageHead title={t("credit.title")} lead={t("credit.lead")} />
      <CreditFigure account={account} />
      <Section title={t("statement.title")}>
        <Statement account={account} />
      </Section>
    </>
  );
}

export function CreditFigure({ account }: { readonly account: string }) {
  const t = useTexts();
  const query = useQuery({
    queryKey: ["account", account],
    queryFn: ({ signal }) =>
      callApi<"GET /accounts/{name}">("GET", `/accounts/${encodeURIComponent(account)}`, { signal }),
  });
  if (query.isLoadingError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <NotAnew query={query} />
      <p className={styles["figure"]}>
        <span>{t("accounts.credit")}</span>
        <strong>{query.data === undefined ? "…" : <CreditText account={query.data} />}</strong>
      </p>
    </>
  );
}

// The credit of an account in words.

export function CreditText({
  account: { balance, unlimited },
}: {
  readonly account: Pick<Account, "balance" | "unlimited">;
}) {
  const t = useTexts();
  return (
    <>
      <Rials value={balance} />
      {unlimited && ` · ${t("credit.unlimited")}`}
    </>
  );
}

// What moved the credit of an account in a period, oldest first, with the balance after each
// movement.

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
