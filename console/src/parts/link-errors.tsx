// The last errors of binds in words, and as the system or the operator told them, to be copied.
// Equal ones are told once.
import { useTexts } from "../texts/texts.ts";
import { equalErrors, type FailedBind, latestOf } from "./equal-errors.ts";
import { Copyable, Moment } from "./values.tsx";
import styles from "./link-errors.module.css";

/** `isAlone`: the connector has no other bind, so that its number tells nothing. */
export function LinkErrors({ binds, isAlone }: { readonly binds: readonly FailedBind[]; readonly isAlone: boolean }) {
  return (
    <>
      {equalErrors(binds).map((group) => {
        const latest = latestOf(group);
        if (latest === undefined) return null;
        return (
          <span key={`${latest.lastErrorKind} ${latest.lastError}`} className={styles["line"]}>
            {!isAlone && <Whose group={group} />}
            <LinkError {...latest} />
          </span>
        );
      })}
    </>
  );
}

function Whose({ group }: { readonly group: readonly FailedBind[] }) {
  const t = useTexts();
  const [first] = group;
  return (
    <span className={styles["whose"]}>
      {group.length === 1 && first !== undefined
        ? t("bind.name", { number: first.bind })
        : t("bind.several", { count: group.length })}
      :
    </span>
  );
}

function LinkError({ lastError, lastErrorKind = "other", lastErrorAt }: FailedBind) {
  const t = useTexts();
  if (lastError === undefined) return null;
  return (
    <span className={styles["error"]}>
      <span>{t(`linkError.${lastErrorKind}`)}</span>
      {lastErrorAt !== undefined && <Moment at={lastErrorAt} ago />}
      <Copyable text={lastError} name={t("linkError.text")} whole />
    </span>
  );
}
