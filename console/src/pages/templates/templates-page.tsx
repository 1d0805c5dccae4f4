// Templates: customers ask for them and see what became of it, staff approve or refuse them.
import { templateFields } from "../../../../src/fields/account-fields.ts";
import { templatePurposes } from "../../../../src/sms/template.ts";
import { keyPlaceholder, templateCall, valuePlaceholder } from "../../../../src/texts/code-samples.ts";
import { callApi } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import type { ListedTemplate, Template } from "../../api/types.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { rowsOf } from "../../parts/declared-specs.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import type { Filter } from "../../parts/filters.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RemoveDialog } from "../../parts/object-dialog.tsx";
import { ListPage } from "../../parts/list-page.tsx";
import { Facts } from "../../parts/page.tsx";
import { type MessageState, SignedText } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { AccountLink, Copyable, Moment } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { SampleCode } from "../code/sample-code.tsx";
import { placeholdersOf } from "../send/draft-text.ts";
import styles from "./templates.module.css";

export function TemplatesPage() {
  const t = useTexts();
  const { kind, account } = usePerson();
  const isStaff = kind === "staff";
  const asks = useAble("send");
  const decides = useAble("accounts");
  return (
    <ListPage
      list="GET /templates"
      title={t("templates.title")}
      lead={t(isStaff ? "templates.leadStaff" : "templates.lead")}
      pageActions={asks && account !== undefined && <AskForTemplate account={account} />}
      filters={filtersOf(t, isStaff)}
      keyOf={({ id }) => id}
      columns={columnsOf(t, isStaff)}
      actions={(template) => (
        <>
          {template.state === "approved" && <Code template={template} />}
          {decides && <Decisions template={template} />}
          {asks && template.state !== "approved" && <Change template={template} />}
          {asks && template.state === "approved" && <AskForTemplate account={template.account} template={template} />}
          {(asks || decides) && <Remove template={template} />}
        </>
      )}
      none={{ title: t("templates.none"), text: t(isStaff ? "templates.noneStaff" : "templates.noneText") }}
    />
  );
}

const states = ["pending", "approved", "refused"] as const;

function filtersOf(t: Translate, isStaff: boolean): readonly Filter[] {
  const options = states.map((state) => ({ value: state, text: t(`template.state.${state}`) }));
  return [
    { key: "state", label: t("message.state"), kind: "choice", options },
    ...(isStaff ? [{ key: "account", label: t("message.account"), kind: "text" } as const] : []),
  ];
}

function columnsOf(t: Translate, isStaff: boolean): readonly Column<ListedTemplate>[] {
  return [
    {
      title: t("template.id"),
      cell: ({ id, account }) => (
        <div className={styles["id"]}>
          <Copyable text={id} name={t("template.id")} whole />
          {isStaff && (
            <div>
              <AccountLink name={account} />
            </div>
          )}
        </div>
      ),
    },
    { title: t("message.text"), wide: true, cell: ({ content }) => <TemplateText text={content} /> },
    {
      title: `${t("message.line")}${t("list.comma")}${t("template.purpose")}`,
      cell: ({ sender, purpose }) => (
        <>
          <SenderText sender={sender} />
          <div className={styles["purpose"]}>{t(`template.purpose.${purpose}`)}</div>
        </>
      ),
    },
    { title: t("message.state"), cell: (template) => <TemplateState template={template} /> },
    { title: t("statement.time"), minor: true, cell: ({ askedAt }) => <Moment at={askedAt} ago /> },
  ];
}

const signs: Readonly<Record<ListedTemplate["state"], MessageState>> = {
  pending: "waiting",
  approved: "delivered",
  refused: "unsent",
};

function TemplateState({ template: { state, refused } }: { readonly template: ListedTemplate }) {
  const t = useTexts();
  return (
    <>
      <SignedText state={signs[state]} text={t(`template.state.${state}`)} />
      {refused !== undefined && (
        <div className={styles["reason"]} dir="auto">
          {refused}
        </div>
      )}
    </>
  );
}

const placeholder = /(\{[\p{L}\p{Nd}_-]+\})/u;

/**
 * With its placeholders marked. Their Latin names do not decide its direction: what has one of its
 * own is passed over.
 */
