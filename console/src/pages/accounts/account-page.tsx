// One account: its credit, what it has, and what moved its credit.
import { Link, useLocation } from "wouter";
import type { Answers } from "../../api/types.ts";
import { useAnswer } from "../../api/queries.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble } from "../../frame/person.ts";
import { RemoveObject } from "../../parts/object-dialog.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/table.tsx";
import { useTexts } from "../../texts/texts.ts";
import { KeyList, MakeKey } from "../keys/keys.tsx";
import { AddPerson, PeopleList } from "../people/people.tsx";
import { MakeWebhook } from "../webhooks/webhook-actions.tsx";
import { WebhookList } from "../webhooks/webhooks-page.tsx";
import { accountKind, EditAccount } from "./account-form.tsx";
import { CreditDialog } from "./credit-dialog.tsx";
import { CreditText, Statement } from "./credit-page.tsx";

export function AccountPage({ params: { name = "" } }: { readonly params: PageParams }) {
  const t = useTexts();
  const [, go] = useLocation();
  const mayBook = useAble("credit");
  const manages = useAble("accounts");
  const account = useAnswer("GET /accounts/{name}", { params: { name } });
  return (
    <Loaded query={account}>
      {(data) => (
        <>
          <PageHead
            title={name}
            heading={<bdi>{name}</bdi>}
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
                {mayBook && <CreditDialog account={name} unlimited={data.unlimited ?? false} />}
              </>
            }
          />
          <AccountFacts account={data} />
          {manages && <People account={name} />}
          <Section title={t("webhooks.title")} lead={t("webhooks.leadStaff")}>
            <WebhookList account={name} mayChange={manages} />
            {manages && <MakeWebhook account={name} kind="plain" />}
          </Section>
          <Section title={t("statement.title")}>
            <Statement account={name} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function AccountFacts({ account }: { readonly account: Answers["GET /accounts/{name}"] }) {
  const t = useTexts();
  return (
    <Facts
      facts={[
        { name: t("credit.title"), value: <CreditText account={account} /> },
        { name: t("accounts.domain"), value: <bdi dir="ltr">{account.domain}</bdi> },
        { name: t("accounts.tariff"), value: <bdi>{account.tariff}</bdi> },
        { name: t("accounts.lines"), value: <bdi dir="ltr">{account.lines.join(", ")}</bdi> },
        ...limits.map((limit) => {
          const value = account[limit];
          return { name: t(`account.${limit}`), value: value === 0 ? undefined : value };
        }),
      ]}
    />
  );
}

const limits = ["requestsPerSecond", "lowCredit", "duplicateSeconds", "dailyMessages", "monthlyCost"] as const;

/** Those who sign in for the account, and its programs' keys. */
function People({ account }: { readonly account: string }) {
  const t = useTexts();
  return (
    <>
      <Section title={t("users.title")} lead={t("users.leadStaff")}>
        <PeopleList account={account} />
        <AddPerson account={account} kind="plain" />
      </Section>
      <Section title={t("keys.title")} lead={t("keys.leadStaff")}>
        <KeyList account={account} />
        <MakeKey account={account} kind="plain" />
      </Section>
    </>
  );
}
