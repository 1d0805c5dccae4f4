// The settings of an account as fields, to add one or to change it. Its users and API keys have
// sections of their own on its page.
import { useState } from "react";
import { choicesOf, useLineNumbers, useTariffNames } from "../../api/queries.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Field, Select } from "../../parts/controls.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import { Picks, textsOf } from "../../parts/fields.tsx";
import { ObjectDialog, type ObjectKind } from "../../parts/object-dialog.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

export const accountKind: ObjectKind = {
  path: "/accounts/{name}",
  nameKey: "name",
  ownPages: ["users", "apiKeys"],
};

/** Of a setup file; `*` stands for all. */
const permissions = [
  ...(["send", "send-bulk", "send-template", "send-url", "send-url-credentials"] as const),
  ...(["preview", "status", "cancel", "received", "balance", "opt-outs", "webhooks"] as const),
] as const;

/** So many lines are offered for ticking; of more, the numbers are typed. */
const mostTicks = 60;

export function AddAccount() {
  const t = useTexts();
  return (
    <ObjectDialog
      kind={accountKind}
      button={t("account.add")}
      emphasis="primary"
      initial={{
        permissions: ["*"],
        lines: [],
        requestsPerSecond: 0,
        lowCredit: 0,
        duplicateSeconds: 0,
        dailyMessages: 0,
        monthlyCost: 0,
      }}
      specs={useAccountSpecs(true)}
    />
  );
}

export function EditAccount({ name }: { readonly name: string }) {
  return <ObjectDialog kind={accountKind} name={name} specs={useAccountSpecs(false)} />;
}

function useAccountSpecs(isNew: boolean): readonly FieldSpec[] {
  const t = useTexts();
  const tariffs = choicesOf(useTariffNames());
  const lines = useLineNumbers();
  return [
    ...(isNew ? [{ name: "name", label: t("message.account"), kind: "text", required: true } as const] : []),
    { name: "domain", label: t("accounts.domain"), kind: "text", hint: t("account.domainHint") },
    {
      name: "tariff",
      label: t("accounts.tariff"),
      kind: "choice",
      options: isNew ? [{ value: "", text: t("account.chooseTariff") }, ...tariffs] : tariffs,
    },
    {
      name: "credit",
      label: t("credit.title"),
      kind: "json",
      isLabelled: true,
      control: (value, problem) => <CreditControl value={value} problem={problem} isNew={isNew} />,
    },
    linesSpec(t, lines),
    {
      name: "permissions",
      label: t("account.permissions"),
      kind: "json",
      isLabelled: true,
      hint: t("account.permissionsHint"),
      control: (value, problem) => <Permissions value={value} problem={problem} />,
    },
    ...boundSpecs(t),
  ];
}

/** How much, from where and to whom. */
function boundSpecs(t: Translate): readonly FieldSpec[] {
  const section = t("account.limits");
  return [
    { name: "requestsPerSecond", label: t("account.pace"), kind: "number", hint: t("account.paceHint"), section },
    { name: "lowCredit", label: t("account.lowCredit"), kind: "number", hint: t("account.lowCreditHint"), section },
    // What calls are judged by; 0: not at all.
    {
      name: "duplicateSeconds",
      label: t("account.duplicates"),
      kind: "number",
      hint: t("account.duplicatesHint"),
      section,
    },
    { name: "dailyMessages", label: t("account.daily"), kind: "number", hint: t("account.ceilingHint"), section },
    { name: "monthlyCost", label: t("account.monthly"), kind: "number", hint: t("account.ceilingHint"), section },
    {
      name: "allowedIps",
      label: t("addresses.ipsLabel"),
      kind: "list",
      isLong: true,
      seldom: true,
      hint: t("account.ipsHint"),
    },
    {
      name: "blockedRecipients",
      label: t("addresses.blockedLabel"),
      kind: "phones",
      seldom: true,
      hint: t("account.blockedHint"),
    },
  ];
}

function linesSpec(t: Translate, lines: readonly string[]): FieldSpec {
  const common = { name: "lines", label: t("account.lines"), hint: t("account.linesHint") } as const;
  if (lines.length > mostTicks) return { ...common, kind: "list", isLong: true };
  const options = lines.map((value) => ({ value }));
  return {
    ...common,
    kind: "json",
    control: (value) => <Picks name="lines" options={options} chosen={value} none="[]" />,
  };
}

/** An account begins with a credit; afterwards it is booked. */
interface ControlProps {
  readonly value: unknown;
  readonly problem: string | undefined;
}

function CreditControl({ value, problem, isNew }: ControlProps & { readonly isNew: boolean }) {
  const t = useTexts();
  const [isUnlimited, setUnlimited] = useState(value === "unlimited");
  const [typed, setTyped] = useState(typeof value === "number" ? String(value) : "");
  return (
    <>
      <input type="hidden" name="credit" value={isUnlimited ? JSON.stringify("unlimited") : openingOf(typed)} />
      <Select
        label={t("credit.title")}
        problem={problem}
        value={isUnlimited ? "unlimited" : "limited"}
        options={(["limited", "unlimited"] as const).map((each) => ({
          value: each,
          text: t(`account.credit.${each}`),
        }))}
        onChoose={(chosen) => setUnlimited(chosen === "unlimited")}
      />
      {isNew && !isUnlimited && (
        <Field
          label={t("account.opening")}
          dir="ltr"
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </>
  );
}

/** As JSON. What is no number goes as it is: the API says what it must be. */
function openingOf(typed: string): string {
  const digits = asciiDigits(typed).replace(/[\s,٬]/g, "");
  if (digits === "") return "";
  return /^\d{1,15}$/.test(digits) ? digits : JSON.stringify(typed);
}

function Permissions({ value, problem }: ControlProps) {
  const t = useTexts();
  const stored = textsOf(value);
  const [isAll, setAll] = useState(stored.includes("*"));
  return (
    <>
      <Select
        label={t("account.permissions")}
        problem={problem}
        value={isAll ? "all" : "some"}
        options={(["all", "some"] as const).map((each) => ({ value: each, text: t(`account.permissions.${each}`) }))}
        onChoose={(chosen) => setAll(chosen === "all")}
      />
      {isAll ? (
        <input type="hidden" name="permissions" value={JSON.stringify(["*"])} />
      ) : (
        <Picks
          name="permissions"
          options={permissions.map((each) => ({ value: each, text: t(`permission.${each}`) }))}
          chosen={stored.filter((each) => each !== "*")}
          none="[]"
        />
      )}
    </>
  );
}
