// A search that reads a bounded number of rows at a time: it goes on by itself until there is a
// page to show, and says how far it is.
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { SearchedPage } from "../api/lists.ts";
import { useTexts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Moment } from "./moment.tsx";

const pageRows = 50;

export interface GoingOn {
  readonly isGoing: boolean;
  readonly found: number;
  readonly searchedTo: string | undefined;
  readonly stop: () => void;
  /** As many rows again. */
  readonly more: () => void;
}

export function useGoingOn<Row>(query: UseInfiniteQueryResult<InfiniteData<SearchedPage<Row>>>): GoingOn {
  const [wanted, setWanted] = useState(pageRows);
  const found = query.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const searchedTo = query.hasNextPage ? query.data?.pages.at(-1)?.searchedTo : undefined;
  const isGoing = searchedTo !== undefined && found < wanted && !query.isError;
  const { fetchNextPage, isFetchingNextPage } = query;
  useEffect(() => {
    if (isGoing && !isFetchingNextPage) void fetchNextPage();
  }, [isGoing, isFetchingNextPage, fetchNextPage, searchedTo]);
  return {
    ...{ isGoing, found, searchedTo },
    stop: () => setWanted(0),
    more: () => {
      setWanted(found + pageRows);
      void fetchNextPage();
    },
  };
}

export function SearchProgress({ going: { isGoing, found, searchedTo, stop } }: { readonly going: GoingOn }) {
  const t = useTexts();
  if (searchedTo === undefined) return null;
  return (
    <>
      <span role="status">
        {t(found === 0 ? "messages.searching" : "messages.searchedTo")} <Moment at={searchedTo} />
      </span>
      {isGoing && (
        <Button kind="quiet" onClick={stop}>
          {t("list.stop")}
        </Button>
      )}
    </>
  );
}
