// One account: its credit, what it has, and what moved its credit.
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { usersPath } from "../../api/types.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble } from "../../frame/person.ts";
import { RemoveObject } from "../../parts/object/remove-object.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { NotAnew, Problem } from "../../parts/problem.tsx";
import { Waiting } from "../../parts/table.tsx";
import { Figure } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import { KeyList, MakeKey } from "../keys/keys.tsx";
import { userRoles } from "../people/people-pages.tsx";
import { AddPerson, PeopleList } from "../people/people.tsx";
import { MakeWebhook } from "../webhooks/webhook-actions.tsx";
import { WebhookList } from "../webhooks/webhooks-page.tsx";
import { EditAccount, accountKind } from "./account-form.tsx";
import { CreditDialog } from "./credit-dialog.tsx";
import { CreditText, Statement } from "./credit-page.tsx";

export function AccountPage({ params: { name = "" } }: { readonly params: PageParams }) {
  const t = useTexts();
  const [, go] = useLocation();
  const mayBook = useAble("credit");
  const manages = useAble("accounts");
  const account = useQuery({
    queryKey: ["account", name],
    queryFn: ({ signal }) =>
      callApi<"GET /accounts/{name}">("GET", `/accounts/${encodeURIComponent(name)}`, { signal }),
  });
  const heading = <bdi>{name}</bdi>;
  if (account.isPending) return <Waiting />;
  if (account.isLoadingError)
    return (
      <>
        <PageHead title={name} heading={heading} />
        <Problem error={account.error} onRetry={() => void account.refetch()} />
      </>
    );
  const { data } = account;
  return (
    <>
      <PageHead
        title={name}
        heading={heading}
        actions={
          <>
            <Link href={`/templates?account=${encodeURIComponent(name)}`}>{t("account.templates")}</Link>
            <Link href={`/messages?account=${encodeURIComponent(name)}`}>{t("account.messages")}</Link>
            {manages && <EditAccount name={name} />}
            {manages && (
              <RemoveObject
                kind={accountKind}
                name={name}
                text={t("account.removeText")}
                onRemoved={() => go("/accounts")}
              />
            )}
            {mayBook && <CreditDialog account={name} unlimited={data.unlimited} />}
          </>
        }
      />
      <NotAnew query={account} />
      <AccountFacts account={data} />
      {manages && <People account={name} />}
      <Webhooks account={name} />
      <Section title={t("statement.title")} lead={t("statement.lead")}>
        <Statement account={name} />
      </Section>
    </>
  );
}

function AccountFacts({ account }: { readonly account: Answers["GET /accounts/{name}"] }) {
  const t = useTexts();
  return (
    <Facts
      facts={[
        { name: t("accounts.credit"), value: <CreditText account={account} /> },
        { name: t("accounts.domain"), value: <bdi dir="ltr">{account.domain}</bdi> },
        { name: t("accounts.tariff"), value: <bdi>{account.tariff}</bdi> },
        { name: t("accounts.lines"), value: <Figure value={account.lines.length} /> },
        { name: t("accounts.users"), value: <Figure value={account.users?.length ?? 0} /> },
        { name: t("accounts.keys"), value: <Figure value={account.apiKeys?.length ?? 0} /> },
      ]}
    />
  );
}

/** Those who sign in for the account, and its programs' keys. */
function People({ account }: { readonly account: string }) {
  const t = useTexts();
  const path = usersPath(account);
  return (
    <>
      <Section title={t("users.title")} lead={t("users.leadStaff")}>
        <PeopleList path={path} title={t("users.title")} roles={userRoles} />
        <AddPerson path={path} roles={userRoles} button={t("users.add")} kind="plain" />
      </Section>
      <Section title={t("keys.title")} lead={t("keys.leadStaff")}>
        <KeyList account={account} mayChange />
        <MakeKey account={account} kind="plain" />
      </Section>
    </>
  );
}

function Webhooks({ account }: { readonly account: string }) {
  const t = useTexts();
  const mayChange = useAble("accounts");
  return (
    <Section title={t("webhooks.title")} lead={t("webhooks.leadStaff")}>
      <WebhookList account={account} mayChange={mayChange} />
      {mayChange && <MakeWebhook account={account} kind="plain" />}
    </Section>
  );
}
