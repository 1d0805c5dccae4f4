// What needs a person, in order of harm, each with a way to it; or that nothing does.
import { Link } from "wouter";
import type { Attention as Trouble, LiveConnector } from "../../api/live.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { hasPage } from "../../frame/has-page.ts";
import { usePerson } from "../../frame/person.ts";
import type { Language } from "../../language.ts";
import { Notice } from "../../parts/notice.tsx";
import { useLanguage } from "../../preferences.ts";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";
import styles from "./overview.module.css";

const alarms: readonly string[] = ["codesWait", "connectorUnbound", "nodeSilent", "leaseLost"];

export interface AttentionProps {
  readonly troubles: readonly Trouble[];
  readonly connectors: readonly LiveConnector[];
}

export function Attention({ troubles, connectors }: AttentionProps) {
  const t = useTexts();
  const language = useLanguage();
  if (troubles.length === 0)
    return (
      <div className={styles["attention"]}>
        <Notice kind="calm">{calmWords(t, connectors)}</Notice>
      </div>
    );
  return (
    <ul className={styles["attention"]}>
      {troubles.map((trouble) => (
        <li key={`${trouble.kind} ${trouble.name ?? ""}`}>
          <Notice kind={alarms.includes(trouble.kind) ? "alarm" : "attention"} action={<Way trouble={trouble} />}>
            {wordsOf(t, language, trouble)}
          </Notice>
        </li>
      ))}
    </ul>
  );
}

/**
 * A connector that somebody has paused, or that has been unbound for less than a minute, needs
 * nobody, but is no reason to say that all is well with it.
 */
function calmWords(t: Translate, connectors: readonly LiveConnector[]): string {
  const used = connectors.filter(({ enabled }) => enabled);
  const namesOf = (some: readonly LiveConnector[]) =>
    some.map(({ name }) => `\u2068${name}\u2069`).join(t("reports.and"));
  const unbound = used.filter(({ binds }) => !binds.some(({ bound }) => bound));
  if (unbound.length > 0) return t("overview.calmUnbound", { names: namesOf(unbound) });
  const paused = used.filter((each) => each.paused);
  return paused.length > 0 ? t("overview.calmPaused", { names: namesOf(paused) }) : t("overview.calm");
}

function wordsOf(t: Translate, language: Language, trouble: Trouble): string {
  const { kind, name = "", seconds = 0, balance = 0, count = 0, submitted = 0, unanswered = 0 } = trouble;
  const key = trouble.isAtLeast === true ? `trouble.${kind}AtLeast` : `trouble.${kind}`;
  if (!isTextKey(key)) return kind;
  return t(key, {
    name: `\u2068${name}\u2069`,
    span: formatSpan(language, seconds * 1000),
    amount: formatNumber(language, balance),
    count: formatNumber(language, count),
    share: formatNumber(language, (100 * unanswered) / Math.max(1, submitted)),
  });
}

/** Where to act on it; nothing where this person has no such page. */
function Way({ trouble: { kind, name = "" } }: { readonly trouble: Trouble }) {
  const t = useTexts();
  const person = usePerson();
  const { path, isHere } = wayTo(kind, name);
  if (!isHere && !hasPage(person, path)) return null;
  return isHere ? <a href={path}>{t("trouble.look")}</a> : <Link href={path}>{t("trouble.look")}</Link>;
}

function wayTo(kind: string, name: string): { readonly path: string; readonly isHere: boolean } {
  switch (kind) {
    case "codesWait":
    case "messagesWait":
      return { path: "/messages?status=0", isHere: false };
    case "lowCredit":
      return { path: `/accounts/${encodeURIComponent(name)}`, isHere: false };
    case "reviewWaits":
      return { path: "/review", isHere: false };
    case "templatesWait":
      return { path: "/templates?state=pending", isHere: false };
    case "nodeSilent":
    case "leaseLost":
    case "clockOff":
      return { path: "#nodes", isHere: true };
    default:
      return { path: "#connectors", isHere: true };
  }
}
