// Where customers land: what staff want them to know, the credit, what was sent today, and the
// messages of late.
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { useMay, usePerson } from "../../frame/person.ts";
import { ButtonLink } from "../../parts/controls.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/table.tsx";
import { CountedUpTo, lineChoices } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import { CreditFigure, CustomerNote } from "../accounts/credit-page.tsx";
import { messageColumns } from "../messages/message-columns.tsx";
import styles from "./home-page.module.css";

const shownMessages = 10;
const countEveryMs = 15_000;

export function HomePage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const seesCredit = useMay("readCredit");
  const seesMessages = useMay("readMessages");
  const maySend = useMay("sendText", "sendBulk", "sendTemplate");
  const mayStartCampaign = useMay("sendBulk", "sendTemplate");
  return (
    <>
      <PageHead
        title={t("home.title")}
        heading={<bdi>{account}</bdi>}
        actions={
          <>
            {mayStartCampaign && <ButtonLink href="/campaigns/new">{t("campaign.new")}</ButtonLink>}
            {maySend && (
              <ButtonLink kind="primary" href="/send">
                {t("home.send")}
              </ButtonLink>
            )}
          </>
        }
      />
      <CustomerNote />
      {seesCredit && <CreditFigure account={account} />}
      {maySend && <Lines />}
      {seesMessages && (
        <Section title={t("home.today")}>
          <Today />
        </Section>
      )}
      {seesMessages && (
        <Section title={t("home.latest")}>
          <LatestMessages />
        </Section>
      )}
    </>
  );
}

/** From which one can send. */
function Lines() {
  const t = useTexts();
  const { data } = useAnswer("GET /send");
  const lines = lineChoices(t, data?.lines ?? []).map(({ text }) => text);
  return lines.length > 0 && <p className={styles["lines"]}>{`${t("home.lines")} ${lines.join(t("list.comma"))}`}</p>;
}

const counted = ["messages", "delivered", "undelivered", "unsent"] as const;

/** What was accepted since midnight, and what became of it. */
function Today() {
  const t = useTexts();
  const report = useAnswer("GET /reports", {}, { refetchInterval: countEveryMs });
  return (
    <Loaded query={report}>
      {({ items, to, asOf }) => {
        const today = items.find(({ day }) => day === to);
        return (
          <>
            <Facts facts={counted.map((sum) => ({ name: t(`sum.${sum}`), value: today?.[sum] ?? 0 }))} />
            <p className={styles["asOf"]}>
              <CountedUpTo asOf={asOf} />
            </p>
          </>
        );
      }}
    </Loaded>
  );
}

function LatestMessages() {
  const t = useTexts();
  return (
    <>
      <FilteredList
        list="GET /messages"
        asked={{ query: { count: shownMessages } }}
        name={t("home.latest")}
        columns={messageColumns(t, false)}
        keyOf={({ sentMessageId }) => sentMessageId}
        none={{ title: t("messages.none"), text: t("messages.noneText") }}
      />
      <p className={styles["all"]}>
        <Link href="/messages">{t("home.all")}</Link>
      </p>
    </>
  );
}
