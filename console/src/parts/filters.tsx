// Filters of a list: kept in the address, so that a link can be shared, and shown as chips that can
// be taken away.
import { Popover } from "radix-ui";
import { type SubmitEvent, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { endOfDay, localDate, rangesUntil, readDay, startOfDay, typedDay } from "../format/jalali.ts";
import { asciiDigits, type Language, localDigits } from "../format/numbers.ts";
import { useLanguage } from "../preferences.ts";
import { type Translate, useTexts } from "../texts/texts.ts";
import { Button, Field, formText, Select } from "./controls.tsx";
import { useFirstProblem } from "./first-problem.ts";
import { Icon } from "./icon.tsx";
import styles from "./filters.module.css";

export interface Filter {
  /** In the address. */
  readonly key: string;
  readonly label: string;
  /**
   * `number`: digits of any script, kept in ASCII. `day`: typed in the calendar of the language,
   * kept as 2026-11-21.
   */
  readonly kind: "text" | "number" | "day" | "choice";
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  /** Of a choice: what counts where nothing is chosen; absent: all. */
  readonly usual?: string;
}

type FilterValues = Readonly<Record<string, string | undefined>>;

export function useFilterValues(filters: readonly Filter[]): FilterValues {
  const [search] = useSearchParams();
  return Object.fromEntries(
    filters.flatMap(({ key }) => {
      const value = search.get(key);
      return value === null || value === "" ? [] : [[key, value]];
    }),
  );
}

export function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const t = useTexts();
  const language = useLanguage();
  const [, setSearch] = useSearchParams();
  const values = useFilterValues(filters);
  const [isOpen, setOpen] = useState(false);
  const set = filters.filter(({ key }) => values[key] !== undefined);
  const change = (given: FilterValues): void =>
    setSearch((old) => {
      const next = new URLSearchParams(old);
      for (const [key, value] of Object.entries(given)) {
        if (value === undefined || value === "") next.delete(key);
        else next.set(key, value);
      }
      return next;
    });
  return (
    <div className={styles["filters"]} role="group" aria-label={t("filter.name")}>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger asChild>
          <Button>{t("filter.open")}</Button>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            className={styles["panel"]}
            align="start"
            sideOffset={6}
            collisionPadding={12}
            aria-label={t("filter.open")}
          >
            <FilterForm
              filters={filters}
              values={values}
              onApply={(given) => {
                change(given);
                setOpen(false);
              }}
            />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {set.map((filter) => (
        <Chip
          key={filter.key}
          name={filter.label}
          value={shownValue(language, filter, values[filter.key] ?? "")}
          onRemove={() => change({ [filter.key]: undefined })}
        />
      ))}
      {set.length > 1 && (
        <Button kind="quiet" onClick={() => change(Object.fromEntries(set.map(({ key }) => [key, undefined])))}>
          {t("filter.clear")}
        </Button>
      )}
    </div>
  );
}

interface ChipProps {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

function Chip({ name, value, onRemove }: ChipProps) {
  const t = useTexts();
  return (
    <span className={styles["chip"]}>
      <span>{name}</span>
      <bdi>{value}</bdi>
      <button type="button" aria-label={t("filter.remove", { name })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

function shownValue(language: Language, { kind, options }: Filter, value: string): string {
  if (kind === "choice") return options?.find((option) => option.value === value)?.text ?? value;
  return kind === "day" ? localDigits(language, typedDay(language, value)) : value;
}

interface FilterFormProps {
  readonly filters: readonly Filter[];
  readonly values: FilterValues;
  readonly onApply: (values: FilterValues) => void;
}

function FilterForm({ filters, values, onApply }: FilterFormProps) {
  const t = useTexts();
  const language = useLanguage();
  const [wrong, setWrong] = useState<ReadonlySet<string>>();
  const form = useRef<HTMLFormElement>(null);
  useFirstProblem(form, wrong);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = event.currentTarget;
    const given = new Map(filters.map((filter) => [filter.key, readValue(filter, formText(typed, filter.key))]));
    const bad = new Set([...given].flatMap(([key, value]) => (value === undefined ? [key] : [])));
    setWrong(bad);
    if (bad.size === 0) onApply(Object.fromEntries(given));
  };
  return (
    <form ref={form} className={styles["form"]} onSubmit={submit}>
      {filters.map(({ key, label, kind, options = [], usual }) =>
        kind === "choice" ? (
          <Select
            key={key}
            name={key}
            label={label}
            defaultValue={values[key] ?? usual ?? ""}
            options={usual === undefined ? [{ value: "", text: t("filter.any") }, ...options] : options}
          />
        ) : (
          <Field
            key={key}
            name={key}
            label={label}
            dir={kind === "text" ? "auto" : "ltr"}
            autoComplete="off"
            spellCheck={false}
            defaultValue={kind === "day" && values[key] !== undefined ? typedDay(language, values[key]) : values[key]}
            placeholder={kind === "day" ? typedDay(language, "2026-11-21") : undefined}
            problem={wrong?.has(key) === true ? t("filter.wrongDay") : undefined}
          />
        ),
      )}
      <Button kind="primary" type="submit">
        {t("filter.apply")}
      </Button>
      {filters.some(({ key }) => key === "since") && (
        <div className={styles["ranges"]}>
          {(["thisWeek", "sevenDays", "thisMonth", "lastMonth"] as const).map((name) => (
            <Button
              key={name}
              kind="quiet"
              onClick={() => onApply({ ...values, ...rangesUntil(language, localDate(new Date()))[name] })}
            >
              {t(`filter.${name}`)}
            </Button>
          ))}
        </div>
      )}
    </form>
  );
}

/** "" takes the filter away; undefined: it cannot be read. */
function readValue({ kind }: Filter, typed: string): string | undefined {
  const text = typed.trim();
  if (text === "") return "";
  if (kind === "day") return readDay(text);
  return kind === "number" ? asciiDigits(text).replace(/[\s()-]/g, "") : text;
}

// The filter of lists by days, and what it asks the API for.

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
