// A customer's own credit: what is left, and what moved it.
import { Link } from "wouter";
import { movementTexts } from "../../../../src/texts/list-file-texts.ts";
import { useAnswer } from "../../api/queries.ts";
import type { Account, StatementEntry } from "../../api/types.ts";
import { useSession } from "../../api/session.ts";
import type { Language } from "../../format/numbers.ts";
import { usePerson } from "../../frame/person.ts";
import { dayFilters, useFilterValues, withTimes } from "../../parts/filters.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { PageHead, Section } from "../../parts/page.tsx";
import { SaveFile } from "../../parts/save-file.tsx";
import { type Column, Loaded } from "../../parts/table.tsx";
import { CampaignLink, Moment, Rials } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
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
  const t = useTexts();
  return (
    <p className={styles["note"]} dir="auto">
      {useSession().data?.note ?? t("credit.buy")}
    </p>
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
      {unlimited === true && t("list.comma") + t("credit.unlimited")}
    </>
  );
}

// What moved the credit of an account, newest first, with the balance after each movement.

export function Statement({ account }: { readonly account: string }) {
  const t = useTexts();
  const language = useLanguage();
  const filters = dayFilters(t);
  const values = withTimes(useFilterValues(filters));
  return (
    <>
      <p className={styles["save"]}>
        <SaveFile path={`/accounts/${encodeURIComponent(account)}/statement`} values={values} />
      </p>
      <FilteredList
        list="GET /accounts/{name}/statement"
        asked={{ params: { name: account } }}
        filters={filters}
        name={t("statement.title")}
        rowsOf={joined}
        keyOf={({ id }) => id}
        columns={columnsOf(t, language)}
        none={{ title: t("statement.none"), text: t("statement.noneText") }}
      />
    </>
  );
}

/** What calls of one campaign moved in a row is one row, with the balance after the newest. */
function joined(entries: readonly StatementEntry[]): readonly StatementEntry[] {
  const rows: StatementEntry[] = [];
  for (const entry of entries) {
    const newer = rows.at(-1);
    if (newer?.kind === entry.kind && newer.campaign !== undefined && newer.campaign.id === entry.campaign?.id) {
      const sum = (key: "messages" | "parts") => (newer[key] ?? 0) + (entry[key] ?? 0);
      rows.splice(-1, 1, {
        ...newer,
        amount: newer.amount + entry.amount,
        messages: sum("messages"),
        parts: sum("parts"),
      });
    } else rows.push(entry);
  }
  return rows;
}

function columnsOf(t: Translate, language: Language): readonly Column<StatementEntry>[] {
  return [
    { title: t("statement.time"), cell: ({ at }) => <Moment at={at} /> },
    { title: t("statement.kind"), cell: ({ kind }) => movementTexts[kind]?.[language] ?? kind },
    { title: t("statement.about"), wide: true, cell: (entry) => <About entry={entry} /> },
    { title: t("message.parts"), atEnd: true, cell: ({ parts }) => parts },
    { title: t("statement.amount"), atEnd: true, cell: ({ amount }) => <Rials value={amount} /> },
    { title: t("statement.balance"), atEnd: true, cell: ({ balance }) => <Rials value={balance} /> },
  ];
}

function About({ entry: { reference, messageId, batchId, messages, campaign } }: { readonly entry: StatementEntry }) {
  const t = useTexts();
  if (campaign !== undefined)
    return (
      <>
        <CampaignLink {...campaign} />
        {messages !== undefined && t("list.comma") + t("count.messages", { count: messages })}
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
