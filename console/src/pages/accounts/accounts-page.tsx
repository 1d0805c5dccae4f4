// The customers: their accounts with credit.
import type { Account } from "../../api/accounts.ts";
import { useList } from "../../api/lists.ts";
import { useAble } from "../../frame/person.ts";
import { AccountLink } from "../../parts/account-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Figure } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { AddAccount } from "./account-form.tsx";
import { CreditText } from "./credit-text.tsx";

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
