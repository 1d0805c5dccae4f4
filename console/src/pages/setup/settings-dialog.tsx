// The settings of the whole gateway, in the form of all objects.
import { Field, LongField } from "../../parts/controls.tsx";
import { type ControlProps, type FieldSpec, textLines } from "../../parts/field-spec.ts";
import { ObjectDialog, type ObjectKind } from "../../parts/object-dialog.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

const kind: ObjectKind = { path: "/settings", nameKey: "name" };

export function SettingsDialog() {
  const t = useTexts();
  return (
    <ObjectDialog
      kind={kind}
      name="settings"
      button={t("section.settings")}
      specs={[...generalSpecs(t), ...keepingSpecs(t), ...optOutSpecs(t)]}
    />
  );
}

function generalSpecs(t: Translate): readonly FieldSpec[] {
  return [
    { name: "timeZone", label: t("setup.timeZone"), kind: "text", hint: "Asia/Tehran" },
    {
      name: "calendar",
      label: t("setup.calendar"),
      kind: "choice",
      options: (["jalali", "gregorian"] as const).map((value) => ({ value, text: t(`setup.calendar.${value}`) })),
      hint: t("setup.calendarHint"),
    },
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
      name: "customerNote",
      label: t("setup.customerNote"),
      kind: "long",
      hint: t("setup.customerNoteHint"),
      typing: { rows: 3, maxLength: 2000 },
    },
    {
      name: "systemLines",
      label: t("setup.systemLines"),
      kind: "json",
      hint: t("setup.systemLinesHint"),
      control: (own) => <SystemLines {...own} />,
    },
  ];
}

function keepingSpecs(t: Translate): readonly FieldSpec[] {
  const section = t("setup.keeping");
  return [
    { name: "retentionDays", label: t("setup.retentionDays"), kind: "number", hint: t("setup.retentionHint"), section },
    { name: "eventDays", label: t("setup.eventDays"), kind: "number", hint: t("setup.eventDaysHint"), section },
    { name: "contentDays", label: t("setup.contentDays"), kind: "number", hint: t("setup.contentDaysHint"), section },
    {
      name: "codeContentHours",
      label: t("setup.codeContentHours"),
      kind: "number",
      hint: t("setup.contentDaysHint"),
      section,
    },
  ];
}

function optOutSpecs(t: Translate): readonly FieldSpec[] {
  const section = t("optOuts.title");
  return [
    {
      name: "optOutWords",
      label: t("setup.optOutWords"),
      kind: "json",
      control: (own) => <OptOutWords {...own} />,
      section,
    },
    { name: "optOutNotice", label: t("setup.optOutNotice"), kind: "text", hint: t("setup.optOutNoticeHint"), section },
  ];
}

const lists = ["stop", "resume"] as const;

/** Where a list is empty, the usual words count. */
function OptOutWords({ value, onChange }: ControlProps) {
  const t = useTexts();
  // As the API answers them.
  const words: Readonly<Record<string, readonly string[]>> = { ...(value as object) };
  return lists.map((list) => (
    <LongField
      key={list}
      label={t(`setup.optOutWords.${list}`)}
      dir="auto"
      spellCheck={false}
      rows={3}
      defaultValue={words[list]?.join("\n")}
      hint={t(`setup.optOutWordsHint.${list}`)}
      onChange={({ target }) => onChange({ ...words, [list]: textLines(target.value) })}
    />
  ));
}

const purposes = ["service", "advertising"] as const;

function SystemLines({ value, onChange }: ControlProps) {
  const t = useTexts();
  // As the API answers them.
  const lines: Readonly<Record<string, string>> = { ...(value as object) };
  return purposes.map((purpose) => (
    <Field
      key={purpose}
      label={t(`lines.kind.${purpose}`)}
      dir="ltr"
      inputMode="numeric"
      autoComplete="off"
      value={lines[purpose] ?? ""}
      onChange={({ target }) => onChange({ ...lines, [purpose]: target.value || undefined })}
    />
  ));
}
