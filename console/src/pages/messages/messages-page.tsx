// The messages of an account, or of all: filtered by what stands in the address.
import { useSearchParams } from "wouter";
import { failureTexts } from "../../../../src/texts/failure-texts.ts";
import { operatorText } from "../../../../src/texts/list-file-texts.ts";
import { useLanguage } from "../../preferences.ts";
import { useAnswer } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { useAble } from "../../frame/person.ts";
import { dayFilters, type Filter } from "../../parts/filters.tsx";
import { ListPage } from "../../parts/list-page.tsx";
import { statuses } from "../../parts/state.tsx";
import { useTexts } from "../../texts/texts.ts";
import { messageColumns } from "./message-columns.tsx";

function useMessageFilters(ofAccounts: boolean): readonly Filter[] {
  const t = useTexts();
  const language = useLanguage();
  const [search] = useSearchParams();
  const id = search.get("campaign") ?? "";
  const campaign = useAnswer("GET /campaigns/{id}", { params: { id } }, { enabled: id !== "" });
  const named = [{ value: id, text: campaign.data?.name ?? id }];
  const { operators = [], failureKinds = [] } = useSession().data ?? {};
  const failures = failureKinds.map((kind) => ({ value: kind, text: failureTexts[kind][language] }));
  const networks = operators.map((name) => ({ value: name, text: operatorText(name)[language] }));
  const states = [
    ...statuses.map((state, status) => ({ value: String(status), text: t(`state.${state}`) })),
    { value: "open", text: t("state.open") },
  ];
  return [
    { key: "recipient", label: t("message.recipient"), kind: "number" },
    ...dayFilters(t),
    ...(ofAccounts ? [{ key: "account", label: t("message.account"), kind: "text" } as const] : []),
    { key: "status", label: t("message.state"), kind: "choice", options: states },
    ...(failures.length === 0
      ? []
      : [{ key: "failureKind", label: t("message.failureKind"), kind: "choice", options: failures } as const]),
    { key: "line", label: t("message.line"), kind: "number" },
    { key: "operator", label: t("message.operator"), kind: "choice", options: networks },
    ...(ofAccounts ? [] : [{ key: "text", label: t("message.text"), kind: "text" } as const]),
    { key: "template", label: t("message.template"), kind: "text" },
    // Its page links to this list.
    ...(id === "" ? [] : [{ key: "campaign", label: t("message.campaign"), kind: "choice", options: named } as const]),
    { key: "batch", label: t("message.batch"), kind: "text" },
  ];
}

export function MessagesPage() {
  const t = useTexts();
  const ofAccounts = useAble("see");
  return (
    <ListPage
      list="GET /messages"
      title={t("messages.title")}
      lead={t(ofAccounts ? "messages.leadStaff" : "messages.lead")}
      hasFile
      filters={useMessageFilters(ofAccounts)}
      columns={messageColumns(t, ofAccounts)}
      keyOf={({ sentMessageId }) => sentMessageId}
      none={{ title: t("messages.none"), text: t("messages.noneText") }}
    />
  );
}
