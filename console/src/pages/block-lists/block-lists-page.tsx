// The lists of numbers that nothing is sent to where a rule names them: how many numbers they have,
// when they were changed and where they count; and the numbers of one of them.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { useList } from "../../api/queries.ts";
import { dialled } from "../../format/numbers.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble } from "../../frame/person.ts";
import type { ButtonProps } from "../../parts/controls.tsx";
import { numberSpec, shownText } from "../../parts/field-spec.ts";
import type { Filter } from "../../parts/filters.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { FilteredList, ListPage } from "../../parts/list-page.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { Notice } from "../../parts/problem.tsx";
import { type Column, Loaded } from "../../parts/table.tsx";
import { Dialled, Moment } from "../../parts/values.tsx";
import { leftToRight, type Translate, useTexts } from "../../texts/texts.ts";
import { scopeOf } from "../rules/rule-kinds.tsx";
import { importExample } from "./import-example.ts";

type BlockList = Answers["GET /block-lists"]["items"][number];

/** Where a rule lets it count. */
function countsFor(t: Translate, list: BlockList): ReactNode {
  return list.lines === undefined ? <Link href="/rules">{t("blockLists.nowhere")}</Link> : scopeOf(t, list);
}

export function BlockListsPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  return (
    <ListPage
      list="GET /block-lists"
      title={t("blockLists.title")}
      lead={t("blockLists.lead")}
      keyOf={({ name }) => name}
      columns={columnsOf(t)}
      actions={({ name }) => (
        <>
          <FindNumber list={name} />
          {mayChange && <ChangeNumber list={name} change="add" />}
          {mayChange && <ChangeNumber list={name} change="remove" />}
        </>
      )}
      none={{
        title: t("blockLists.none"),
        text: t("blockLists.noneText"),
        children: <ImportExample list="spam" />,
      }}
    />
  );
}

function ImportExample({ list }: { readonly list: string }) {
  return (
    <pre dir="ltr" tabIndex={0}>
      {importExample(list)}
    </pre>
  );
}

function columnsOf(t: Translate): readonly Column<BlockList>[] {
  return [
    {
      title: t("blockLists.name"),
      cell: ({ name }) => (
        <Link href={`/block-lists/${encodeURIComponent(name)}`}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    { title: t("blockLists.numbers"), atEnd: true, cell: ({ numbers }) => numbers },
    { title: t("blockLists.changed"), cell: ({ updatedAt }) => <Moment at={updatedAt} ago /> },
    { title: t("rules.scope"), wide: true, cell: (list) => countsFor(t, list) },
  ];
}

export function BlockListPage({ params: { name = "" } }: { readonly params: PageParams }) {
  const t = useTexts();
  const mayChange = useAble("network");
  const lists = useList("GET /block-lists");
  return (
    <Loaded query={lists}>
      {({ pages }) => {
        const list = pages.flatMap(({ items }) => items).find((each) => each.name === name);
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
            <Facts
              facts={[
                { name: t("blockLists.numbers"), value: list.numbers },
                { name: t("blockLists.changed"), value: <Moment at={list.updatedAt} /> },
                { name: t("rules.scope"), value: countsFor(t, list) },
              ]}
            />
            <Section title={t("blockLists.numbers")}>
              <Numbers list={name} mayChange={mayChange} />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}

function Numbers({ list, mayChange }: { readonly list: string; readonly mayChange: boolean }) {
  const t = useTexts();
  const filters: readonly Filter[] = [{ key: "number", label: t("number"), kind: "number" }];
  return (
    <FilteredList
      list="GET /block-lists/{name}/numbers"
      name={t("blockLists.numbers")}
      asked={{ params: { name: list } }}
      filters={filters}
      keyOf={({ number }) => number}
      columns={[{ title: t("number"), cell: ({ number }) => <Dialled text={number} /> }]}
      actions={mayChange && (({ number }) => <TakeOff list={list} number={number} />)}
      none={{
        title: t("blockLists.isEmpty"),
        text: t("blockLists.isEmptyText"),
        children: <ImportExample list={list} />,
      }}
    />
  );
}

const path = "/block-lists/{name}/numbers/{number}";

function TakeOff({ list, number }: { readonly list: string; readonly number: string }) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("object.remove")}
      kind="danger"
      title={t("blockLists.takeOffTitle", { list, number: leftToRight(dialled(number)) })}
      lead={t("blockLists.removeLead")}
      onSubmit={async () => {
        await callApi(`DELETE ${path}`, { params: { name: list, number } });
      }}
    />
  );
}

interface OutcomeProps {
  readonly list: string;
  readonly number: string;
  readonly isOn: boolean;
}

function Outcome({ list, number, isOn }: OutcomeProps) {
  const t = useTexts();
  return (
    <Notice kind="calm" role="status">
      {t(isOn ? "blockLists.isOn" : "blockLists.isNotOn", { list, number: leftToRight(dialled(number)) })}
    </Notice>
  );
}

function FindNumber({ list }: { readonly list: string }) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("blockLists.find")}
      title={t("blockLists.findTitle", { list })}
      specs={[numberSpec(t)]}
      onSubmit={async (given) => {
        const params = { name: list, number: shownText(given["number"]) };
        const { number, isListed } = await callApi(`GET ${path}`, { params });
        return <Outcome list={list} number={number} isOn={isListed} />;
      }}
    />
  );
}

const changes = {
  add: { method: "PUT", button: "number.add" },
  remove: { method: "DELETE", button: "blockLists.remove" },
} as const;

interface ChangeNumberProps {
  readonly list: string;
  readonly change: keyof typeof changes;
  readonly emphasis?: ButtonProps["kind"];
}

function ChangeNumber({ list, change, emphasis = "plain" }: ChangeNumberProps) {
  const t = useTexts();
  const { method, button } = changes[change];
  return (
    <FormDialog
      button={t(button)}
      kind={emphasis}
      title={t(`blockLists.${change}Title`, { list })}
      lead={t(`blockLists.${change}Lead`)}
      specs={[numberSpec(t)]}
      onSubmit={async (given) => {
        const params = { name: list, number: shownText(given["number"]) };
        const { number } = await callApi(`${method} ${path}`, { params });
        return <Outcome list={list} number={number} isOn={change === "add"} />;
      }}
    />
  );
}
