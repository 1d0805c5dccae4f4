// The customers: their accounts with credit.
import { useList } from "../../api/queries.ts";
import type { Account } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type Column, EndlessList } from "../../parts/table.tsx";
import { AccountLink, Figure } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { AddAccount } from "./account-form.tsx";
import { CreditText } from "./credit-page.tsx";

export function AccountsPage() {
  const t = useTexts();
  const mayChange = useAble("accounts");
  const query = useList<"GET /accounts">("/accounts");
  return (
    <>
      <PageHead title={t("accounts.title")} lead={t("accounts.lead")} actions={mayChange && <AddAccount />} />
      <EndlessList
        name={t("accounts.title")}
        query={query}
        keyOf={({ name }) => name}
        columns={columnsOf(t)}
        empty={
          <Empty title={t("accounts.none")}>
            <p>{t("accounts.addFirst")}</p>
          </Empty>
        }
      />
    </>
  );
}

function columnsOf(t: Translate): readonly Column<Account>[] {
  return [
    {
      key: "name",
      title: t("accounts.name"),
      cell: ({ name }) => <AccountLink name={name} />,
    },
    { key: "domain", title: t("accounts.domain"), cell: ({ domain }) => <bdi dir="ltr">{domain}</bdi> },
    { key: "tariff", title: t("accounts.tariff"), cell: ({ tariff }) => <bdi>{tariff}</bdi> },
    { key: "lines", title: t("accounts.lines"), atEnd: true, cell: ({ lines }) => <Figure value={lines} /> },
    { key: "users", title: t("accounts.users"), atEnd: true, cell: ({ users }) => <Figure value={users} /> },
    { key: "keys", title: t("accounts.keys"), atEnd: true, cell: ({ apiKeys }) => <Figure value={apiKeys} /> },
    { key: "credit", title: t("accounts.credit"), atEnd: true, cell: (account) => <CreditText account={account} /> },
  ];
}
