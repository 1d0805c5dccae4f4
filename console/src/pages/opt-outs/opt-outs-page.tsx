// Who wants nothing from a line: customers see what counts for their lines and keep their own
// entries, staff those of all lines.
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { choicesOf, useAnswer, useLineNumbers } from "../../api/queries.ts";
import { dialled } from "../../format/numbers.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { numberSpec, shownText } from "../../parts/field-spec.ts";
import type { Filter } from "../../parts/filters.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { ListPage } from "../../parts/list-page.tsx";
import type { Column } from "../../parts/table.tsx";
import { AccountLink, Dialled, Moment } from "../../parts/values.tsx";
import { leftToRight, type Translate, useTexts } from "../../texts/texts.ts";

type OptOut = Answers["GET /opt-outs"]["items"][number];

export function OptOutsPage() {
  const t = useTexts();
  const isStaff = usePerson().kind === "staff";
  const mayChange = useAble("manage", "network");
  const filters: readonly Filter[] = [
    { key: "number", label: t("number"), kind: "number" },
    { key: "line", label: t("message.line"), kind: "number" },
  ];
  return (
    <ListPage
      list="GET /opt-outs"
      title={t("optOuts.title")}
      lead={t(isStaff ? "optOuts.leadStaff" : "optOuts.lead")}
      pageActions={mayChange && (isStaff ? <AddAsStaff /> : <AddAsCustomer />)}
      filters={filters}
      keyOf={({ lineNumber, recipientNumber, how, account }) =>
        `${lineNumber} ${recipientNumber} ${how} ${account ?? ""}`
      }
      columns={columnsOf(t, isStaff)}
      // A customer removes what the account has made.
      actions={mayChange && ((entry) => (isStaff || entry.how === "api") && <Remove entry={entry} isStaff={isStaff} />)}
      none={{ title: t("optOuts.none"), text: t("optOuts.noneText") }}
    />
  );
}

function columnsOf(t: Translate, isStaff: boolean): readonly Column<OptOut>[] {
  const ofStaff: Column<OptOut> = {
    title: t("rules.scope"),
    cell: ({ account }) => (account === undefined ? t("optOuts.forAll") : <AccountLink name={account} />),
  };
  return [
    { title: t("number"), cell: ({ recipientNumber }) => <Dialled text={recipientNumber} /> },
    { title: t("message.line"), cell: ({ lineNumber }) => <Dialled text={lineNumber} /> },
    { title: t("optOuts.how"), cell: ({ how, account }) => madeBy(t, how, account) },
    ...(isStaff ? [ofStaff] : []),
    { title: t("statement.time"), cell: ({ createdAt }) => <Moment at={createdAt} ago /> },
  ];
}

function madeBy(t: Translate, how: OptOut["how"], account: string | undefined) {
  return how === "api" && account !== undefined ? <bdi>{account}</bdi> : t(`optOuts.how.${how}`);
}

function Remove({ entry, isStaff }: { readonly entry: OptOut; readonly isStaff: boolean }) {
  const t = useTexts();
  const { lineNumber: line, recipientNumber: number } = entry;
  return (
    <FormDialog
      button={t("object.remove")}
      kind="danger"
      title={t("optOuts.removeTitle", { number: leftToRight(dialled(number)), line: leftToRight(line) })}
      lead={t(isStaff ? "optOuts.removeTextStaff" : "optOuts.removeText")}
      onSubmit={async () => {
        await callApi("DELETE /opt-outs/{line}/{number}", { params: { line, number } });
      }}
    />
  );
}

function AddAsStaff() {
  return <Add lines={useLineNumbers()} lead="optOuts.addLeadStaff" />;
}

function AddAsCustomer() {
  const { account = "" } = usePerson();
  const own = useAnswer("GET /accounts/{name}", { params: { name: account } });
  return <Add lines={own.data?.lines ?? []} lead="optOuts.addLead" />;
}

interface AddProps {
  readonly lines: readonly string[];
  readonly lead: "optOuts.addLead" | "optOuts.addLeadStaff";
}

function Add({ lines, lead }: AddProps) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("number.add")}
      kind="primary"
      title={t("number.add")}
      lead={t(lead)}
      specs={[{ name: "line", label: t("message.line"), kind: "choice", options: choicesOf(lines) }, numberSpec(t)]}
      onSubmit={async ({ line, number }) => {
        const params = { line: shownText(line), number: shownText(number) };
        await callApi("PUT /opt-outs/{line}/{number}", { params });
      }}
    />
  );
}
