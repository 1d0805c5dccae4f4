// The filter of lists by days, and what it asks the API for.
import { endOfDay, startOfDay } from "../format/jalali.ts";
import type { Translate } from "../texts/texts.ts";
import type { Filter, FilterValues } from "./filters.tsx";

export function dayFilters(t: Translate): readonly Filter[] {
  return [
    { key: "since", label: t("filter.since"), kind: "day" },
    { key: "until", label: t("filter.until"), kind: "day" },
  ];
}

/**
 * The days as the API's `from` and `to`: from the beginning of the first to the end of the last,
 * where the viewer is.
 */
export function withTimes({ since, until, ...rest }: FilterValues): FilterValues {
  return {
    ...rest,
    ...(isDay(since) && { from: startOfDay(since).toISOString() }),
    ...(isDay(until) && { to: endOfDay(until).toISOString() }),
  };
}

/** The address is anybody's to write. */
function isDay(day: string | undefined): day is string {
  return day !== undefined && !Number.isNaN(startOfDay(day).getTime());
}
