// The webhooks of one's own account.
import { usePerson, useAble } from "../../frame/person.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { useTexts } from "../../texts/texts.ts";
import { MakeWebhook } from "./webhook-actions.tsx";
import { WebhookList } from "./webhook-list.tsx";

export function WebhooksPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const mayChange = useAble("manage");
  return (
    <>
      <PageHead
        title={t("webhooks.title")}
        lead={t("webhooks.lead")}
        actions={mayChange && <MakeWebhook account={account} />}
      />
      <WebhookList account={account} mayChange={mayChange} />
    </>
  );
}
