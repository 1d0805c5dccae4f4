// The numbers of one block list, in their order, and whether one is on it.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/lists.ts";
import { dialled } from "../../format/phone.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble } from "../../frame/person.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList, Waiting } from "../../parts/endless-list.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Filters, useFilterValues, type Filter } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { NotAnew } from "../../parts/not-anew.tsx";
import { Dialled, Figure } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Section } from "../../parts/section.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { countsFor } from "./block-lists-page.tsx";
import { importExample } from "./import-example.ts";
import { ChangeNumber, numbersPath } from "./number-actions.tsx";

type ListedNumber = Answers["GET /block-lists/{name}/numbers"]["items"][number];

export function BlockListPage({ params }: { readonly params: PageParams }) {
  const t = useTexts();
  const name = params["name"] ?? "";
  const mayChange = useAble("network");
  const lists = useList<"GET /block-lists">("/block-lists");
  if (lists.isPending) return <Waiting />;
  if (lists.isLoadingError) return <Problem error={lists.error} onRetry={() => void lists.refetch()} />;
  const list = lists.data.pages.flatMap(({ items }) => items).find((each) => each.name === name);
  if (list === undefined)
    return (
      <>
        <PageHead title={t("blockLists.gone")} />
        <Link href="/block-lists">{t("blockLists.toAll")}</Link>
      </>
    );
  return (
    <>
      <PageHead
        title={name}
        heading={<bdi>{name}</bdi>}
        actions={mayChange && <ChangeNumber list={name} change="add" emphasis="primary" />}
      />
      <NotAnew query={lists} />
      <Facts
        facts={[
          { name: t("blockLists.numbers"), value: <Figure value={list.numbers} /> },
          { name: t("blockLists.changed"), value: <Moment at={list.updatedAt} /> },
          { name: t("blockLists.countsFor"), value: countsFor(t, list) },
        ]}
      />
      <Section title={t("blockLists.numbers")}>
        <Numbers list={name} mayChange={mayChange} />
      </Section>
    </>
  );
}

function Numbers({ list, mayChange }: { readonly list: string; readonly mayChange: boolean }) {
  const t = useTexts();
  const filters: readonly Filter[] = [{ key: "number", label: t("blockLists.number"), kind: "number" }];
  const values = useFilterValues(filters);
  const query = useList<"GET /block-lists/{name}/numbers">(numbersPath(list), values);
  return (
    <>
      <Filters filters={filters} />
      <EndlessList
        name={t("blockLists.numbers")}
        query={query}
        keyOf={({ number }) => number}
        columns={columnsOf(t, list, mayChange)}
        empty={
          values["number"] === undefined ? (
            <Empty title={t("blockLists.isEmpty")}>
              <p>{t("blockLists.isEmptyText")}</p>
              <pre dir="ltr" tabIndex={0}>
                {importExample(list)}
              </pre>
            </Empty>
          ) : (
            <Empty title={t("blockLists.notFound")} />
          )
        }
      />
    </>
  );
}

function columnsOf(t: Translate, list: string, mayChange: boolean): readonly Column<ListedNumber>[] {
  const number: Column<ListedNumber> = {
    key: "number",
    title: t("blockLists.number"),
    cell: (row) => <Dialled text={row.number} />,
  };
  const actions: Column<ListedNumber> = {
    key: "actions",
    title: t("list.actions"),
    isActions: true,
    cell: (row) => <TakeOff list={list} number={row.number} />,
  };
  return mayChange ? [number, actions] : [number];
}

function TakeOff({ list, number }: { readonly list: string; readonly number: string }) {
  const t = useTexts();
  const client = useQueryClient();
  return (
    <RowActions>
      <Confirm
        button={t("blockLists.takeOff")}
        title={t("blockLists.takeOffTitle", { list, number: `\u2066${dialled(number)}\u2069` })}
        text={t("blockLists.removeLead")}
        onConfirm={async () => {
          await callApi("DELETE", `${numbersPath(list)}/${number}`);
          await Promise.all(
            ["/block-lists", numbersPath(list)].map((path) => client.invalidateQueries({ queryKey: [path] })),
          );
        }}
      />
    </RowActions>
  );
}
