// The rows of a tariff, to be changed, added and taken out.
import { useState } from "react";
import { useLineNumbers, useOperatorNames } from "../../api/objects.ts";
import type { Price } from "../../api/setup-objects.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button } from "../../parts/button.tsx";
import fieldStyles from "../../parts/field.module.css";
import { useTexts } from "../../texts/texts.ts";
import styles from "./network.module.css";

interface TypedPrice extends Omit<Price, "price"> {
  /** As it is typed. */
  readonly price: string;
}

const kinds = ["dedicated", "service", "advertising"] as const;
const languages = ["fa", "en", "other"] as const;

export function PriceRows({ value }: { readonly value: readonly Price[] }) {
  const t = useTexts();
  const [rows, setRows] = useState<readonly TypedPrice[]>(() =>
    value.map((row) => ({ ...row, price: String(row.price) })),
  );
  const set = (index: number, change: Partial<TypedPrice>): void =>
    setRows(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <div className={styles["prices"]}>
      <input type="hidden" name="prices" value={JSON.stringify(rows.map(withNumber))} />
      {rows.map((row, index) => (
        // Rows have no other name than their place.
        <PriceRow
          key={index}
          row={row}
          position={index + 1}
          onChange={(change) => set(index, change)}
          onRemove={() => setRows(rows.filter((_, at) => at !== index))}
        />
      ))}
      <div>
        <Button onClick={() => setRows([...rows, { operator: "*", line: "*", language: "*", price: "" }])}>
          {t("tariffs.addRow")}
        </Button>
      </div>
    </div>
  );
}

interface PriceRowProps {
  readonly row: TypedPrice;
  readonly position: number;
  readonly onChange: (change: Partial<TypedPrice>) => void;
  readonly onRemove: () => void;
}

function PriceRow({ row, position, onChange, onRemove }: PriceRowProps) {
  const t = useTexts();
  const operators = useOperatorNames();
  const lines = useLineNumbers();
  const all = { value: "*", text: t("routes.all") };
  const plain = (values: readonly string[]) => values.map((each) => ({ value: each, text: each }));
  const choices = {
    operator: [all, ...plain([...operators, "Unknown"])],
    line: [all, ...kinds.map((kind) => ({ value: kind, text: t(`lines.kind.${kind}`) })), ...plain(lines)],
    language: [all, ...languages.map((language) => ({ value: language, text: t(`language.${language}`) }))],
  } as const;
  const title = { operator: t("routes.operator"), line: t("routes.line"), language: t("tariffs.language") } as const;
  return (
    <div className={styles["priceRow"]}>
      {(["operator", "line", "language"] as const).map((key) => (
        <select
          key={key}
          aria-label={`${title[key]} ${position}`}
          className={fieldStyles["select"]}
          value={row[key]}
          onChange={(event) => onChange({ [key]: event.target.value })}
        >
          {withOwn(choices[key], row[key]).map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      ))}
      <input
        aria-label={`${t("tariffs.price")} ${position}`}
        className={fieldStyles["input"]}
        dir="ltr"
        inputMode="numeric"
        value={row.price}
        onChange={(event) => onChange({ price: event.target.value })}
      />
      <Button kind="quiet" aria-label={t("tariffs.removeRow", { position: position })} onClick={onRemove}>
        {"×"}
      </Button>
    </div>
  );
}

/** What is no number goes as it is: the API says what it must be. */
function withNumber({ price, ...others }: TypedPrice): object {
  const digits = asciiDigits(price).replace(/[,٬\s]/g, "");
  return { ...others, price: /^\d{1,15}$/.test(digits) ? Number(digits) : price };
}

function withOwn(options: readonly { readonly value: string; readonly text: string }[], value: string) {
  return options.some((option) => option.value === value) ? options : [...options, { value, text: value }];
}
