// A customer's own credit: what is left, and what moved it.
import { useState } from "react";
import { Link } from "wouter";
import { useAnswer, useList } from "../../api/queries.ts";
import type { Account, StatementEntry } from "../../api/types.ts";
import { useSession } from "../../api/session.ts";
import { usePerson } from "../../frame/person.ts";
import { dayFilters, Filters, useFilterValues, withTimes } from "../../parts/filters.tsx";
import { Empty, PageHead, Section } from "../../parts/page.tsx";
import { SaveFile } from "../../parts/save-file.tsx";
import { type Column, EndlessList, Loaded } from "../../parts/table.tsx";
import { Moment, Rials } from "../../parts/values.tsx";
import { type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./credit-page.module.css";

export function CreditPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  return (
    <>
      <PageHead title={t("credit.title")} lead={t("credit.lead")} />
      <CustomerNote />
      <CreditFigure account={account} />
      <Section title={t("statement.title")}>
        <Statement account={account} />
      </Section>
    </>
  );
}

/** What staff want customers to know, such as how to buy credit; they write it in the settings. */
export function CustomerNote() {
  const note = useSession().data?.note;
  return (
    note !== undefined && (
      <p className={styles["note"]} dir="auto">
        {note}
      </p>
    )
  );
}

export function CreditFigure({ account }: { readonly account: string }) {
  const t = useTexts();
  const query = useAnswer("GET /accounts/{name}", { params: { name: account } });
  return (
    <Loaded query={query}>
      {(data) => (
        <p className={styles["figure"]}>
          <span>{t("credit.title")}</span>
          <strong>
            <CreditText account={data} />
          </strong>
        </p>
      )}
    </Loaded>
  );
}

// The credit of an account in words.

export function CreditText({
  account: { balance, unlimited },
}: {
  readonly account: Partial<Pick<Account, "balance" | "unlimited">>;
}) {
  const t = useTexts();
  return (
    <>
      {balance !== undefined && <Rials value={balance} />}
      {unlimited === true && ` · ${t("credit.unlimited")}`}
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
  const shown = { from: new Date(end - usualDays * dayMs).toISOString(), ...asked };
  const query = useList("GET /accounts/{name}/statement", {
    params: { name: account },
    query: shown,
  });
  return (
    <>
      <Filters filters={filters} />
      <p className={styles["save"]}>
        <SaveFile path={`/accounts/${encodeURIComponent(account)}/statement`} values={shown} />
      </p>
      <EndlessList
        name={t("statement.title")}
        query={query}
        keyOf={({ id }) => id}
        columns={columnsOf(t)}
        empty={<Empty title={t("statement.none")} text={t("statement.noneText")} />}
      />
    </>
  );
}

function columnsOf(t: Translate): readonly Column<StatementEntry>[] {
  return [
    { title: t("statement.time"), cell: ({ at }) => <Moment at={at} ago /> },
    { title: t("statement.kind"), cell: ({ kind }) => wordFor(t, `statement.kind.${kind}`, kind) },
    { title: t("statement.about"), wide: true, cell: (entry) => <About entry={entry} /> },
    { title: t("statement.amount"), atEnd: true, cell: ({ amount }) => <Rials value={amount} /> },
    { title: t("statement.balance"), atEnd: true, cell: ({ balance }) => <Rials value={balance} /> },
  ];
}

function About({ entry: { reference, messageId, batchId, messages, campaign } }: { readonly entry: StatementEntry }) {
  const t = useTexts();
  if (campaign !== undefined)
    return (
      <>
        <Link href={`/campaigns/${campaign.id}`}>
          <bdi>{campaign.name}</bdi>
        </Link>
        {messages !== undefined && ` · ${t("count.messages", { count: messages })}`}
      </>
    );
  if (messageId !== undefined) return <Link href={`/messages/${messageId}`}>{t("message.title")}</Link>;
  if (batchId !== undefined)
    return (
      <Link href={`/messages?batch=${batchId}`}>
        {messages === undefined ? t("message.batch") : t("count.messages", { count: messages })}
      </Link>
    );
  return reference === undefined ? null : <bdi>{reference}</bdi>;
}
