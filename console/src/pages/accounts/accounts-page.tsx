// The customers: their accounts with credit.
import type { Account } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { ListPage } from "../../parts/list-page.tsx";
import type { Column } from "../../parts/table.tsx";
import { AccountLink } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { AddAccount } from "./account-form.tsx";
import { CreditText } from "./credit-page.tsx";

export function AccountsPage() {
  const t = useTexts();
  const mayChange = useAble("accounts");
  return (
    <ListPage
      list="GET /accounts"
      title={t("accounts.title")}
      lead={t("accounts.lead")}
      pageActions={mayChange && <AddAccount />}
      keyOf={({ name }) => name}
      columns={columnsOf(t)}
      none={{ title: t("accounts.none"), text: t("accounts.addFirst") }}
    />
  );
}

function columnsOf(t: Translate): readonly Column<Account>[] {
  return [
    {
      title: t("message.account"),
      cell: ({ name }) => <AccountLink name={name} />,
    },
    { title: t("accounts.domain"), cell: ({ domain }) => <bdi dir="ltr">{domain}</bdi> },
    { title: t("accounts.tariff"), cell: ({ tariff }) => <bdi>{tariff}</bdi> },
    { title: t("accounts.lines"), atEnd: true, cell: ({ lines }) => lines },
    { title: t("accounts.users"), atEnd: true, cell: ({ users }) => users },
    { title: t("accounts.keys"), atEnd: true, cell: ({ apiKeys }) => apiKeys },
    { title: t("credit.title"), atEnd: true, cell: (account) => <CreditText account={account} /> },
  ];
}
