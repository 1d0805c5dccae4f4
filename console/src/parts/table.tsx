// Tables, and lists that go on.
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Unreachable } from "../api/client.ts";
import type { SearchedPage } from "../api/queries.ts";
import { useTexts } from "../texts/texts.ts";
import { Button } from "./controls.tsx";
import { Problem } from "./problem.tsx";
import { Moment, Shown } from "./values.tsx";
import endlessListStyles from "./endless-list.module.css";
import rowActionsStyles from "./row-actions.module.css";
import tableStyles from "./table.module.css";

export interface Column<Row> {
  readonly title: string;
  /** A number is written as the language does. */
  readonly cell: (row: Row) => ReactNode;
  /** Figures. */
  readonly atEnd?: boolean;
  /** Takes the room that is left; on a phone a line of its own. */
  readonly wide?: boolean;
  /** Left out on a phone: the page of the object has it. */
  readonly minor?: boolean;
}

interface TableProps<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What can be done with a row, at its end. */
  readonly actions?: ((row: Row) => ReactNode) | false | undefined;
  /** Cells of a file: on a phone, too, one row a line, in a box that scrolls. */
  readonly asSheet?: true;
}

export function Table<Row>({ name, columns, rows, keyOf, actions = false, asSheet }: TableProps<Row>) {
  const t = useTexts();
  const marksOf = ({ atEnd, wide, minor }: Column<Row>) => ({
    "data-at-end": atEnd,
    "data-wide": wide,
    "data-minor": minor,
  });
  return (
    <div className={tableStyles[asSheet ? "sheet" : "frame"]}>
      <table role="table" aria-label={name} className={tableStyles["table"]}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" {...marksOf(column)}>
                {column.title}
              </th>
            ))}
            {actions !== false && (
              <th role="columnheader" scope="col" className={tableStyles["isActions"]}>
                {t("list.actions")}
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <td key={column.title} role="cell" {...marksOf(column)} data-title={column.title}>
                  <div>
                    <Shown value={column.cell(row)} />
                  </div>
                </td>
              ))}
              {actions !== false && (
                <td role="cell" className={tableStyles["isActions"]} data-title={t("list.actions")}>
                  <div>
                    <div className={rowActionsStyles["actions"]}>{actions(row)}</div>
                  </div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// A list that goes on: its rows, what it says where there are none, and the way to more.

export interface EndlessListProps<Row> extends Omit<TableProps<Row>, "rows"> {
  readonly query: UseInfiniteQueryResult<InfiniteData<SearchedPage<Row>>>;
  readonly empty: ReactNode;
  /** Of what was read, where it is shown otherwise. */
  readonly rowsOf?: (items: readonly Row[]) => readonly Row[];
}

export function EndlessList<Row>({ query, empty, rowsOf = (items) => items, ...table }: EndlessListProps<Row>) {
  const t = useTexts();
  const going = useGoingOn(query);
  if (query.isPending) return <Waiting />;
  if (query.isError && query.data === undefined)
    return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  const rows = rowsOf(query.data.pages.flatMap(({ items }) => items));
  return (
    <>
      {rows.length > 0 ? <Table {...table} rows={rows} /> : going.searchedTo === undefined && empty}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <div className={endlessListStyles["end"]}>
        <SearchProgress {...going} />
        {rows.length > 0 && (
          <Button kind="quiet" busy={query.isRefetching} onClick={() => void query.refetch()}>
            {t("list.refresh")}
          </Button>
        )}
        {query.hasNextPage && (
          <Button busy={query.isFetchingNextPage} onClick={going.more}>
            {t("list.more")}
          </Button>
        )}
      </div>
    </>
  );
}

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value>;
  /** Instead of what went wrong, where there is nothing to show. */
  readonly failed?: (error: Error) => ReactNode;
  readonly children: (value: Value) => ReactNode;
}

/**
 * What was read. Where it cannot be read again, it stays, with all that is typed in it, and the page
 * says why it may be old.
 */
export function Loaded<Value>({ query, failed, children }: LoadedProps<Value>) {
  const retry = (): void => void query.refetch();
  if (query.isPending) return <Waiting />;
  if (query.isLoadingError) return failed?.(query.error) ?? <Problem error={query.error} onRetry={retry} />;
  return (
    <>
      {/* That the gateway is away is said for all pages (frame/lost-connection.tsx). */}
      {query.error !== null && !(query.error instanceof Unreachable) && <Problem error={query.error} onRetry={retry} />}
      {children(query.data)}
    </>
  );
}

/** Rows to come, without movement and without a word that is gone before it is read. */
export function Waiting() {
  const t = useTexts();
  return (
    <div className={endlessListStyles["waiting"]} role="status" data-waiting>
      <span className="visuallyHidden">{t("list.waiting")}</span>
      {[0, 1, 2, 3, 4].map((row) => (
        <div key={row} />
      ))}
    </div>
  );
}

// A search that reads a bounded number of rows at a time: it goes on by itself until there is a
// page to show, and says how far it is.

const pageRows = 50;

interface GoingOn {
  readonly isGoing: boolean;
  readonly searchedTo: string | undefined;
  readonly stop: () => void;
  /** As many rows again. */
  readonly more: () => void;
}

function useGoingOn<Row>(query: UseInfiniteQueryResult<InfiniteData<SearchedPage<Row>>>): GoingOn {
  const [wanted, setWanted] = useState(pageRows);
  const found = query.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const searchedTo = query.hasNextPage ? query.data?.pages.at(-1)?.searchedTo : undefined;
  const isGoing = searchedTo !== undefined && found < wanted && !query.isError;
  const { fetchNextPage, isFetchingNextPage } = query;
  useEffect(() => {
    if (isGoing && !isFetchingNextPage) void fetchNextPage();
  }, [isGoing, isFetchingNextPage, fetchNextPage, searchedTo]);
  return {
    isGoing,
    searchedTo,
    stop: () => setWanted(0),
    more: () => {
      setWanted(found + pageRows);
      void fetchNextPage();
    },
  };
}

function SearchProgress({ isGoing, searchedTo, stop }: GoingOn) {
  const t = useTexts();
  if (searchedTo === undefined) return null;
  return (
    <>
      <span role="status">
        {t("messages.searchedTo")} <Moment at={searchedTo} />
      </span>
      {isGoing && (
        <Button kind="quiet" onClick={stop}>
          {t("list.stop")}
        </Button>
      )}
    </>
  );
}
