// A time: short to read, exact on hover and on focus.
import { useLanguage } from "../preferences.ts";
import { exactTime, formatAgo, formatTime } from "../format/times.ts";
import styles from "./moment.module.css";

export interface MomentProps {
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
    <time className={styles["moment"]} dateTime={at} tabIndex={0} data-exact={exactTime(time)}>
      {shown}
    </time>
  );
}
