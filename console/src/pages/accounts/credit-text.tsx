// The credit of an account in words.
import type { Account } from "../../api/accounts.ts";
import { Rials } from "../../parts/number-text.tsx";
import { useTexts } from "../../texts/texts.ts";

export function CreditText({
  account: { balance, unlimited },
}: {
  readonly account: Pick<Account, "balance" | "unlimited">;
}) {
  const t = useTexts();
  return (
    <>
      <Rials value={balance} />
      {unlimited && ` · ${t("credit.unlimited")}`}
    </>
  );
}
