// The last errors of binds in words, and as the system or the operator told them, to be copied.
// Equal ones are told once: a hundred binds fail by one cause.
import type { Answers } from "../api/types.ts";
import { useTexts } from "../texts/texts.ts";
import { Copyable, Moment } from "./values.tsx";
import styles from "./link-errors.module.css";

/** A bind of the overview, or of the list of connectors. */
type FailedBind = Pick<
  Answers["GET /connectors"]["items"][number]["bindStates"][number],
  "bind" | "lastError" | "lastErrorKind" | "lastErrorAt"
>;

/** `isAlone`: the connector has no other bind, so that its number tells nothing. */
export function LinkErrors({ binds, isAlone }: { readonly binds: readonly FailedBind[]; readonly isAlone: boolean }) {
  const t = useTexts();
  // Times of ISO 8601 in UTC are in the order of their letters. The latest comes first.
  const failed = binds
    .filter(({ lastError }) => lastError !== undefined)
    .toSorted((one, other) => (other.lastErrorAt ?? "").localeCompare(one.lastErrorAt ?? ""));
  return failed.map(({ bind, lastError = "", lastErrorKind = "other", lastErrorAt }, index) => {
    const equal = failed.filter((other) => other.lastError === lastError);
    if (equal[0] !== failed[index]) return null;
    const whose = equal.length === 1 ? t("bind.name", { number: bind }) : t("bind.several", { count: equal.length });
    return (
      <span key={lastError} className={styles["line"]}>
        {!isAlone && <span className={styles["whose"]}>{whose}:</span>}
        <span className={styles["error"]}>
          <span>{t(`linkError.${lastErrorKind}`)}</span>
          {lastErrorAt !== undefined && <Moment at={lastErrorAt} ago />}
          <Copyable text={lastError} name={t("linkError.text")} whole />
        </span>
      </span>
    );
  });
}
