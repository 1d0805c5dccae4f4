// What a setup file would change, what of that it undoes, and the question before it does; or its
// faults.
import { ApiProblem } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Moment } from "../../parts/moment.tsx";
import { isNameless, kindText } from "../../parts/kind-text.ts";
import { Notice } from "../../parts/notice.tsx";
import { Problem } from "../../parts/problem.tsx";
import { whoText } from "../../parts/who.ts";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";
import styles from "./setup.module.css";

export type Applied = Answers["POST /setup"];
type Change = Applied["changes"][number];

/** So many are named in the question; the list behind it has all. */
const mostNamed = 8;

export function Plan({ plan, onApply }: { readonly plan: Applied; readonly onApply: () => Promise<void> }) {
  const t = useTexts();
  const { changes, warnings } = plan;
  return (
    <div className={styles["plan"]} role="status">
      {warnings.map(({ path, line, message, hint }) => (
        <Notice key={`${path} ${message}`} kind="attention">
          <bdi dir="ltr">
            {line !== undefined && `${t("setup.line", { line })} `}
            {path}: {message} {hint}
          </bdi>
        </Notice>
      ))}
      {changes.length === 0 ? (
        <Notice kind="calm">{t("setup.nothing")}</Notice>
      ) : (
        <>
          <h3>{t("setup.wouldChange", { count: changes.length })}</h3>
          <ul className={styles["changes"]} aria-label={t("setup.changes")}>
            {changes.map((change) => (
              <OneChange key={`${change.kind} ${change.name}`} change={change} />
            ))}
          </ul>
          <div>
            <Confirm
              button={t("setup.applyNow")}
              title={t("setup.question", { count: changes.length })}
              text={questionText(t, changes)}
              onConfirm={onApply}
            />
          </div>
        </>
      )}
    </div>
  );
}

function OneChange({ change }: { readonly change: Change }) {
  const t = useTexts();
  const { details, lastChange } = change;
  return (
    <li>
      <strong>{changeText(t, change)}</strong>
      {details.map((detail) => (
        <bdi key={detail} dir="ltr" className={styles["detail"]}>
          {detail}
        </bdi>
      ))}
      {lastChange !== undefined && (
        <p className={styles["undoes"]}>
          {t("setup.undoes", { who: whoText(t, lastChange.who) })} <Moment at={lastChange.at} ago />
        </p>
      )}
    </li>
  );
}

function changeText(t: Translate, { action, kind, name }: Change): string {
  const key = `setup.action.${action}`;
  // The name keeps its own direction (Unicode's first strong isolate).
  const what = isNameless(kind, name) ? kindText(t, kind) : `${kindText(t, kind)} \u2068${name}\u2069`;
  return isTextKey(key) ? t(key, { what }) : what;
}

function questionText(t: Translate, changes: readonly Change[]): string {
  const named = changes.slice(0, mostNamed).map((change) => changeText(t, change));
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [t("setup.more", { count: more })] : [])].join(" · ");
}

/** Each fault with its place in the file. */
export function SetupProblem({ error }: { readonly error: unknown }) {
  const t = useTexts();
  if (!(error instanceof ApiProblem) || error.fields.length === 0) return <Problem error={error} />;
  return (
    <Notice kind="alarm" role="alert">
      {t("setup.faults")}
      <ul className={styles["faults"]}>
        {error.fields.map(({ field, errorMessage }) => (
          <li key={`${field} ${errorMessage}`}>
            <bdi>{errorMessage}</bdi> <code dir="ltr">{field}</code>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
