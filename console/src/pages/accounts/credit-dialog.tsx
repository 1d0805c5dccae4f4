// Booking credit by hand: the amount is named in digits and in words before it is booked.
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import { asciiDigits, inWords } from "../../format/numbers.ts";
import { Field } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/problem.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { CreditText } from "./credit-page.tsx";

export function CreditDialog({ account, unlimited }: { readonly account: string; readonly unlimited: boolean }) {
  const t = useTexts();
  const language = useLanguage();
  const [typed, setTyped] = useState("");
  const amount = readAmount(typed);
  const hint = amount === undefined ? t("booking.amountHint") : t("money.rials", { amount: inWords(language, amount) });
  return (
    <FormDialog
      button={t("booking.open")}
      kind="primary"
      title={t("booking.title")}
      lead={t("booking.lead", { account })}
      submit={bookingText(t, amount)}
      specs={[
        {
          name: "amount",
          label: t("booking.amount"),
          kind: "json",
          isLabelled: true,
          control: ({ onChange, problem }) => (
            <Field
              label={t("booking.amount")}
              dir="ltr"
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={({ target }) => {
                setTyped(target.value);
                onChange(readAmount(target.value) ?? target.value);
              }}
              problem={problem}
              hint={hint}
            />
          ),
        },
        {
          name: "reference",
          label: t("booking.reference"),
          kind: "text",
          required: true,
          hint: t("booking.referenceHint"),
          typing: { maxLength: 200 },
        },
      ]}
      onSubmit={async (body) => {
        const { booked, reference, balance } = await callApi("POST /accounts/{name}/credit", {
          params: { name: account },
          body,
        });
        setTyped("");
        return (
          <Notice kind={booked ? "calm" : "attention"} role="status">
            {t(booked ? "booking.done" : "booking.before", { reference })}{" "}
            <CreditText account={{ balance, unlimited }} />
          </Notice>
        );
      }}
    />
  );
}

/** What the booking does, as the button says it. */
function bookingText(t: Translate, amount: number | undefined): string {
  if (amount === undefined) return t("booking.open");
  return t(amount < 0 ? "booking.take" : "booking.add", { amount: t("money.rials", { amount: Math.abs(amount) }) });
}

/** Digits of any script, with or without separators and a sign. */
function readAmount(typed: string): number | undefined {
  const text = asciiDigits(typed)
    .replace(/[\s,٬،_]/g, "")
    .replace("−", "-");
  const amount = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : 0;
  return amount !== 0 && Number.isSafeInteger(amount) ? amount : undefined;
}
