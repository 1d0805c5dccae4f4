// One account: its state and credit, what it may do, and what moved its credit.
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Account } from "../../api/accounts.ts";
import { callApi } from "../../api/client.ts";
import type { PageParams } from "../../frame/page-list.ts";
import { Waiting } from "../../parts/endless-list.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Figure, Dialled } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { useTexts } from "../../texts/texts.ts";
import { CreditText } from "./credit-text.tsx";
import { EnabledText } from "./enabled-text.tsx";
import { Statement } from "./statement.tsx";

export function AccountPage({ params: { name = "" } }: { readonly params: PageParams }) {
  const t = useTexts();
  const account = useQuery({
    queryKey: ["account", name],
    queryFn: ({ signal }) => callApi<Account>("GET", `/accounts/${encodeURIComponent(name)}`, { signal }),
  });
  if (account.isPending) return <Waiting />;
  if (account.isError)
    return (
      <>
        <PageHead title={name} heading={<bdi>{name}</bdi>} />
        <Problem error={account.error} onRetry={() => void account.refetch()} />
      </>
    );
  const { data } = account;
  return (
    <>
      <PageHead
        title={name}
        heading={<bdi>{name}</bdi>}
        lead={<EnabledText isEnabled={data.enabled} />}
        actions={<Link href={`/messages?account=${encodeURIComponent(name)}`}>{t("account.messages")}</Link>}
      />
      <Facts
        facts={[
          { name: t("accounts.credit"), value: <CreditText account={data} /> },
          { name: t("accounts.domain"), value: <bdi dir="ltr">{data.domain}</bdi> },
          { name: t("accounts.tariff"), value: <bdi>{data.tariff}</bdi> },
          { name: t("account.lines"), value: data.lines && <Lines lines={data.lines} /> },
          { name: t("account.rate"), value: data.requestsPerSecond && <Figure value={data.requestsPerSecond} /> },
        ]}
      />
      <Section title={t("statement.title")}>
        <Statement account={name} />
      </Section>
    </>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  const t = useTexts();
  if (lines.length === 0) return <>{t("account.noLines")}</>;
  return (
    <>
      {lines.map((line, index) => (
        <span key={line}>
          {index > 0 && " · "}
          <Dialled text={line} />
        </span>
      ))}
    </>
  );
}
