// Templates: customers ask for them and see what became of it, staff approve or refuse them.
import { useList } from "../../api/lists.ts";
import type { ListedTemplate } from "../../api/templates.ts";
import { usePerson } from "../../frame/person.ts";
import { AccountLink } from "../../parts/account-link.tsx";
import { Copyable } from "../../parts/copyable.tsx";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { AskForTemplate, SenderText, TemplateActions } from "./template-actions.tsx";
import { TemplateState } from "./template-state.tsx";
import { TemplateText } from "./template-text.tsx";
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
