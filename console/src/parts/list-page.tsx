// A page that is a list: its head, the filters in its address, its rows, and what it says where
// there are none.
import type { ReactNode } from "react";
import { type Asked, type ItemOf, type ListEndpoint, useList } from "../api/queries.ts";
import { type Filter, Filters, useFilterValues, withTimes } from "./filters.tsx";
import { useTexts } from "../texts/texts.ts";
import { Empty, type EmptyProps, PageHead } from "./page.tsx";
import { SaveFile } from "./save-file.tsx";
import { EndlessList, type EndlessListProps } from "./table.tsx";

interface FilteredListProps<Name extends ListEndpoint> extends Omit<EndlessListProps<ItemOf<Name>>, "query" | "empty"> {
  readonly list: Name;
  readonly asked?: Asked;
  readonly filters?: readonly Filter[];
  /** Without filters. */
  readonly none: EmptyProps;
}

/** A list with its filters. */
export function FilteredList<Name extends ListEndpoint>({
  list,
  asked: { params, query: fixed } = {},
  filters = [],
  none,
  ...table
}: FilteredListProps<Name>) {
  const t = useTexts();
  const asked = withTimes(useFilterValues(filters));
  const query = useList(list, { params, query: { ...fixed, ...asked } });
  const isFiltered = Object.keys(asked).length > 0;
  const noneFound = { title: t("list.noneFound"), text: t("list.widen") };
  return (
    <>
      {filters.length > 0 && <Filters filters={filters} />}
      {/* Other filters are another search. */}
      <EndlessList
        key={JSON.stringify(asked)}
        query={query}
        empty={<Empty {...(isFiltered ? noneFound : none)} />}
        {...table}
      />
    </>
  );
}

interface ListPageProps<Name extends ListEndpoint> extends Omit<FilteredListProps<Name>, "name"> {
  readonly title: string;
  readonly lead: string;
  /** Such as adding one. */
  readonly pageActions?: ReactNode;
  /** The list can be saved as a file. */
  readonly hasFile?: true;
  /** What is said above the rows. */
  readonly children?: ReactNode;
}

export function ListPage<Name extends ListEndpoint>({
  title,
  lead,
  pageActions,
  hasFile,
  children,
  ...list
}: ListPageProps<Name>) {
  const { filters = [] } = list;
  const values = withTimes(useFilterValues(filters));
  return (
    <>
      <PageHead
        title={title}
        lead={lead}
        actions={hasFile ? <SaveFile path={list.list.replace("GET ", "")} values={values} /> : pageActions}
      />
      {children}
      <FilteredList {...list} name={title} />
    </>
  );
}
