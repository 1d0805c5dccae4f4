// Messages from subscribers to the lines.
import { useList } from "../../api/lists.ts";
import { useAble } from "../../frame/person.ts";
import { endOfDay, startOfDay } from "../../format/jalali.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Filters, useFilterValues, type Filter, type FilterValues } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Dialled } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useTexts } from "../../texts/texts.ts";

interface ReceivedMessage {
  readonly id: string;
  readonly receivedAt: string;
  readonly sender: string;
  readonly line: string;
  /** Absent: nobody's line, or not shown to staff. */
  readonly account?: string;
  readonly text?: string;
}

export function ReceivedPage() {
  const t = useTexts();
  const ofAccounts = useAble("see");
  const filters: readonly Filter[] = [
    { key: "sender", label: t("received.from"), kind: "number" },
    { key: "line", label: t("message.line"), kind: "number" },
    { key: "since", label: t("filter.since"), kind: "day" },
    { key: "until", label: t("filter.until"), kind: "day" },
    ...(ofAccounts ? [{ key: "account", label: t("message.account"), kind: "text" } as const] : []),
  ];
  const values = useFilterValues(filters);
  const query = useList<ReceivedMessage>("/received", parametersOf(values));
  return (
    <>
      <PageHead title={t("received.title")} lead={ofAccounts ? t("received.leadStaff") : t("received.lead")} />
      <Filters filters={filters} />
      <EndlessList
        name={t("received.title")}
        query={query}
        keyOf={({ id }) => id}
        columns={[
          { key: "time", title: t("received.time"), cell: ({ receivedAt }) => <Moment at={receivedAt} ago /> },
          { key: "from", title: t("received.from"), cell: ({ sender }) => <Dialled text={sender} /> },
          { key: "line", title: t("message.line"), cell: ({ line }) => <Dialled text={line} /> },
          ...(ofAccounts
            ? [
                {
                  key: "account",
                  title: t("message.account"),
                  cell: ({ account }: ReceivedMessage) =>
                    account === undefined ? t("received.nobody") : <bdi>{account}</bdi>,
                },
              ]
            : [
                {
                  key: "text",
                  title: t("received.text"),
                  wide: true,
                  cell: ({ text }: ReceivedMessage) => <span dir="auto">{text}</span>,
                },
              ]),
        ]}
        empty={
          <Empty title={t(Object.keys(values).length > 0 ? "received.noneFound" : "received.none")}>
            <p>{t(Object.keys(values).length > 0 ? "messages.widen" : "received.noneText")}</p>
          </Empty>
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
