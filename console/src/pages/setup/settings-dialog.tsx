// The settings of the whole gateway, in the form of all objects.
import { useState } from "react";
import { Field } from "../../parts/field.tsx";
import type { FieldSpec } from "../../parts/object/field-spec.ts";
import { ObjectDialog, type ObjectKind } from "../../parts/object/object-dialog.tsx";
import { useTexts } from "../../texts/texts.ts";

const kind: ObjectKind = { path: "/settings", nameKey: "name", isOne: true };

export function SettingsDialog() {
  const t = useTexts();
  const specs: readonly FieldSpec[] = [
    { name: "retentionDays", label: t("setup.retentionDays"), kind: "number", hint: t("setup.retentionHint") },
    { name: "timeZone", label: t("setup.timeZone"), kind: "text", hint: "Asia/Tehran" },
    {
      name: "staffSecondFactor",
      label: t("setup.secondFactor"),
      kind: "choice",
      options: [
        { value: "optional", text: t("setup.secondFactor.optional") },
        { value: "required", text: t("setup.secondFactor.required") },
      ],
    },
    {
      name: "systemLines",
      label: t("setup.systemLines"),
      kind: "json",
      hint: t("setup.systemLinesHint"),
      control: (value) => <SystemLines value={value} />,
    },
  ];
  return (
    <ObjectDialog kind={kind} name="settings" button={t("setup.settings")} title={t("setup.settings")} specs={specs} />
  );
}

const purposes = ["service", "advertising"] as const;

function SystemLines({ value }: { readonly value: unknown }) {
  const t = useTexts();
  // As the API answers them.
  const [lines, setLines] = useState<Readonly<Record<string, string>>>({ ...(value as Record<string, string>) });
  const given = Object.fromEntries(Object.entries(lines).filter(([, number]) => number.trim() !== ""));
  return (
    <>
      <input type="hidden" name="systemLines" value={JSON.stringify(given)} />
      {purposes.map((purpose) => (
        <Field
          key={purpose}
          label={t(`lines.kind.${purpose}`)}
          dir="ltr"
          inputMode="numeric"
          autoComplete="off"
          value={lines[purpose] ?? ""}
          onChange={({ target }) => setLines({ ...lines, [purpose]: target.value })}
        />
      ))}
    </>
  );
}
