// The settings of an account as fields, to add one or to change it. Its users and API keys have
// sections of their own on its page.
import { useLocation } from "wouter";
import { permissions } from "../../../../src/credentials/abilities.ts";
import { accountFields } from "../../../../src/fields/account-fields.ts";
import type { SetupField } from "../../../../src/fields/field.ts";
import { choicesOf, useLineNumbers, useTariffNames } from "../../api/queries.ts";
import { Field, Select } from "../../parts/controls.tsx";
import { declaredSpecs, initialValues } from "../../parts/declared-specs.tsx";
import { type ControlProps, type FieldSpec, shownText, typedNumber } from "../../parts/field-spec.ts";
import { Picks, textsOf } from "../../parts/fields.tsx";
import { ObjectDialog, type ObjectKind } from "../../parts/object-dialog.tsx";
import { useTexts } from "../../texts/texts.ts";

export const accountKind: ObjectKind = {
  path: "/accounts/{name}",
  nameKey: "name",
  ownPages: ["users", "apiKeys"],
};

/** So many lines are offered for ticking; of more, the numbers are typed. */
const mostTicks = 60;

export function AddAccount() {
  const t = useTexts();
  const [, go] = useLocation();
  return (
    <ObjectDialog
      kind={accountKind}
      button={t("account.add")}
      emphasis="primary"
      initial={initialValues(ownFields)}
      specs={useAccountSpecs(true)}
      // Its users and keys are made there.
      onAdded={(name) => go(`/accounts/${encodeURIComponent(name)}`)}
    />
  );
}

export function EditAccount({ name }: { readonly name: string }) {
  return <ObjectDialog kind={accountKind} name={name} specs={useAccountSpecs(false)} />;
}

/** Those without pages of their own. */
const ownFields = Object.fromEntries(
  Object.entries<SetupField>(accountFields).filter(([, { kind }]) => kind !== "keyed"),
);

function useAccountSpecs(isNew: boolean): readonly FieldSpec[] {
  const t = useTexts();
  const tariffs = choicesOf(useTariffNames());
  const lines = useLineNumbers();
  const controls: Readonly<Record<string, Partial<FieldSpec>>> = {
    tariff: {
      kind: "choice",
      // The API says so beside what else is wrong.
      required: false,
      options: isNew ? [{ value: "", text: t("account.chooseTariff") }, ...tariffs] : tariffs,
    },
    credit: {
      kind: "json",
      isLabelled: true,
      control: (own) => <CreditControl {...own} isNew={isNew} />,
    },
    lines: linesControl(lines),
    permissions: {
      kind: "json",
      isLabelled: true,
      control: (own) => <Permissions {...own} />,
    },
    tidyTexts: { seldom: true },
    allowedIps: { isLong: true, seldom: true },
    blockedRecipients: { kind: "phones", seldom: true },
  };
  const specs = declaredSpecs(t, "account", ownFields, {
    domain: "accounts.domain",
    tariff: "accounts.tariff",
    credit: "credit.title",
    allowedIps: "keys.addresses",
    blockedRecipients: "addresses.blockedLabel",
  });
  const name: FieldSpec = { name: "name", label: t("message.account"), kind: "text", required: true };
  return [...(isNew ? [name] : []), ...specs.map((spec) => ({ ...spec, ...controls[spec.name] }))];
}

function linesControl(lines: readonly string[]): Partial<FieldSpec> {
  if (lines.length > mostTicks) return { isLong: true };
  const options = lines.map((value) => ({ value }));
  return { kind: "json", control: (own) => <Picks options={options} {...own} /> };
}

/** An account begins with a credit; afterwards it is booked. */
function CreditControl({ value, onChange, problem, isNew }: ControlProps & { readonly isNew: boolean }) {
  const t = useTexts();
  const isUnlimited = value === "unlimited";
  return (
    <>
      <Select
        label={t("credit.title")}
        problem={problem}
        value={isUnlimited ? "unlimited" : "limited"}
        options={(["limited", "unlimited"] as const).map((each) => ({
          value: each,
          text: t(`account.credit.${each}`),
        }))}
        onChoose={(chosen) => onChange(chosen === "unlimited" ? chosen : undefined)}
      />
      {isNew && !isUnlimited && (
        <Field
          label={t("account.opening")}
          dir="ltr"
          inputMode="numeric"
          autoComplete="off"
          value={shownText(value)}
          onChange={({ target }) => onChange(target.value.trim() === "" ? undefined : typedNumber(target.value))}
        />
      )}
    </>
  );
}

function Permissions({ value, onChange, problem }: ControlProps) {
  const t = useTexts();
  const isAll = textsOf(value).includes("*");
  return (
    <>
      <Select
        label={t("account.permissions")}
        problem={problem}
        value={isAll ? "all" : "some"}
        options={(["all", "some"] as const).map((each) => ({ value: each, text: t(`account.permissions.${each}`) }))}
        onChoose={(chosen) => onChange(chosen === "all" ? ["*"] : [])}
      />
      {!isAll && (
        <Picks
          options={permissions.map((each) => ({ value: each, text: t(`permission.${each}`) }))}
          value={value}
          onChange={onChange}
        />
      )}
    </>
  );
}
