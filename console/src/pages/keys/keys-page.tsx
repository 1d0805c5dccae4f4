// The API keys of one's own account.
import { Link } from "wouter";
import { usePerson } from "../../frame/person.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { useTexts } from "../../texts/texts.ts";
import { KeyList } from "./key-list.tsx";
import { MakeKey } from "./key-actions.tsx";

export function KeysPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  return (
    <>
      <PageHead
        title={t("keys.title")}
        lead={t("keys.lead")}
        actions={
          <>
            <Link href="/code">{t("keys.toCode")}</Link>
            <MakeKey account={account} />
          </>
        }
      />
      <KeyList account={account} mayChange />
    </>
  );
}