function TemplateText({ text }: { readonly text: string }) {
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

function SenderText({ sender }: { readonly sender?: string | undefined }) {
  const t = useTexts();
  if (sender === undefined) return t("template.senderOpen");
  if (sender === "service" || sender === "advertising") return t(`template.sender.${sender}`);
  return <bdi dir="ltr">{sender}</bdi>;
}

interface TemplateProps {
  readonly template: ListedTemplate;
}

const path = "/templates/{id}";

function Decisions({ template: { id, account, state } }: TemplateProps) {
  const t = useTexts();
  const about = { name: `GET ${path}`, params: { id } } as const;
  const reason: FieldSpec = {
    name: "reason",
    label: t("template.reason"),
    kind: "long",
    required: true,
    hint: t("template.reasonHint"),
    typing: { maxLength: 500 },
  };
  return (
    <>
      {state !== "approved" && (
        <FormDialog
          button={t("template.approve")}
          title={t("template.approveTitle", { id })}
          lead={t("template.approveLead", { account })}
          about={about}
          above={(seen) => <Decided template={seen} />}
          specs={[purposeSpec(t), tlvsSpec(t)]}
          onSubmit={async (given, { expected }) => {
            await callApi(`POST ${path}/decision`, { params: { id }, body: { approved: true, ...given }, expected });
          }}
        />
      )}
      {state !== "refused" && (
        <FormDialog
          button={t("review.refuse")}
          title={t("template.refuseTitle", { id })}
          lead={t(state === "approved" ? "template.withdrawLead" : "template.refuseLead")}
          about={about}
          above={(seen) => <Decided template={seen} />}
          specs={[reason]}
          onSubmit={async (given, { expected }) => {
            await callApi(`POST ${path}/decision`, { params: { id }, body: { approved: false, ...given }, expected });
          }}
        />
      )}
    </>
  );
}

/** What the decision is about. */
function Decided({ template: { content, sender, validSeconds } }: { readonly template: Template }) {
  const t = useTexts();
  return (
    <>
      <div className={styles["frame"]}>
        <TemplateText text={content} />
      </div>
      <Facts
        facts={[
          { name: t("message.line"), value: <SenderText sender={sender} /> },
          { name: t("template.validSeconds"), value: validSeconds },
        ]}
      />
    </>
  );
}

/** What opt-outs, the notice and sending hours let through; staff decide on it with the text. */
function purposeSpec(t: Translate): FieldSpec {
  return {
    name: "purpose",
    label: t("template.purpose"),
    kind: "choice",
    options: templatePurposes.map((value) => ({ value, text: t(`template.purpose.${value}`) })),
    hint: t("template.purposeHint"),
  };
}

/** What an operator demands of the messages of this template. */
function tlvsSpec(t: Translate): FieldSpec {
  const label = t("template.tlvs");
  return {
    name: "tlvs",
    label,
    ...rowsOf(label, templateFields.tlvs),
    kind: "json",
    hint: t("template.tlvsHint", { tag: "0x1400" }),
  };
}

const systemLines = ["service", "advertising"] as const;

function useTemplateSpecs(account: string): readonly FieldSpec[] {
  const t = useTexts();
  const { data } = useAnswer("GET /accounts/{name}", { params: { name: account } });
  const lines = (data?.lines ?? []).filter((line) => !systemLines.some((each) => each === line));
  return [
    {
      name: "content",
      label: t("message.text"),
      kind: "long",
      required: true,
      hint: t("template.contentHint", { placeholder: "{code}" }),
      typing: { maxLength: 4000 },
    },
    {
      name: "sender",
      label: t("message.line"),
      kind: "choice",
      options: [
        { value: "", text: t("template.senderOpen") },
        ...lines.map((line) => ({ value: line, text: line })),
        ...systemLines.map((line) => ({ value: line, text: t(`template.sender.${line}`) })),
      ],
    },
    purposeSpec(t),
    { name: "validSeconds", label: t("template.validSeconds"), kind: "number", hint: t("template.validHint") },
  ];
}

function Change({ template: { id, account } }: TemplateProps) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("object.edit")}
      title={t("object.editTitle", { name: id })}
      lead={t("template.changeLead")}
      submit={t("template.ask")}
      about={{ name: `GET ${path}`, params: { id } }}
      specs={useTemplateSpecs(account)}
      onSubmit={async (body, { expected }) => {
        await callApi(`PUT ${path}`, { params: { id }, body, expected });
      }}
    />
  );
}

interface AskForTemplateProps {
  readonly account: string;
  /** An approved one, which the new one is to replace. */
  readonly template?: ListedTemplate;
}

function AskForTemplate({ account, template }: AskForTemplateProps) {
  const t = useTexts();
  const id = template?.id ?? "";
  const which = template === undefined ? "new" : "replace";
  return (
    <FormDialog
      button={t(`template.${which}`)}
      kind={template === undefined ? "primary" : "plain"}
      title={template === undefined ? t("template.new") : t("template.replaceTitle", { id })}
      lead={t(`template.${which}Lead`, { id })}
      submit={t("template.ask")}
      specs={useTemplateSpecs(account)}
      initial={{ ...template }}
      onSubmit={async (body) => {
        await callApi("POST /templates", { body });
      }}
    />
  );
}

/** How a program sends it. */
function Code({ template: { id, sender, content } }: TemplateProps) {
  const t = useTexts();
  const call = templateCall(window.location.origin, { id, sender, parameters: placeholdersOf(content) });
  return (
    <FormDialog
      button={t("code.title")}
      title={t("template.codeTitle", { id })}
      lead={t("template.codeLead", { placeholder: keyPlaceholder, value: valuePlaceholder })}
    >
      {() => <SampleCode call={call} />}
    </FormDialog>
  );
}

function Remove({ template: { id, state } }: TemplateProps) {
  const t = useTexts();
  return (
    <RemoveDialog
      name={id}
      text={t(state === "approved" ? "template.removeUsed" : "template.removeText")}
      path={path}
      of={{ params: { id } }}
    />
  );
}
