// The fields of a template, as a customer asks for it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import { type Template, type TemplatePurpose, templatePurposes } from "../../api/templates.ts";
import { asciiDigits } from "../../format/numbers.ts";
import fieldStyles from "../../parts/field.module.css";
import { Field } from "../../parts/field.tsx";
import type { FieldProblems } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { LongField } from "../../parts/long-field.tsx";
import { Select } from "../../parts/select.tsx";
import { useTexts } from "../../texts/texts.ts";

export interface TemplateFieldsProps {
  readonly account: string;
  readonly template?: Template;
  readonly problemOf: FieldProblems;
}

const systemLines = ["service", "advertising"] as const;

export function TemplateFields({ account, template, problemOf }: TemplateFieldsProps) {
  const t = useTexts();
  const [sender, setSender] = useState<string>();
  const own = useQuery({
    queryKey: ["account", account],
    queryFn: ({ signal }) =>
      callApi<"GET /accounts/{name}">("GET", `/accounts/${encodeURIComponent(account)}`, { signal }),
  });
  const lines = [
    ...new Set([...(own.data?.lines ?? []), ...(template?.sender === undefined ? [] : [template.sender])]),
  ];
  return (
    <>
      <LongField
        label={t("template.content")}
        name="content"
        dir="auto"
        required
        maxLength={4000}
        defaultValue={template?.content}
        hint={t("template.contentHint", { placeholder: "{code}" })}
        problem={problemOf("content")}
      />
      <Select
        label={t("template.sender")}
        name="sender"
        value={sender ?? template?.sender ?? ""}
        onChoose={setSender}
        options={[
          { value: "", text: t("template.senderOpen") },
          ...lines.filter((line) => !isSystemLine(line)).map((line) => ({ value: line, text: line })),
          ...systemLines.map((line) => ({ value: line, text: t(`template.sender.${line}`) })),
        ]}
      />
      <PurposeField initial={template?.purpose ?? "code"} />
      <Field
        label={t("template.validSeconds")}
        name="validSeconds"
        dir="ltr"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={template?.validSeconds}
        hint={t("template.validHint")}
        problem={problemOf("validSeconds")}
      />
    </>
  );
}

/** What opt-outs, the notice and sending hours let through; staff decide on it with the text. */
export function PurposeField({ initial }: { readonly initial: TemplatePurpose }) {
  const t = useTexts();
  const [chosen, setChosen] = useState<string>();
  const purpose = templatePurposes.find((each) => each === chosen) ?? initial;
  return (
    <div>
      <Select
        label={t("template.purpose")}
        name="purpose"
        value={purpose}
        onChoose={setChosen}
        options={templatePurposes.map((each) => ({ value: each, text: t(`template.purpose.${each}`) }))}
      />
      <p className={fieldStyles["hint"]}>{t(`template.purposeHint.${purpose}`)}</p>
    </div>
  );
}

function isSystemLine(line: string): boolean {
  return systemLines.some((each) => each === line);
}

/** As the API takes it. */
export function readTemplateFields(form: HTMLFormElement): object {
  const [sender, valid] = [formText(form, "sender"), asciiDigits(formText(form, "validSeconds").trim())];
  return {
    content: formText(form, "content"),
    purpose: formText(form, "purpose"),
    ...(sender !== "" && { sender }),
    ...(valid !== "" && { validSeconds: /^\d{1,9}$/.test(valid) ? Number(valid) : valid }),
  };
}
