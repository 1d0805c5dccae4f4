// What a person may do with one template: staff decide, customers change what is not approved yet,
// and replace what is.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi, putTagged } from "../../api/client.ts";
import {
  type ListedTemplate,
  type Template,
  type TemplatePurpose,
  templatePath,
  templatePurposes,
} from "../../api/types.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { useAble } from "../../frame/person.ts";
import { ConfirmRemoval } from "../../parts/confirm-removal.tsx";
import { Field, LongField, Select, formText } from "../../parts/controls.tsx";
import { type FieldProblems, FormDialog } from "../../parts/form-dialog.tsx";
import { Facts } from "../../parts/page.tsx";
import { RowActions } from "../../parts/table.tsx";
import { TaggedFields, tagOf } from "../../parts/tagged-fields.tsx";
import { useTexts } from "../../texts/texts.ts";
import fieldStyles from "../../parts/field.module.css";
import styles from "./templates.module.css";

export interface TemplateActionProps {
  readonly template: ListedTemplate;
}

export function useTemplatesChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["/templates"] });
}

export function TemplateActions({ template }: TemplateActionProps) {
  const decides = useAble("accounts");
  const asks = useAble("send");
  return (
    <RowActions>
      {decides && template.state !== "approved" && <Approve template={template} />}
      {decides && template.state !== "refused" && <Refuse template={template} />}
      {asks && template.state !== "approved" && <Change template={template} />}
      {asks && template.state === "approved" && <AskForTemplate template={template} />}
      {(asks || decides) && <Remove template={template} />}
    </RowActions>
  );
}

function Approve({ template: { id, account } }: TemplateActionProps) {
  const t = useTexts();
  const changed = useTemplatesChanged();
  const path = templatePath(id);
  return (
    <FormDialog
      button={t("template.approve")}
      title={t("template.approveTitle", { id })}
      lead={t("template.approveLead", { account })}
      submit={t("template.approve")}
      onSubmit={async (form) => {
        await decide(form, path, { approved: true, purpose: formText(form, "purpose") });
        await changed();
      }}
    >
      <TaggedFields<"GET /templates/{id}"> path={path}>
        {(seen) => (
          <>
            <Seen template={seen} />
            <PurposeField initial={seen.purpose} />
          </>
        )}
      </TaggedFields>
    </FormDialog>
  );
}

function Refuse({ template: { id, state } }: TemplateActionProps) {
  const t = useTexts();
  const changed = useTemplatesChanged();
  const path = templatePath(id);
  return (
    <FormDialog
      button={t("template.refuse")}
      title={t("template.refuseTitle", { id })}
      lead={t(state === "approved" ? "template.withdrawLead" : "template.refuseLead")}
      submit={t("template.refuse")}
      fields={["reason"]}
      onSubmit={async (form) => {
        await decide(form, path, { approved: false, reason: formText(form, "reason") });
        await changed();
      }}
    >
      {(problemOf) => (
        <>
          <TaggedFields<"GET /templates/{id}"> path={path}>{(seen) => <Seen template={seen} />}</TaggedFields>
          <LongField
            label={t("template.reason")}
            name="reason"
            dir="auto"
            required
            maxLength={500}
            hint={t("template.reasonHint")}
            problem={problemOf("reason")}
          />
        </>
      )}
    </FormDialog>
  );
}

function decide(form: HTMLFormElement, path: string, body: object): Promise<unknown> {
  return callApi("POST", `${path}/decision`, { body, headers: { "if-match": tagOf(form).etag } });
}

function Seen({ template: { content, sender } }: { readonly template: Template }) {
  const t = useTexts();
  return (
    <>
      <div className={styles["frame"]}>
        <TemplateText text={content} />
      </div>
      <Facts facts={[{ name: t("template.sender"), value: <SenderText sender={sender} /> }]} />
    </>
  );
}

export function SenderText({ sender }: { readonly sender?: string | undefined }) {
  const t = useTexts();
  if (sender === undefined) return t("template.senderOpen");
  if (sender === "service" || sender === "advertising") return t(`template.sender.${sender}`);
  return <bdi dir="ltr">{sender}</bdi>;
}

function Change({ template: { id } }: TemplateActionProps) {
  const t = useTexts();
  const changed = useTemplatesChanged();
  const path = templatePath(id);
  return (
    <FormDialog
      button={t("template.change")}
      title={t("template.changeTitle", { id })}
      lead={t("template.changeLead")}
      submit={t("template.ask")}
      fields={["content", "validSeconds"]}
      onSubmit={async (form) => {
        await putTagged(path, readTemplateFields(form), tagOf(form));
        await changed();
      }}
    >
      {(problemOf) => (
        <TaggedFields<"GET /templates/{id}"> path={path}>
          {(seen) => <TemplateFields account={seen.account} template={seen} problemOf={problemOf} />}
        </TaggedFields>
      )}
    </FormDialog>
  );
}

/** A new one, or one in the place of another that is approved. */
export function AskForTemplate({ account, template }: { readonly account?: string; readonly template?: Template }) {
  const t = useTexts();
  const changed = useTemplatesChanged();
  return (
    <FormDialog
      button={template === undefined ? t("template.new") : t("template.replace")}
      kind={template === undefined ? "primary" : "plain"}
      title={template === undefined ? t("template.newTitle") : t("template.replaceTitle", { id: template.id })}
      lead={template === undefined ? t("template.newLead") : t("template.replaceLead", { id: template.id })}
      submit={t("template.ask")}
      fields={["content", "validSeconds"]}
      onSubmit={async (form) => {
        await callApi("POST", "/templates", { body: readTemplateFields(form) });
        await changed();
      }}
    >
      {(problemOf) => (
        <TemplateFields
          account={account ?? template?.account ?? ""}
          {...(template && { template })}
          problemOf={problemOf}
        />
      )}
    </FormDialog>
  );
}

function Remove({ template: { id, state } }: TemplateActionProps) {
  const t = useTexts();
  const changed = useTemplatesChanged();
  return (
    <ConfirmRemoval
      button={t("template.remove")}
      title={t("template.removeTitle", { id })}
      text={t(state === "approved" ? "template.removeUsed" : "template.removeText")}
      path={templatePath(id)}
      onRemoved={changed}
    />
  );
}

// The fields of a template, as a customer asks for it.

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

// The text of a template, with its placeholders marked. Their Latin names do not decide its
// direction: what has one of its own is passed over.

const placeholder = /(\{[\p{L}\p{Nd}_-]+\})/u;

export function TemplateText({ text }: { readonly text: string }) {
  return (
    <span dir="auto" className={styles["text"]}>
      {text.split(placeholder).map((piece, index) =>
        index % 2 === 1 ? (
          <mark key={`${index}${piece}`} dir="ltr">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </span>
  );
}
