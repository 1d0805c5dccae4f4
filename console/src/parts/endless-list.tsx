// A list that goes on: its rows, what it says where there are none, and the way to more.
import type { UseInfiniteQueryResult, InfiniteData } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Page } from "../api/lists.ts";
import { useTexts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Problem } from "./problem.tsx";
import { Table, type Column } from "./table.tsx";
import styles from "./endless-list.module.css";

export interface EndlessListProps<Row> {
  readonly name: string;
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  /** What is told at the end of the rows, such as how far was searched. */
  readonly foot?: ReactNode;
  /** Instead of the next page alone. */
  readonly onMore?: () => void;
}

export function EndlessList<Row>({ name, query, columns, keyOf, empty, foot, onMore }: EndlessListProps<Row>) {
  const t = useTexts();
  if (query.isPending) return <Waiting />;
  if (query.isError && query.data === undefined)
    return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap(({ items }) => items);
  return (
    <>
      {rows.length > 0 ? <Table name={name} columns={columns} rows={rows} keyOf={keyOf} /> : empty}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <div className={styles["end"]}>
        {foot}
        {rows.length > 0 && (
          <Button kind="quiet" busy={query.isRefetching} onClick={() => void query.refetch()}>
            {t("list.refresh")}
          </Button>
        )}
        {query.hasNextPage && (
          <Button busy={query.isFetchingNextPage} onClick={onMore ?? (() => void query.fetchNextPage())}>
            {t("list.more")}
          </Button>
        )}
      </div>
    </>
  );
}

/** Rows to come, without movement and without a word that is gone before it is read. */
export function Waiting() {
  const t = useTexts();
  return (
    <div className={styles["waiting"]} role="status" data-waiting>
      <span className="visuallyHidden">{t("list.waiting")}</span>
      {[0, 1, 2, 3, 4].map((row) => (
        <div key={row} />
      ))}
    </div>
  );
}
