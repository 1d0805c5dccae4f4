// The messages of an account, or of all: filtered by what stands in the address.
import { useEffect } from "react";
import { useList } from "../../api/lists.ts";
import type { Message } from "../../api/messages.ts";
import type { Page } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { dayFilters, withTimes } from "../../parts/day-filters.ts";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { messageColumns } from "./message-columns.tsx";
import { SendExample } from "./send-example.tsx";

/** A call reads a bounded number of rows and says how far it came. */
interface MessageListPage extends Page<Message> {
  readonly searchedTo?: string;
}

function filtersOf(t: Translate, ofAccounts: boolean): readonly Filter[] {
  return [
    { key: "recipient", label: t("message.recipient"), kind: "number" },
    ...dayFilters(t),
    ...(ofAccounts ? [{ key: "account", label: t("message.account"), kind: "text" } as const] : []),
    { key: "batch", label: t("message.batch"), kind: "text" },
  ];
}

export function MessagesPage() {
  const t = useTexts();
  const ofAccounts = useAble("see");
  const filters = filtersOf(t, ofAccounts);
  const values = useFilterValues(filters);
  const query = useList<Message, MessageListPage>("/messages", withTimes(values));
  const found = query.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const last = query.data?.pages.at(-1);
  const goesOn = query.hasNextPage && last?.items.length === 0;
  const { fetchNextPage, isFetchingNextPage, isError } = query;
  useEffect(() => {
    if (goesOn && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [goesOn, isFetchingNextPage, isError, fetchNextPage]);
  const isFiltered = Object.keys(values).length > 0;
  return (
    <>
      <PageHead title={t("messages.title")} lead={ofAccounts ? t("messages.leadStaff") : t("messages.lead")} />
      <Filters filters={filters} />
      <EndlessList
        name={t("messages.title")}
        query={query}
        columns={messageColumns(t, ofAccounts)}
        keyOf={({ sentMessageId }) => sentMessageId}
        empty={goesOn ? null : <NoMessages isFiltered={isFiltered} />}
        foot={
          last?.searchedTo !== undefined &&
          query.hasNextPage && (
            <span role="status">
              {t(found === 0 ? "messages.searching" : "messages.searchedTo")} <Moment at={last.searchedTo} />
            </span>
          )
        }
      />
    </>
  );
}

function NoMessages({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts();
  const isCustomer = useAble("look");
  if (isFiltered)
    return (
      <Empty title={t("messages.noneFound")}>
        <p>{t("messages.widen")}</p>
      </Empty>
    );
  return <Empty title={t("messages.none")}>{isCustomer ? <SendExample /> : <p>{t("messages.noneStaff")}</p>}</Empty>;
}
