// The customers: their accounts with credit.
import { Link } from "wouter";
import type { Account } from "../../api/accounts.ts";
import { useList } from "../../api/lists.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useTexts } from "../../texts/texts.ts";
import { CreditText } from "./credit-text.tsx";
import { EnabledText } from "./enabled-text.tsx";

export function AccountsPage() {
  const t = useTexts();
  const query = useList<Account>("/accounts");
  return (
    <>
      <PageHead title={t("accounts.title")} lead={t("accounts.lead")} />
      <EndlessList
        name={t("accounts.title")}
        query={query}
        keyOf={({ name }) => name}
        columns={[
          {
            key: "name",
            title: t("accounts.name"),
            cell: ({ name }) => (
              <Link href={`/accounts/${encodeURIComponent(name)}`}>
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          { key: "domain", title: t("accounts.domain"), cell: ({ domain }) => <bdi dir="ltr">{domain}</bdi> },
          { key: "tariff", title: t("accounts.tariff"), cell: ({ tariff }) => <bdi>{tariff}</bdi> },
          { key: "state", title: t("accounts.state"), cell: ({ enabled }) => <EnabledText isEnabled={enabled} /> },
          {
            key: "credit",
            title: t("accounts.credit"),
            atEnd: true,
            cell: (account) => <CreditText account={account} />,
          },
        ]}
        empty={
          <Empty title={t("accounts.none")}>
            <p>{t("accounts.addFirst")}</p>
            <pre dir="ltr" tabIndex={0}>
              hodhod apply setup.yaml
            </pre>
          </Empty>
        }
      />
    </>
  );
}
