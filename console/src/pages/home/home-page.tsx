// Where customers land: the credit, and the messages of late.
import { Link } from "wouter";
import { useList } from "../../api/queries.ts";
import { useMay, usePerson } from "../../frame/person.ts";
import { Empty, PageHead, Section } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table, Waiting } from "../../parts/table.tsx";
import { useTexts } from "../../texts/texts.ts";
import { CreditFigure } from "../accounts/credit-page.tsx";
import { messageColumns, SendExample } from "../messages/message-columns.tsx";
import styles from "./home-page.module.css";

const shownMessages = 10;

export function HomePage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const seesCredit = useMay("readCredit");
  const seesMessages = useMay("readMessages");
  return (
    <>
      <PageHead title={t("home.title")} heading={<bdi>{account}</bdi>} />
      {seesCredit && <CreditFigure account={account} />}
      {seesMessages && (
        <Section title={t("home.latest")}>
          <LatestMessages />
        </Section>
      )}
    </>
  );
}

function LatestMessages() {
  const t = useTexts();
  const query = useList("GET /messages", { query: { count: shownMessages } });
  if (query.isPending) return <Waiting />;
  if (query.isLoadingError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data.pages[0]?.items ?? [];
  if (rows.length === 0)
    return (
      <Empty title={t("messages.none")}>
        <SendExample />
      </Empty>
    );
  return (
    <>
      <Table
        name={t("home.latest")}
        columns={messageColumns(t, false)}
        rows={rows}
        keyOf={({ sentMessageId }) => sentMessageId}
      />
      <p className={styles["all"]}>
        <Link href="/messages">{t("home.all")}</Link>
      </p>
    </>
  );
}
