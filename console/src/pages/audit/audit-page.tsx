// Who changed what, when and from where, with what differs.
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/lists.ts";
import { dayFilters, withTimes } from "../../parts/day-filters.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Code } from "../../parts/number-text.tsx";
import { shortened } from "../../parts/copyable.tsx";
import { isNameless, kindText } from "../../parts/kind-text.ts";
import { PageHead } from "../../parts/page-head.tsx";
import type { Column } from "../../parts/table.tsx";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";
import { Changes } from "./changes.tsx";

type AuditEntry = Answers["GET /audit"]["items"][number];

/** Those that people look for. */
const kinds = [
  "account",
  "connector",
  "operator",
  "portedNumber",
  "route",
  "line",
  "tariff",
  "template",
  "rules",
  "blockList",
  "optOut",
  "staff",
  "user",
  "apiKey",
  "webhookEndpoint",
  "credit",
  "campaign",
  "messageText",
  "review",
  "personalData",
  "settings",
];

export function AuditPage() {
  const t = useTexts();
  const filters: readonly Filter[] = [
    { key: "who", label: t("audit.who"), kind: "text" },
    { key: "account", label: t("message.account"), kind: "text" },
    {
      key: "kind",
      label: t("audit.kind"),
      kind: "choice",
      options: kinds.map((kind) => ({ value: kind, text: kindText(t, kind) })),
    },
    { key: "name", label: t("audit.name"), kind: "text" },
    ...dayFilters(t),
  ];
  const query = useList<"GET /audit">("/audit", withTimes(useFilterValues(filters)));
  return (
    <>
      <PageHead title={t("audit.title")} lead={t("audit.lead")} />
      <Filters filters={filters} />
      <EndlessList
        name={t("audit.title")}
        query={query}
        keyOf={({ id }) => id}
        columns={columnsOf(t)}
        empty={
          <Empty title={t("audit.none")}>
            <p>{t("audit.noneText")}</p>
          </Empty>
        }
      />
    </>
  );
}

function columnsOf(t: Translate): readonly Column<AuditEntry>[] {
  return [
    { key: "time", title: t("audit.time"), cell: ({ at }) => <Moment at={at} ago /> },
    { key: "who", title: t("audit.who"), cell: ({ who }) => <Who who={who} /> },
    { key: "action", title: t("audit.action"), cell: ({ action }) => actionText(t, action) },
    {
      key: "object",
      title: t("audit.object"),
      cell: ({ kind, name }) => (
        <span>
          {kindText(t, kind)} {!isNameless(kind, name) && <Code text={isId(name) ? shortened(name) : name} />}
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
      atEnd: true,
      cell: ({ address }) => address !== undefined && <Code text={address} />,
    },
  ];
}

function isId(name: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name);
}

function actionText(t: Translate, action: string): string {
  const key = `audit.action.${action}`;
  return isTextKey(key) ? t(key) : action;
}

/** As the filter takes it, so that it can be copied there. */
function Who({ who }: { readonly who: string }) {
  const t = useTexts();
  return who === "gateway" ? t("who.gateway") : <Code text={who} />;
}
