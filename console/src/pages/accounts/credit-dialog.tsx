// Booking credit by hand: the amount is named in digits and in words before it is booked.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import { numberInWords } from "../../format/number-words.ts";
import { asciiDigits, formatNumber } from "../../format/numbers.ts";
import { Field, formText } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/problem.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import { CreditText } from "./credit-page.tsx";

export function CreditDialog({ account, unlimited }: { readonly account: string; readonly unlimited: boolean }) {
  const t = useTexts();
  const language = useLanguage();
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const amount = readAmount(typed);
  const inWords = amount === undefined ? undefined : numberInWords(language, amount);
  const submit = useDeed(amount);
  const book = async (form: HTMLFormElement) => {
    const path = `/accounts/${encodeURIComponent(account)}/credit` as const;
    const body = { amount: amount ?? typed, reference: formText(form, "reference") };
    const { booked, reference, balance } = await callApi<"POST /accounts/{name}/credit">("POST", path, { body });
    setTyped("");
    await client.invalidateQueries({ predicate: ({ queryKey }) => isAboutAccount(queryKey, account) });
    return (
      <Notice kind={booked ? "calm" : "attention"} role="status">
        {t(booked ? "booking.done" : "booking.before", { reference })} <CreditText account={{ balance, unlimited }} />
      </Notice>
    );
  };
  return (
    <FormDialog
      button={t("booking.open")}
      kind="primary"
      title={t("booking.title")}
      lead={t("booking.lead", { account })}
      submit={submit}
      fields={["amount", "reference"]}
      onSubmit={book}
    >
      {(problemOf) => (
        <>
          <Field
            label={t("booking.amount")}
            name="amount"
            dir="ltr"
            inputMode="numeric"
            autoComplete="off"
            required
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            hint={inWords === undefined ? t("booking.amountHint") : t("money.rials", { amount: inWords })}
            problem={problemOf("amount")}
          />
          <Field
            label={t("booking.reference")}
            name="reference"
            dir="auto"
            autoComplete="off"
            maxLength={200}
            required
            hint={t("booking.referenceHint")}
            problem={problemOf("reference")}
          />
        </>
      )}
    </FormDialog>
  );
}

/** What the booking does, as the button says it. */
function useDeed(amount: number | undefined): string {
  const t = useTexts();
  const language = useLanguage();
  if (amount === undefined) return t("booking.open");
  const figure = t("money.rials", { amount: formatNumber(language, Math.abs(amount)) });
  return t(amount < 0 ? "booking.take" : "booking.add", { amount: figure });
}

/** Digits of any script, with or without separators and a sign. */
function readAmount(typed: string): number | undefined {
  const text = asciiDigits(typed)
    .replace(/[\s,٬،_]/g, "")
    .replace("−", "-");
  const amount = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : 0;
  return amount !== 0 && Number.isSafeInteger(amount) ? amount : undefined;
}

function isAboutAccount(queryKey: readonly unknown[], account: string): boolean {
  const [first, second] = queryKey;
  return (
    (first === "account" && second === account) ||
    first === "/accounts" ||
    first === `/accounts/${encodeURIComponent(account)}/statement`
  );
}
