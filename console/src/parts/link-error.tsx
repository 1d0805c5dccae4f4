// The last error of a bind in words, and as the system or the operator told it, to be copied.
import { useTexts } from "../texts/texts.ts";
import type { LiveBind } from "../api/live.ts";
import { Copyable } from "./copyable.tsx";
import { Moment } from "./moment.tsx";
import styles from "./link-error.module.css";

export type LinkErrorProps = Pick<LiveBind, "lastError" | "lastErrorKind" | "lastErrorAt">;

export function LinkError({ lastError, lastErrorKind = "other", lastErrorAt }: LinkErrorProps) {
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
