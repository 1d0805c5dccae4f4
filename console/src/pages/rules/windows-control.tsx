// The windows of sending hours: days and two times of day each. A hidden field holds them as JSON.
import { useState } from "react";
import type { Answers } from "../../api/endpoints.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import objectStyles from "../../parts/object/object.module.css";
import { useTexts } from "../../texts/texts.ts";
import styles from "./rules.module.css";

export type SendingWindow = Answers["GET /sending-hours"]["sendingHours"][number]["windows"][number];

export const weekdays = ["sat", "sun", "mon", "tue", "wed", "thu", "fri"] as const satisfies SendingWindow["days"];

const usual: SendingWindow = { days: weekdays, from: "09:00", to: "21:00" };

export function WindowsControl({ value }: { readonly value: unknown }) {
  const t = useTexts();
  // As the API answers them.
  const [windows, setWindows] = useState(Array.isArray(value) ? (value as readonly SendingWindow[]) : [usual]);
  const given = windows.map(({ days, from, to }) => ({ days, from: timeOf(from), to: timeOf(to) }));
  return (
    <div className={styles["windows"]}>
      <input type="hidden" name="windows" value={JSON.stringify(given)} />
      {windows.map((window, index) => (
        <OneWindow
          // Windows have no names; one that is removed takes the last place with it.
          key={`${String(windows.length)} ${String(index)}`}
          window={window}
          position={index + 1}
          onChange={(changed) => setWindows(windows.with(index, changed))}
          onRemove={() => setWindows(windows.filter((_, other) => other !== index))}
        />
      ))}
      <div>
        <Button onClick={() => setWindows([...windows, usual])}>{t("rules.addWindow")}</Button>
      </div>
    </div>
  );
}

interface OneWindowProps {
  readonly window: SendingWindow;
  readonly position: number;
  readonly onChange: (window: SendingWindow) => void;
  readonly onRemove: () => void;
}

function OneWindow({ window, position, onChange, onRemove }: OneWindowProps) {
  const t = useTexts();
  const turn = (day: string, isOn: boolean): void =>
    onChange({ ...window, days: weekdays.filter((each) => (each === day ? isOn : window.days.includes(each))) });
  return (
    <fieldset className={styles["window"]}>
      <legend>{t("rules.window", { position })}</legend>
      <div className={objectStyles["picks"]}>
        {weekdays.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={window.days.includes(day)}
              onChange={({ target }) => turn(day, target.checked)}
            />
            {t(`rules.day.${day}`)}
          </label>
        ))}
      </div>
      <div className={styles["times"]}>
        {(["from", "to"] as const).map((edge) => (
          <Field
            key={edge}
            label={t(`rules.${edge}`)}
            dir="ltr"
            autoComplete="off"
            value={window[edge]}
            onChange={({ target }) => onChange({ ...window, [edge]: target.value })}
          />
        ))}
        <Button kind="quiet" onClick={onRemove}>
          {t("rules.removeWindow")}
        </Button>
      </div>
    </fieldset>
  );
}

/** `9:00` as `09:00`. */
function timeOf(typed: string): string {
  const text = asciiDigits(typed).trim();
  return /^\d:\d\d$/.test(text) ? `0${text}` : text;
}
