// The messages of an account, or of all: filtered by what stands in the address.
import { useEffect } from "react";
import { useList } from "../../api/lists.ts";
import type { Message } from "../../api/messages.ts";
import type { Page } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { endOfDay, startOfDay } from "../../format/jalali.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter, type FilterValues } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { messageStates } from "../../parts/state.tsx";
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
    {
      key: "status",
      label: t("message.state"),
      kind: "choice",
      options: messageStates.map((state) => ({ value: state, text: t(`state.${state}`) })),
    },
    { key: "since", label: t("filter.since"), kind: "day" },
    { key: "until", label: t("filter.until"), kind: "day" },
    ...(ofAccounts ? [{ key: "account", label: t("message.account"), kind: "text" } as const] : []),
    { key: "operator", label: t("message.operator"), kind: "text" },
    { key: "line", label: t("message.line"), kind: "number" },
    { key: "batch", label: t("message.batch"), kind: "text" },
  ];
}

export function MessagesPage() {
  const t = useTexts();
  const ofAccounts = useAble("see");
  const filters = filtersOf(t, ofAccounts);
  const values = useFilterValues(filters);
  const query = useList<Message, MessageListPage>("/messages", parametersOf(values));
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
        keyOf={({ id }) => id}
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

function parametersOf({ since, until, ...rest }: FilterValues): FilterValues {
  return {
    ...rest,
    ...(since !== undefined && { since: startOfDay(since).toISOString() }),
    ...(until !== undefined && { until: endOfDay(until).toISOString() }),
  };
}

function NoMessages({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts();
  const isCustomer = useAble("look");
  if (isFiltered) return <Empty title={t("messages.noneFound")}>{t("messages.widen")}</Empty>;
  return <Empty title={t("messages.none")}>{isCustomer ? <SendExample /> : <p>{t("messages.noneStaff")}</p>}</Empty>;
}
