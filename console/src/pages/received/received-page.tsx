// Messages from subscribers to the lines.
import type { Answers } from "../../api/endpoints.ts";
import { useList } from "../../api/queries.ts";
import { useAble } from "../../frame/person.ts";
import { dayFilters, type Filter, Filters, useFilterValues, withTimes } from "../../parts/filters.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { SaveFile } from "../../parts/save-file.tsx";
import { type Column, EndlessList, SearchProgress, useGoingOn } from "../../parts/table.tsx";
import { AccountLink, Dialled, Moment, TextErased } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

type ReceivedMessage = Answers["GET /received"]["items"][number];

export function ReceivedPage() {
  const t = useTexts();
  const ofAccounts = useAble("see");
  const filters = filtersOf(t, ofAccounts);
  const values = useFilterValues(filters);
  const asked = withTimes(values);
  return (
    <>
      <PageHead
        title={t("received.title")}
        lead={t(ofAccounts ? "received.leadStaff" : "received.lead")}
        actions={<SaveFile path="/received" values={asked} />}
      />
      <Filters filters={filters} />
      {/* Other filters are another search. */}
      <Found key={JSON.stringify(asked)} asked={asked} />
    </>
  );
}

function Found({ asked }: { readonly asked: Readonly<Record<string, string | undefined>> }) {
  const t = useTexts();
  const ofAccounts = useAble("see");
  const query = useList("GET /received", { query: asked });
  const going = useGoingOn(query);
  const isFiltered = Object.keys(asked).length > 0;
  const empty = (
    <Empty
      title={t(isFiltered ? "received.noneFound" : "received.none")}
      text={t(isFiltered ? "messages.widen" : "received.noneText")}
    />
  );
  return (
    <EndlessList
      name={t("received.title")}
      query={query}
      keyOf={({ receivedMessageId }) => receivedMessageId}
      columns={columnsOf(t, ofAccounts)}
      empty={going.searchedTo === undefined ? empty : null}
      foot={<SearchProgress going={going} />}
      onMore={going.more}
    />
  );
}

function filtersOf(t: Translate, ofAccounts: boolean): readonly Filter[] {
  const ofStaff: readonly Filter[] = [
    { key: "account", label: t("message.account"), kind: "text" },
    {
      key: "unassigned",
      label: t("received.whose"),
      kind: "choice",
      options: [{ value: "true", text: t("received.unassigned") }],
    },
  ];
  return [
    { key: "sender", label: t("received.from"), kind: "number" },
    { key: "line", label: t("message.line"), kind: "number" },
    ...dayFilters(t),
    ...(ofAccounts ? ofStaff : [{ key: "text", label: t("message.text"), kind: "text" } as const]),
  ];
}

function columnsOf(t: Translate, ofAccounts: boolean): readonly Column<ReceivedMessage>[] {
  return [
    { title: t("received.from"), cell: ({ senderNumber }) => <Dialled text={senderNumber} /> },
    { title: t("message.line"), cell: ({ recipientNumber }) => <Dialled text={recipientNumber} /> },
    ofAccounts
      ? {
          title: t("message.account"),
          cell: ({ account }) => (account === undefined ? t("received.nobody") : <AccountLink name={account} />),
        }
      : {
          title: t("message.text"),
          wide: true,
          cell: ({ content, contentErased, complete }) => (
            <>
              {contentErased === true ? <TextErased /> : <span dir="auto">{content}</span>}
              {!complete && ` · ${t("received.incomplete")}`}
            </>
          ),
        },
    { title: t("received.time"), cell: ({ receivedAt }) => <Moment at={receivedAt} ago /> },
  ];
}
