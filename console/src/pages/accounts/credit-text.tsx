// The credit of an account in words.
import type { Account } from "../../api/accounts.ts";
import { Rials } from "../../parts/number-text.tsx";
import { useTexts } from "../../texts/texts.ts";

export function CreditText({
  account: { credit, creditUnlimited },
}: {
  readonly account: Pick<Account, "credit" | "creditUnlimited">;
}) {
  const t = useTexts();
  if (credit === undefined || creditUnlimited === true) return <>{t("credit.unlimited")}</>;
  return <Rials value={credit} />;
}
