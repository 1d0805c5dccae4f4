// A customer's own credit: what is left, and what moved it.
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import { usePerson } from "../../frame/person.ts";
import { NotAnew } from "../../parts/not-anew.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { useTexts } from "../../texts/texts.ts";
import { CreditText } from "./credit-text.tsx";
import { Statement } from "./statement.tsx";
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
