// When to send: at once, or on a day of either calendar at an hour.
import { useState } from "react";
import { dayAfter, dayOfWeek, localDate, monthOf, readDay, readMoment, typedDay } from "../format/jalali.ts";
import { formatNumber } from "../format/numbers.ts";
import { formatDay, formatMonth, formatWeekday } from "../format/times.ts";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { Button, Check, Field } from "./controls.tsx";
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

interface ScheduleProps {
  readonly value: ScheduleValue;
  /** What the call with this time was refused for. */
  readonly error?: unknown;
  readonly onChange: (value: ScheduleValue) => void;
}

export function Schedule({ value, error, onChange }: ScheduleProps) {
  const t = useTexts();
  const language = useLanguage();
  /** Another one begins at the month of the day that is chosen. */
  const [calendar, setCalendar] = useState(0);
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
        <>
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
          <div>
            <Button
              onClick={() => {
                onChange({ later: true, day: typedDay(language, dayAfter(localDate(new Date()), 1)), hour: "09:00" });
                setCalendar(calendar + 1);
              }}
            >
              {t("send.tomorrow")}
            </Button>
          </div>
          <Calendar
            key={calendar}
            chosen={readDay(value.day)}
            onChoose={(day) => onChange({ ...value, day: typedDay(language, day) })}
          />
        </>
      )}
    </fieldset>
  );
}

interface CalendarProps {
  /** `2026-11-21` */
  readonly chosen: string | undefined;
  readonly onChoose: (day: string) => void;
}

/** A month of the language's calendar, to choose a day of. */
function Calendar({ chosen, onChoose }: CalendarProps) {
  const t = useTexts();
  const language = useLanguage();
  const today = localDate(new Date());
  const [moved, setMoved] = useState<string>();
  const days = monthOf(language, moved ?? chosen ?? today);
  const [first = today, last = today] = [days[0], days.at(-1)];
  const skipped = dayOfWeek(language, first);
  return (
    <div className={styles["calendar"]} role="group" aria-label={t("send.calendar")}>
      {/* Within a text from right to left the browser mirrors the arrows. */}
      <div className={styles["month"]}>
        <Button
          aria-label={t("send.previousMonth")}
          disabled={first <= today}
          onClick={() => setMoved(dayAfter(first, -1))}
        >
          {"‹"}
        </Button>
        <span aria-live="polite">{formatMonth(language, new Date(`${first}T12:00:00Z`))}</span>
        <Button aria-label={t("send.nextMonth")} onClick={() => setMoved(dayAfter(last, 1))}>
          {"›"}
        </Button>
      </div>
      <div className={styles["days"]}>
        {[0, 1, 2, 3, 4, 5, 6].map((place) => (
          <span key={place} aria-hidden="true">
            {formatWeekday(language, new Date(`${dayAfter(first, place - skipped)}T12:00:00Z`))}
          </span>
        ))}
        {days.map((day, index) => (
          <button
            key={day}
            type="button"
            aria-label={formatDay(language, new Date(`${day}T12:00:00`))}
            aria-pressed={day === chosen}
            aria-current={day === today ? "date" : undefined}
            disabled={day < today}
            style={index === 0 ? { gridColumnStart: skipped + 1 } : undefined}
            onClick={() => onChoose(day)}
          >
            {formatNumber(language, index + 1)}
          </button>
        ))}
      </div>
    </div>
  );
}
