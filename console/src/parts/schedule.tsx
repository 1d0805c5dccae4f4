// When to send: at once, or on a day of either calendar at an hour.
import { readMoment, typedDay } from "../format/jalali.ts";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { Check, Field } from "./controls.tsx";
import { fieldProblems } from "./field-problems.ts";
import styles from "./schedule.module.css";

export interface ScheduleValue {
  readonly later: boolean;
  readonly day: string;
  readonly hour: string;
}

export const atOnce: ScheduleValue = { later: false, day: "", hour: "" };

/** Undefined: at once; "wrong": it cannot be read. */
export function readSchedule({ later, day, hour }: ScheduleValue): string | undefined {
  if (!later) return undefined;
  return readMoment(day, hour)?.toISOString() ?? "wrong";
}

const sendAt = "sendAt";

/** Whether the time alone was refused: `Schedule` says so beside it. */
export function isOfSchedule(error: unknown): boolean {
  return fieldProblems(error, [sendAt]).isTold;
}

export interface ScheduleProps {
  readonly value: ScheduleValue;
  /** What the call with this time was refused for. */
  readonly error?: unknown;
  readonly onChange: (value: ScheduleValue) => void;
}

export function Schedule({ value, error, onChange }: ScheduleProps) {
  const t = useTexts();
  const language = useLanguage();
  const isWrong = value.day !== "" && value.hour !== "" && readSchedule(value) === "wrong";
  // The API calls it by the key of the call, which nobody sees here.
  const refused = fieldProblems(error, [sendAt]).problemOf(sendAt)?.replaceAll(sendAt, t("send.time"));
  return (
    <fieldset className={styles["schedule"]}>
      <Check
        label={t("send.later")}
        checked={value.later}
        onChange={(event) => onChange({ ...value, later: event.target.checked })}
      />
      {value.later && (
        <div className={styles["when"]}>
          <Field
            label={t("send.day")}
            dir="ltr"
            autoComplete="off"
            placeholder={typedDay(language, "2026-12-21")}
            value={value.day}
            problem={isWrong ? t("send.wrongTime") : refused}
            onChange={(event) => onChange({ ...value, day: event.target.value })}
          />
          <Field
            label={t("send.hour")}
            dir="ltr"
            autoComplete="off"
            placeholder="09:30"
            value={value.hour}
            onChange={(event) => onChange({ ...value, hour: event.target.value })}
          />
        </div>
      )}
    </fieldset>
  );
}
