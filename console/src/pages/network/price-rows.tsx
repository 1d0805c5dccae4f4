// The rows of a tariff, to be changed, added and taken out.
import { useState } from "react";
import { useLineNumbers, useOperatorNames, type Price } from "../../api/objects.ts";
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
  const operators = useOperatorNames();
  const lines = useLineNumbers();
  const [rows, setRows] = useState<readonly TypedPrice[]>(() =>
    value.map((row) => ({ ...row, price: String(row.price) })),
  );
  const set = (index: number, change: Partial<TypedPrice>): void =>
    setRows(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  const all = { value: "*", text: t("routes.all") };
  const plain = (values: readonly string[]) => values.map((each) => ({ value: each, text: each }));
  const choices = {
    operator: [all, ...plain([...operators, "Unknown"])],
    line: [all, ...kinds.map((kind) => ({ value: kind, text: t(`lines.kind.${kind}`) })), ...plain(lines)],
    language: [all, ...languages.map((language) => ({ value: language, text: t(`language.${language}`) }))],
  } as const;
  const title = { operator: t("routes.operator"), line: t("routes.line"), language: t("tariffs.language") } as const;
  return (
    <div className={styles["prices"]}>
      <input type="hidden" name="prices" value={JSON.stringify(rows.map(withNumber))} />
      {rows.map((row, index) => (
        // Rows have no other name than their place.
        <div key={index} className={styles["priceRow"]}>
          {(["operator", "line", "language"] as const).map((key) => (
            <select
              key={key}
              aria-label={`${title[key]} ${index + 1}`}
              className={fieldStyles["select"]}
              value={row[key]}
              onChange={(event) => set(index, { [key]: event.target.value })}
            >
              {withOwn(choices[key], row[key]).map((option) => (
                <option key={option.value} value={option.value}>
                  {option.text}
                </option>
              ))}
            </select>
          ))}
          <input
            aria-label={`${t("tariffs.price")} ${index + 1}`}
            className={fieldStyles["input"]}
            dir="ltr"
            inputMode="numeric"
            value={row.price}
            onChange={(event) => set(index, { price: event.target.value })}
          />
          <Button
            kind="quiet"
            aria-label={t("tariffs.removeRow", { position: index + 1 })}
            onClick={() => setRows(rows.filter((_, at) => at !== index))}
          >
            {"×"}
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => setRows([...rows, { operator: "*", line: "*", language: "*", price: "" }])}>
          {t("tariffs.addRow")}
        </Button>
      </div>
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
