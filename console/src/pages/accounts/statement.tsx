// What moved the credit of an account, newest first.
import { Link } from "wouter";
import type { StatementEntry } from "../../api/accounts.ts";
import { useList } from "../../api/lists.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Rials } from "../../parts/number-text.tsx";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";

export function Statement({ account }: { readonly account: string }) {
  const t = useTexts();
  const query = useList<StatementEntry>(`/accounts/${encodeURIComponent(account)}/statement`);
  return (
    <EndlessList
      name={t("statement.title")}
      query={query}
      keyOf={({ id }) => id}
      columns={[
        { key: "time", title: t("statement.time"), cell: ({ at }) => <Moment at={at} ago /> },
        { key: "kind", title: t("statement.kind"), cell: ({ kind }) => kindText(t, kind) },
        { key: "about", title: t("statement.about"), wide: true, cell: (entry) => <About entry={entry} /> },
        { key: "amount", title: t("statement.amount"), atEnd: true, cell: ({ amount }) => <Rials value={amount} /> },
      ]}
      empty={
        <Empty title={t("statement.none")}>
          <p>{t("statement.noneText")}</p>
        </Empty>
      }
    />
  );
}

function kindText(t: Translate, kind: string): string {
  const key = `statement.kind.${kind}`;
  return isTextKey(key) ? t(key) : kind;
}

function About({ entry: { reference, messageId, batchId } }: { readonly entry: StatementEntry }) {
  const t = useTexts();
  if (reference !== undefined) return <bdi>{reference}</bdi>;
  if (messageId !== undefined) return <Link href={`/messages/${messageId}`}>{t("statement.message")}</Link>;
  if (batchId !== undefined) return <Link href={`/messages?batch=${batchId}`}>{t("statement.batch")}</Link>;
  return null;
}
