// The four lists of rules: the fields of each kind, and how one is shown.
import type { ReactNode } from "react";
import type { Answers } from "../../api/types.ts";
import { choicesOf } from "../../api/queries.ts";
import { asciiDigits, localDigits } from "../../format/numbers.ts";
import { Button, Field } from "../../parts/controls.tsx";
import { type ControlProps, type FieldSpec, shownText } from "../../parts/field-spec.ts";
import { Picks, textsOf } from "../../parts/fields.tsx";
import type { Column } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { isolated, type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import type { Rule } from "./rule-list.ts";
import styles from "./rules.module.css";

export type RuleSection = "sendingHours" | "contentRules" | "inboundRules" | "blockLists";

type RulePath = "/sending-hours" | "/content-rules" | "/inbound-rules" | "/block-list-rules";
export type RuleEndpoint = `GET ${RulePath}`;

export interface RuleKind {
  readonly section: RuleSection;
  /** Of the API. */
  readonly path: RulePath;
  readonly specs: readonly FieldSpec[];
  /** What a new one begins with. */
  readonly initial?: Rule;
  readonly columns: readonly Column<Rule>[];
}

interface RuleChoices {
  readonly lines: readonly string[];
  readonly accounts: readonly string[];
}

export function ruleKinds(t: Translate, choices: RuleChoices): readonly RuleKind[] {
  return [
    {
      section: "sendingHours",
      path: "/sending-hours",
      specs: [nameSpec(t), ...hoursSpecs(t), ...scopeSpecs(t)],
      initial: { windows: [usual] },
      columns: [nameColumn(t), ...hoursColumns(t), scopeColumn(t)],
    },
    {
      section: "contentRules",
      path: "/content-rules",
      specs: [nameSpec(t), ...contentSpecs(t), ...scopeSpecs(t)],
      columns: [nameColumn(t), ...contentColumns(t), scopeColumn(t)],
    },
    {
      section: "inboundRules",
      path: "/inbound-rules",
      specs: inboundSpecs(t, choices),
      columns: inboundColumns(t),
    },
    {
      section: "blockLists",
      path: "/block-list-rules",
      specs: [nameSpec(t), ...scopeSpecs(t)],
      columns: [nameColumn(t), scopeColumn(t)],
    },
  ];
}

/** How a rule is called where a button is about it. */
export function nameOfRule({ name, line }: Rule): string {
  return [name, line].find((each) => typeof each === "string") ?? "";
}

function nameSpec(t: Translate): FieldSpec {
  return { name: "name", label: t("object.name"), kind: "text", required: true };
}

function scopeSpecs(t: Translate): readonly FieldSpec[] {
  const section = t("rules.scope");
  return [
    { name: "lines", label: t("lines.title"), kind: "list", hint: t("rules.linesHint"), section },
    { name: "accounts", label: t("accounts.title"), kind: "lines", hint: t("rules.accountsHint"), section },
  ];
}

function hoursSpecs(t: Translate): readonly FieldSpec[] {
  return [
    {
      name: "windows",
      label: t("rules.windows"),
      kind: "json",
      hint: t("rules.windowsHint"),
      control: (own) => <WindowsControl {...own} />,
    },
    { name: "except", label: t("rules.except"), kind: "list", isLong: true, hint: t("rules.exceptHint") },
    { name: "timeZone", label: t("rules.timeZone"), kind: "text", hint: "Asia/Tehran" },
  ];
}

const linkChoices = ["any", "none", "listed"] as const;
const actions = ["review", "refuse"] as const;

function contentSpecs(t: Translate): readonly FieldSpec[] {
  return [
    {
      name: "action",
      label: t("rules.action"),
      kind: "choice",
      options: actions.map((value) => ({ value, text: t(`rules.action.${value}`) })),
    },
    { name: "words", label: t("rules.words"), kind: "lines", hint: t("rules.wordsHint") },
    {
      name: "links",
      label: t("rules.links"),
      kind: "choice",
      options: linkChoices.map((value) => ({ value, text: t(`rules.links.${value}`) })),
    },
    { name: "domains", label: t("rules.domains"), kind: "list", isLong: true, hint: t("rules.domainsHint") },
  ];
}

function inboundSpecs(t: Translate, { lines, accounts }: RuleChoices): readonly FieldSpec[] {
  return [
    { name: "line", label: t("message.line"), kind: "text", required: true, hint: lines.slice(0, 5).join(", ") },
    { name: "words", label: t("rules.inboundWords"), kind: "lines", hint: t("rules.inboundWordsHint") },
    { name: "prefix", label: t("rules.prefix"), kind: "text", hint: t("rules.prefixHint") },
    { name: "account", label: t("message.account"), kind: "choice", options: choicesOf(accounts) },
    { name: "reply", label: t("rules.reply"), kind: "text", hint: t("rules.replyHint") },
    { name: "maxPerHour", label: t("rules.maxPerHour"), kind: "number", hint: t("rules.maxPerHourHint") },
  ];
}

function nameColumn(t: Translate): Column<Rule> {
  return { title: t("object.name"), cell: (rule) => <bdi>{nameOfRule(rule)}</bdi> };
}

function scopeColumn(t: Translate): Column<Rule> {
  return {
    title: t("rules.scope"),
    cell: (rule) => scopeOf(t, rule),
  };
}

/** The lines and accounts that a rule is for. */
export function scopeOf(
  t: Translate,
  { lines, accounts }: { readonly lines?: unknown; readonly accounts?: unknown },
): ReactNode {
  const [ofLines, ofAccounts] = [textsOf(lines), textsOf(accounts)];
  const names = [...ofLines.map((line) => wordFor(t, `lines.kind.${line}`, line)), ...ofAccounts].filter(
    (each) => each !== "*",
  );
  return names.length === 0 ? t("rules.everywhere") : some(t, names);
}

function hoursColumns(t: Translate): readonly Column<Rule>[] {
  return [
    {
      title: t("rules.windows"),
      wide: true,
      cell: ({ windows }) =>
        windowsOf(windows).map(({ days, from, to }, index) => (
          <span key={index} className={styles["line"]}>
            {daysText(t, days)}{" "}
            <span className={styles["span"]}>
              <LocalDigits text={t("rules.span", { from, to })} />
            </span>
          </span>
        )),
    },
    { title: t("rules.except"), cell: ({ except }) => <Dates dates={textsOf(except)} /> },
  ];
}

/** Days that follow one another are told by the first and the last of them. */
const fewestInARow = 3;

function daysText(t: Translate, days: readonly string[]): string {
  if (weekdays.every((day) => days.includes(day))) return t("rules.everyDay");
  return runsOf(days)
    .flatMap((run) => {
      const names = run.map((day) => t(`rules.day.${day}`));
      const [first = "", last = ""] = [names[0], names.at(-1)];
      return names.length < fewestInARow ? names : [t("rules.days", { first, last })];
    })
    .join(t("list.comma"));
}

type Weekday = (typeof weekdays)[number];

function runsOf(days: readonly string[]): readonly (readonly Weekday[])[] {
  const runs: Weekday[][] = [];
  let run: Weekday[] = [];
  for (const day of weekdays) {
    if (!days.includes(day)) run = [];
    else if (run.push(day) === 1) runs.push(run);
  }
  return runs;
}

function LocalDigits({ text }: { readonly text: string }) {
  return <>{localDigits(useLanguage(), text)}</>;
}

function Dates({ dates }: { readonly dates: readonly string[] }) {
  const t = useTexts();
  const language = useLanguage();
  return (
    <>
      {some(
        t,
        dates.map((date) => localDigits(language, date)),
      )}
    </>
  );
}

function contentColumns(t: Translate): readonly Column<Rule>[] {
  return [
    { title: t("rules.words"), wide: true, cell: ({ words }) => some(t, textsOf(words)) },
    {
      title: t("rules.links"),
      cell: ({ links, domains }) => (
        <>
          {wordFor(t, `rules.links.${shownText(links)}`, shownText(links))} {some(t, textsOf(domains))}
        </>
      ),
    },
    {
      title: t("rules.action"),
      cell: ({ action }) => wordFor(t, `rules.action.${shownText(action)}`, shownText(action)),
    },
  ];
}

function inboundColumns(t: Translate): readonly Column<Rule>[] {
  return [
    { title: t("message.line"), cell: (rule) => <bdi dir="ltr">{nameOfRule(rule)}</bdi> },
    {
      title: t("message.text"),
      wide: true,
      cell: ({ words, prefix }) => {
        if (typeof prefix === "string") return t("rules.match.prefix", { prefix: isolated(prefix) });
        return words === undefined ? t("rules.match.any") : some(t, textsOf(words));
      },
    },
    { title: t("message.account"), cell: ({ account }) => <bdi>{shownText(account)}</bdi> },
    { title: t("rules.reply"), cell: ({ reply }) => <span dir="auto">{shownText(reply)}</span> },
  ];
}

/** So many of a list are shown. */
const mostShown = 8;

function some(t: Translate, texts: readonly string[]): ReactNode {
  const more = texts.length - mostShown;
  return (
    <>
      {texts.slice(0, mostShown).map((text, index) => (
        <span key={text}>
          {index > 0 && t("list.comma")}
          <bdi>{text}</bdi>
        </span>
      ))}
      {more > 0 && ` ${t("rules.more", { count: more })}`}
    </>
  );
}

// The windows of sending hours: days and two times of day each.

type SendingWindow = Answers["GET /sending-hours"]["sendingHours"][number]["windows"][number];

export const weekdays = ["sat", "sun", "mon", "tue", "wed", "thu", "fri"] as const satisfies SendingWindow["days"];

const usual: SendingWindow = { days: weekdays, from: "09:00", to: "21:00" };

/** As the API answers them. */
function windowsOf(value: unknown): readonly SendingWindow[] {
  return Array.isArray(value) ? (value as readonly SendingWindow[]) : [];
}

function WindowsControl({ value, onChange }: ControlProps) {
  const t = useTexts();
  const windows = windowsOf(value);
  return (
    <div className={styles["windows"]}>
      {windows.map((window, index) => (
        <OneWindow
          // Windows have no other name than their place.
          key={index}
          window={window}
          position={index + 1}
          onChange={(changed) => onChange(windows.with(index, changed))}
          onRemove={() => onChange(windows.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button onClick={() => onChange([...windows, usual])}>{t("rules.addWindow")}</Button>
      </div>
    </div>
  );
}

interface OneWindowProps {
  readonly window: SendingWindow;
  readonly position: number;
  readonly onChange: (window: SendingWindow) => void;
  readonly onRemove: () => void;
}

function OneWindow({ window, position, onChange, onRemove }: OneWindowProps) {
  const t = useTexts();
  return (
    <fieldset className={styles["window"]}>
      <legend>{t("rules.window", { position })}</legend>
      <Picks
        options={weekdays.map((value) => ({ value, text: t(`rules.day.${value}`) }))}
        value={window.days}
        onChange={(days) => onChange({ ...window, days: weekdays.filter((day) => days.includes(day)) })}
      />
      <div className={styles["times"]}>
        {(["from", "to"] as const).map((edge) => (
          <Field
            key={edge}
            label={t(edge)}
            dir="ltr"
            autoComplete="off"
            value={window[edge]}
            onChange={({ target }) => onChange({ ...window, [edge]: asciiDigits(target.value) })}
            onBlur={() => onChange({ ...window, [edge]: timeOf(window[edge]) })}
          />
        ))}
        <Button kind="quiet" onClick={onRemove}>
          {t("rules.removeWindow")}
        </Button>
      </div>
    </fieldset>
  );
}

/** `9:00` as `09:00`. */
function timeOf(typed: string): string {
  const text = typed.trim();
  return /^\d:\d\d$/.test(text) ? `0${text}` : text;
}
