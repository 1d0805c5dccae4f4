// How single values are shown: figures, numbers and names to copy, times, ids.
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { operatorText } from "../../../src/texts/list-file-texts.ts";
import { dialled, formatNumber } from "../format/numbers.ts";
import { exactTime, formatAgo, formatTime } from "../format/times.ts";
import { useLanguage } from "../preferences.ts";
import { leftToRight, type Translate, useTexts, wordFor } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";
import copyableStyles from "./copyable.module.css";
import momentStyles from "./moment.module.css";
import numberTextStyles from "./number-text.module.css";

export function Figure({ value }: { readonly value: number }) {
  return <>{formatNumber(useLanguage(), value)}</>;
}

/** What stands in a table, or among facts. */
export function Shown({ value }: { readonly value: ReactNode }) {
  return typeof value === "number" ? <Figure value={value} /> : value;
}

/** `97.4 %`; a dash where there is nothing to say it of. */
export function Percent({ value }: { readonly value: number | undefined }) {
  const t = useTexts();
  return value === undefined ? "–" : t("delivery.percent", { share: value });
}

/** `1,390 rials` */
export function Rials({ value }: { readonly value: number }) {
  const t = useTexts();
  return <span className={numberTextStyles["figure"]}>{t("money.rials", { amount: value })}</span>;
}

/** A phone number, a line, an address of the network: as one dials or copies it. */
export function Dialled({ text }: { readonly text: string }) {
  const t = useTexts();
  // Of a person who was erased.
  if (text === "") return <em>{t("number.erased")}</em>;
  return (
    <bdi dir="ltr" className={numberTextStyles["dialled"]}>
      {dialled(text)}
    </bdi>
  );
}

/** A network operator, by the name that people know. */
export function Operator({ name = "" }: { readonly name?: string | undefined }) {
  return <bdi>{operatorText(name)[useLanguage()]}</bdi>;
}

/** Names that programs give: in ASCII and left to right. */
export function Code({ text }: { readonly text: string }) {
  return (
    <bdi dir="ltr" className={numberTextStyles["code"]}>
      {text}
    </bdi>
  );
}

// A time: short to read, exact on hover and on focus.

interface MomentProps {
  /** ISO 8601 */
  readonly at: string;
  /** Whether the last hour reads as "3 minutes ago". */
  readonly ago?: boolean;
  /** Instead of day and time. */
  readonly text?: string;
}

export function Moment({ at, ago = false, text }: MomentProps) {
  const language = useLanguage();
  const time = new Date(at);
  const relative = ago ? formatAgo(language, time, new Date()) : undefined;
  const shown = text ?? relative ?? formatTime(language, time);
  return (
    <time className={momentStyles["moment"]} dateTime={at} tabIndex={0} data-exact={exactTime(language, time)}>
      {shown}
    </time>
  );
}

/** How old the figures of a report are. */
export function CountedUpTo({ asOf }: { readonly asOf: string | undefined }) {
  const t = useTexts();
  const language = useLanguage();
  return asOf === undefined ? t("reports.notYet") : t("reports.asOf", { time: formatTime(language, new Date(asOf)) });
}

/** Lines to choose from: `10001234 (advertising)`. */
export function lineChoices(t: Translate, lines: readonly { readonly number: string; readonly kind: string }[]) {
  return lines.map(({ number, kind }) => ({
    value: number,
    text: `${leftToRight(number)} (${wordFor(t, `lines.kind.${kind}`, kind)})`,
  }));
}

// An id or number that people copy: in ASCII, left to right, shortened in the middle, copied whole
// with a click.

interface CopyableProps {
  readonly text: string;
  /** What it is called where it is read out. */
  readonly name: string;
  /** Shown whole. */
  readonly whole?: boolean;
}

const shownMs = 1500;

export function Copyable({ text, name, whole = false }: CopyableProps) {
  const t = useTexts();
  const [copied, copy] = useCopy(text);
  return (
    <button type="button" className={copyableStyles["copyable"]} title={text} onClick={copy}>
      <span className="visuallyHidden" aria-live="polite">
        {t(copied ? "copy.done" : "copy.name", { name })}
      </span>
      <bdi dir="ltr">{whole ? text : shortened(text)}</bdi>
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

/** `0193a2b4…9f3c` */
export function shortened(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-4)}`;
}

/** Whether it was copied a moment ago, and what copies it. */
export function useCopy(text: string): readonly [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => void copyText(text).then(setCopied)];
}

/** The clipboard is there only behind https and on this machine; elsewhere the older way. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    // Beside the button: a dialog takes the focus back from all that is outside of it.
    (document.activeElement?.parentElement ?? document.body).append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way where there is no clipboard
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// Stands in place of a text that was erased.

export function TextErased() {
  const t = useTexts();
  return <em>{t("message.textErased")}</em>;
}

// The name of an account, with the way to its page; for staff.

export function AccountLink({ name }: { readonly name: string }) {
  return (
    <Link href={`/accounts/${encodeURIComponent(name)}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}

export function CampaignLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Link href={`/campaigns/${id}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}

// What was changed, in words: the kinds of objects as the audit and the plan of a setup file name
// them.

export function kindText(t: Translate, kind: string): string {
  return wordFor(t, `kind.${kind}`, kind);
}

/** There is one of these; its name says no more than its kind. */
export function isNameless(kind: string, name: string): boolean {
  return name === "" || name === kind || name === `${kind}s`;
}
