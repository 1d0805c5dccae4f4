// Who wants nothing from a line: customers see what counts for their lines and keep their own
// entries, staff those of all lines.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useLineNumbers, useList } from "../../api/queries.ts";
import { dialled } from "../../format/numbers.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Field, Select, formText } from "../../parts/controls.tsx";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { AccountLink, Dialled, Moment } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

type OptOut = Answers["GET /opt-outs"]["items"][number];

export function OptOutsPage() {
  const t = useTexts();
  const isStaff = usePerson().kind === "staff";
  const mayChange = [useAble("manage"), useAble("network")].includes(true);
  const filters: readonly Filter[] = [
    { key: "number", label: t("optOuts.number"), kind: "number" },
    { key: "line", label: t("message.line"), kind: "number" },
  ];
  const values = useFilterValues(filters);
  const query = useList<"GET /opt-outs">("/opt-outs", values);
  return (
    <>
      <PageHead
        title={t("optOuts.title")}
        lead={t(isStaff ? "optOuts.leadStaff" : "optOuts.lead")}
        actions={mayChange && (isStaff ? <AddAsStaff /> : <AddAsCustomer />)}
      />
      <Filters filters={filters} />
      <EndlessList
        name={t("optOuts.title")}
        query={query}
        keyOf={({ lineNumber, recipientNumber, how, account }) =>
          `${lineNumber} ${recipientNumber} ${how} ${account ?? ""}`
        }
        columns={columnsOf(t, { isStaff, mayChange })}
        empty={
          Object.keys(values).length > 0 ? (
            <Empty title={t("optOuts.noneFound")} />
          ) : (
            <Empty title={t("optOuts.none")}>
              <p>{t("optOuts.noneText")}</p>
            </Empty>
          )
        }
      />
    </>
  );
}

interface Viewer {
  readonly isStaff: boolean;
  readonly mayChange: boolean;
}

function columnsOf(t: Translate, { isStaff, mayChange }: Viewer): readonly Column<OptOut>[] {
  const ofStaff: Column<OptOut> = {
    key: "for",
    title: t("optOuts.for"),
    cell: ({ account }) => (account === undefined ? t("optOuts.forAll") : <AccountLink name={account} />),
  };
  const actions: Column<OptOut> = {
    key: "actions",
    title: t("list.actions"),
    isActions: true,
    // A customer removes what the account has made.
    cell: (entry) => (isStaff || entry.how === "api") && <Remove entry={entry} isStaff={isStaff} />,
  };
  return [
    {
      key: "number",
      title: t("optOuts.number"),
      cell: ({ recipientNumber }) => <Dialled text={recipientNumber} />,
    },
    { key: "line", title: t("message.line"), cell: ({ lineNumber }) => <Dialled text={lineNumber} /> },
    { key: "how", title: t("optOuts.how"), cell: ({ how, account }) => madeBy(t, how, account) },
    ...(isStaff ? [ofStaff] : []),
    { key: "since", title: t("optOuts.since"), cell: ({ createdAt }) => <Moment at={createdAt} ago /> },
    ...(mayChange ? [actions] : []),
  ];
}

function madeBy(t: Translate, how: OptOut["how"], account: string | undefined) {
  return how === "api" && account !== undefined ? <bdi>{account}</bdi> : t(`optOuts.how.${how}`);
}

function useChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["/opt-outs"] });
}

function pathOf(line: string, number: string): string {
  return `/opt-outs/${encodeURIComponent(line)}/${encodeURIComponent(number)}`;
}

function Remove({ entry, isStaff }: { readonly entry: OptOut; readonly isStaff: boolean }) {
  const t = useTexts();
  const changed = useChanged();
  const { lineNumber: line, recipientNumber } = entry;
  const number = dialled(recipientNumber);
  return (
    <RowActions>
      <Confirm
        button={t("optOuts.remove")}
        title={t("optOuts.removeTitle", { number: `\u2066${number}\u2069`, line: `\u2066${line}\u2069` })}
        text={t(isStaff ? "optOuts.removeTextStaff" : "optOuts.removeText")}
        onConfirm={async () => {
          await callApi("DELETE", pathOf(line, recipientNumber));
          await changed();
        }}
      />
    </RowActions>
  );
}

function AddAsStaff() {
  return <Add lines={useLineNumbers()} lead="optOuts.addLeadStaff" />;
}

function AddAsCustomer() {
  const { account = "" } = usePerson();
  const own = useQuery({
    queryKey: ["account", account],
    queryFn: ({ signal }) =>
      callApi<"GET /accounts/{name}">("GET", `/accounts/${encodeURIComponent(account)}`, { signal }),
  });
  return <Add lines={own.data?.lines ?? []} lead="optOuts.addLead" />;
}

interface AddProps {
  readonly lines: readonly string[];
  readonly lead: "optOuts.addLead" | "optOuts.addLeadStaff";
}

function Add({ lines, lead }: AddProps) {
  const t = useTexts();
  const changed = useChanged();
  return (
    <FormDialog
      button={t("optOuts.add")}
      kind="primary"
      title={t("optOuts.add")}
      lead={t(lead)}
      submit={t("optOuts.add")}
      fields={["number"]}
      onSubmit={async (form) => {
        await callApi("PUT", pathOf(formText(form, "line"), formText(form, "number").trim()));
        await changed();
      }}
    >
      {(problemOf) => (
        <>
          <Select label={t("message.line")} name="line" options={lines.map((line) => ({ value: line, text: line }))} />
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
        </>
      )}
    </FormDialog>
  );
}
