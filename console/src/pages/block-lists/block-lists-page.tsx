// The lists of numbers that nothing is sent to where a rule names them: how many numbers they have,
// when they were changed and where they count.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/queries.ts";
import { dialled } from "../../format/numbers.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble } from "../../frame/person.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { type ButtonProps, Field, formText } from "../../parts/controls.tsx";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { type FieldProblems, FormDialog } from "../../parts/form-dialog.tsx";
import { Empty, Facts, PageHead, Section } from "../../parts/page.tsx";
import { NotAnew, Notice, Problem } from "../../parts/problem.tsx";
import { type Column, EndlessList, RowActions, Waiting } from "../../parts/table.tsx";
import { Dialled, Figure, Moment } from "../../parts/values.tsx";
import { type TextKey, type Translate, useTexts } from "../../texts/texts.ts";
import { scopeOf } from "../rules/rule-kinds.tsx";
import { importExample } from "./import-example.ts";

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

// The numbers of one block list, in their order, and whether one is on it.

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
        columns={numberColumns(t, list, mayChange)}
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

function numberColumns(t: Translate, list: string, mayChange: boolean): readonly Column<ListedNumber>[] {
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

// Whether a number is on a block list, putting it there and taking it off: each says at its end how
// the number stands.

type NumberPath = "/block-lists/{name}/numbers/{number}";

export function numbersPath(list: string): `/block-lists/${string}/numbers` {
  return `/block-lists/${encodeURIComponent(list)}/numbers`;
}

function pathOf(list: string, form: HTMLFormElement): `/block-lists/${string}/numbers/${string}` {
  return `${numbersPath(list)}/${encodeURIComponent(formText(form, "number").trim())}`;
}

function NumberField({ problemOf }: { readonly problemOf: FieldProblems }) {
  const t = useTexts();
  return (
    <Field
      label={t("optOuts.number")}
      name="number"
      dir="ltr"
      inputMode="tel"
      autoComplete="off"
      required
      hint={t("optOuts.numberHint")}
      problem={problemOf("number")}
    />
  );
}

interface OutcomeProps {
  readonly text: TextKey;
  readonly list: string;
  readonly number: string;
}

function Outcome({ text, list, number }: OutcomeProps) {
  const t = useTexts();
  return (
    <Notice kind="calm" role="status">
      {t(text, { list, number: `\u2066${dialled(number)}\u2069` })}
    </Notice>
  );
}

export function FindNumber({ list }: { readonly list: string }) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("blockLists.find")}
      title={t("blockLists.findTitle", { list })}
      submit={t("blockLists.find")}
      fields={["number"]}
      onSubmit={async (form) => {
        const { number, isListed } = await callApi<`GET ${NumberPath}`>("GET", pathOf(list, form));
        return <Outcome text={isListed ? "blockLists.isOn" : "blockLists.isNotOn"} list={list} number={number} />;
      }}
    >
      {(problemOf) => <NumberField problemOf={problemOf} />}
    </FormDialog>
  );
}

const changes = {
  add: { method: "PUT", done: "blockLists.isNowOn", before: "blockLists.wasOn" },
  remove: { method: "DELETE", done: "blockLists.isNowOff", before: "blockLists.isNotOn" },
} as const;

export interface ChangeNumberProps {
  readonly list: string;
  readonly change: keyof typeof changes;
  readonly emphasis?: ButtonProps["kind"];
}

export function ChangeNumber({ list, change, emphasis = "plain" }: ChangeNumberProps) {
  const t = useTexts();
  const client = useQueryClient();
  const { method, done, before } = changes[change];
  return (
    <FormDialog
      button={t(`blockLists.${change}`)}
      kind={emphasis}
      title={t(`blockLists.${change}Title`, { list })}
      lead={t(`blockLists.${change}Lead`)}
      submit={t(`blockLists.${change}`)}
      fields={["number"]}
      onSubmit={async (form) => {
        const answer = await callApi<`${typeof method} ${NumberPath}`>(method, pathOf(list, form));
        await Promise.all(
          ["/block-lists", numbersPath(list)].map((path) => client.invalidateQueries({ queryKey: [path] })),
        );
        return <Outcome text={answer.changed ? done : before} list={list} number={answer.number} />;
      }}
    >
      {(problemOf) => <NumberField problemOf={problemOf} />}
    </FormDialog>
  );
}
