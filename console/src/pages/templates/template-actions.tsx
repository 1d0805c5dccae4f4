// What a person may do with one template: staff decide, customers change what is not approved yet,
// and replace what is.
import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import { putTagged } from "../../api/tagged.ts";
import { type ListedTemplate, type Template, templatePath } from "../../api/templates.ts";
import { useAble } from "../../frame/person.ts";
import { ConfirmRemoval } from "../../parts/confirm-removal.tsx";
import { Facts } from "../../parts/facts.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { LongField } from "../../parts/long-field.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { tagOf, TaggedFields } from "../../parts/tagged-fields.tsx";
import { useTexts } from "../../texts/texts.ts";
import { PurposeField, readTemplateFields, TemplateFields } from "./template-fields.tsx";
import { TemplateText } from "./template-text.tsx";
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
