// Who changed what, when and from where, with what differs.
import { useList } from "../../api/lists.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Dialled } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";
import { Changes } from "./changes.tsx";

interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** `staff:NAME`, `user:ACCOUNT/NAME`, `command:OSUSER@HOST` */
  readonly who: string;
  readonly address?: string;
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly account?: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

export function AuditPage() {
  const t = useTexts();
  const filters: readonly Filter[] = [
    { key: "who", label: t("audit.who"), kind: "text" },
    { key: "account", label: t("message.account"), kind: "text" },
    { key: "kind", label: t("audit.kind"), kind: "text" },
  ];
  const query = useList<AuditEntry>("/audit", useFilterValues(filters));
  return (
    <>
      <PageHead title={t("audit.title")} lead={t("audit.lead")} />
      <Filters filters={filters} />
      <EndlessList
        name={t("audit.title")}
        query={query}
        keyOf={({ id }) => id}
        columns={[
          { key: "time", title: t("audit.time"), cell: ({ at }) => <Moment at={at} ago /> },
          { key: "who", title: t("audit.who"), cell: ({ who }) => <Dialled text={who} /> },
          { key: "action", title: t("audit.action"), cell: ({ action }) => actionText(t, action) },
          {
            key: "object",
            title: t("audit.object"),
            cell: ({ kind, name }) => (
              <span>
                {kindText(t, kind)} <bdi>{name}</bdi>
              </span>
            ),
          },
          {
            key: "changes",
            title: t("audit.changes"),
            wide: true,
            cell: ({ before, after }) => <Changes before={before} after={after} />,
          },
          {
            key: "address",
            title: t("audit.address"),
            cell: ({ address }) => address !== undefined && <Dialled text={address} />,
          },
        ]}
        empty={
          <Empty title={t("audit.none")}>
            <p>{t("audit.noneText")}</p>
          </Empty>
        }
      />
    </>
  );
}

function actionText(t: Translate, action: string): string {
  const key = `audit.action.${action}`;
  return isTextKey(key) ? t(key) : action;
}

function kindText(t: Translate, kind: string): string {
  const key = `audit.kind.${kind}`;
  return isTextKey(key) ? t(key) : kind;
}
