// A time: short to read, exact on hover and on focus.
import { useLanguage } from "../preferences.ts";
import { exactTime, formatAgo, formatTime } from "../format/times.ts";
import styles from "./moment.module.css";

export interface MomentProps {
  /** ISO 8601 */
  readonly at: string;
  /** Whether the last hour reads as "3 minutes ago". */
  readonly ago?: boolean;
}

export function Moment({ at, ago = false }: MomentProps) {
  const language = useLanguage();
  const time = new Date(at);
  const text = (ago ? formatAgo(language, time, new Date()) : undefined) ?? formatTime(language, time);
  return (
    <time className={styles["moment"]} dateTime={at} tabIndex={0} data-exact={exactTime(time)}>
      {text}
    </time>
  );
}
