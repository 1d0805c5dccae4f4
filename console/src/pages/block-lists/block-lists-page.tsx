// The lists of numbers that nothing is sent to where a rule names them: how many numbers they have,
// when they were changed and where they count.
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/lists.ts";
import { useAble } from "../../frame/person.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Figure } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { scopeOf } from "../rules/rule-kinds.tsx";
import { importExample } from "./import-example.ts";
import { ChangeNumber, FindNumber } from "./number-actions.tsx";

export type BlockList = Answers["GET /block-lists"]["items"][number];

/** Where a rule lets it count. */
export function countsFor(t: Translate, list: BlockList): ReactNode {
  return list.lines === undefined ? <Link href="/rules">{t("blockLists.nowhere")}</Link> : scopeOf(t, list);
}

export function BlockListsPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  return (
    <>
      <PageHead title={t("blockLists.title")} lead={t("blockLists.lead")} />
      <EndlessList
        name={t("blockLists.title")}
        query={useList<"GET /block-lists">("/block-lists")}
        keyOf={({ name }) => name}
        columns={columnsOf(t, mayChange)}
        empty={
          <Empty title={t("blockLists.none")}>
            <p>{t("blockLists.noneText")}</p>
            <pre dir="ltr" tabIndex={0}>
              {importExample("spam")}
            </pre>
          </Empty>
        }
      />
    </>
  );
}

function columnsOf(t: Translate, mayChange: boolean): readonly Column<BlockList>[] {
  return [
    {
      key: "name",
      title: t("blockLists.name"),
      cell: ({ name }) => (
        <Link href={`/block-lists/${encodeURIComponent(name)}`}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      key: "numbers",
      title: t("blockLists.numbers"),
      atEnd: true,
      cell: ({ numbers }) => <Figure value={numbers} />,
    },
    { key: "changed", title: t("blockLists.changed"), cell: ({ updatedAt }) => <Moment at={updatedAt} ago /> },
    {
      key: "scope",
      title: t("blockLists.countsFor"),
      wide: true,
      cell: (list) => countsFor(t, list),
    },
    {
      key: "actions",
      title: t("list.actions"),
      isActions: true,
      cell: ({ name }) => (
        <RowActions>
          <FindNumber list={name} />
          {mayChange && <ChangeNumber list={name} change="add" />}
          {mayChange && <ChangeNumber list={name} change="remove" />}
        </RowActions>
      ),
    },
  ];
}
