// Templates: customers ask for them and see what became of it, staff approve or refuse them.
import { useList } from "../../api/queries.ts";
import type { ListedTemplate } from "../../api/types.ts";
import { usePerson } from "../../frame/person.ts";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type MessageState, StateSign } from "../../parts/state.tsx";
import { type Column, EndlessList } from "../../parts/table.tsx";
import { AccountLink, Copyable, Moment } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { AskForTemplate, SenderText, TemplateActions, TemplateText } from "./template-actions.tsx";
import styles from "./templates.module.css";

export function TemplatesPage() {
  const t = useTexts();
  const { kind, account, abilities } = usePerson();
  const isStaff = kind === "staff";
  const filters = filtersOf(t, isStaff);
  const values = useFilterValues(filters);
  const query = useList<"GET /templates">("/templates", values);
  const asks = abilities.includes("send");
  return (
    <>
      <PageHead
        title={t("templates.title")}
        lead={t(isStaff ? "templates.leadStaff" : "templates.lead")}
        actions={asks && account !== undefined && <AskForTemplate account={account} />}
      />
      <Filters filters={filters} />
      <EndlessList
        name={t("templates.title")}
        query={query}
        keyOf={({ id }) => id}
        columns={columnsOf(t, isStaff)}
        empty={
          Object.keys(values).length > 0 ? (
            <Empty title={t("templates.noneFound")} />
          ) : (
            <Empty title={t("templates.none")}>
              <p>{t(isStaff ? "templates.noneStaff" : "templates.noneText")}</p>
            </Empty>
          )
        }
      />
    </>
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
      key: "id",
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
    { key: "text", title: t("template.content"), wide: true, cell: ({ content }) => <TemplateText text={content} /> },
    {
      key: "sender",
      title: t("template.sender"),
      cell: ({ sender, purpose }) => (
        <>
          <SenderText sender={sender} />
          <div className={styles["purpose"]}>{t(`template.purpose.${purpose}`)}</div>
        </>
      ),
    },
    { key: "state", title: t("message.state"), cell: (template) => <TemplateState template={template} /> },
    { key: "asked", title: t("template.asked"), minor: true, cell: ({ askedAt }) => <Moment at={askedAt} ago /> },
    {
      key: "actions",
      title: t("list.actions"),
      isActions: true,
      cell: (template) => <TemplateActions template={template} />,
    },
  ];
}

// Whether a template may be used: a word, a shape and a colour.

const signs: Readonly<Record<ListedTemplate["state"], MessageState>> = {
  pending: "waiting",
  approved: "delivered",
  refused: "unsent",
};

export function TemplateState({ template: { state, refused } }: { readonly template: ListedTemplate }) {
  const t = useTexts();
  return (
    <>
      <span className={styles["state"]}>
        <StateSign state={signs[state]} />
        {t(`template.state.${state}`)}
      </span>
      {refused !== undefined && (
        <div className={styles["reason"]} dir="auto">
          {refused}
        </div>
      )}
    </>
  );
}
