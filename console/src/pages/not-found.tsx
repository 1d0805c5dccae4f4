// An address that has no page, or none for this person.
import { Link } from "wouter";
import { PageHead } from "../parts/page.tsx";
import { useTexts } from "../texts/texts.ts";

export function NotFoundPage() {
  const t = useTexts();
  return (
    <>
      <PageHead title={t("notFound.title")} lead={t("notFound.lead")} />
      <p>
        <Link href="/">{t("notFound.way")}</Link>
      </p>
    </>
  );
}
