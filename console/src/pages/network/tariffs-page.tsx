// The tariffs: prices of one part by operator, line and language. The most specific row applies.
import { useState } from "react";
import { choicesOf, useLineNumbers, useList, useOperatorNames } from "../../api/queries.ts";
import type { Price, Tariff } from "../../api/types.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import { withOwn } from "../../parts/fields.tsx";
import { ObjectDialog, type ObjectKind, RemoveObject } from "../../parts/object-dialog.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type Column, EndlessList } from "../../parts/table.tsx";
import { Figure, Rials } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import fieldStyles from "../../parts/field.module.css";
import styles from "./network.module.css";

const kind: ObjectKind = { path: "/tariffs/{name}", nameKey: "name" };

export function TariffsPage() {
  const t = useTexts();
  const mayChange = useAble("accounts");
  const query = useList("GET /tariffs");
  const prices: FieldSpec = {
    name: "prices",
    label: t("tariffs.prices"),
    kind: "json",
    hint: t("tariffs.pricesHint"),
    control: (value) => <PriceRows value={Array.isArray(value) ? (value as readonly Price[]) : []} />,
  };
  return (
    <>
      <PageHead
        title={t("tariffs.title")}
        lead={t("tariffs.lead")}
        actions={
          mayChange && (
            <ObjectDialog
              kind={kind}
              button={t("tariffs.add")}
              emphasis="primary"
              initial={{ prices: [{ operator: "*", line: "*", language: "*", price: "" }] }}
              specs={[{ name: "name", label: t("accounts.tariff"), kind: "text", required: true }, prices]}
            />
          )
        }
      />
      <EndlessList
        name={t("tariffs.title")}
        query={query}
        keyOf={({ name }) => name}
        columns={columnsOf(t)}
        actions={
          mayChange &&
          (({ name }) => (
            <>
              <ObjectDialog kind={kind} name={name} emphasis="quiet" specs={[prices]} />
              <RemoveObject kind={kind} name={name} text={t("tariffs.removeText")} />
            </>
          ))
        }
        empty={<Empty title={t("tariffs.none")} text={t("tariffs.noneText")} />}
      />
    </>
  );
}

function columnsOf(t: Translate): readonly Column<Tariff>[] {
  return [
    { title: t("accounts.tariff"), cell: ({ name }) => <bdi>{name}</bdi> },
    { title: t("tariffs.rows"), atEnd: true, cell: ({ prices: rows }) => <Figure value={rows.length} /> },
    { title: t("tariffs.range"), cell: ({ prices: rows }) => <Range rows={rows} /> },
  ];
}

function Range({ rows }: { readonly rows: readonly Price[] }) {
  const all = rows.map(({ price }) => price);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  if (all.length === 0) return null;
  return (
    <>
      {least !== most && (
        <>
          <Figure value={least} />
          {" – "}
        </>
      )}
      <Rials value={most} />
    </>
  );
}

// The rows of a tariff, to be changed, added and taken out.

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
  const choices = {
    operator: [all, ...choicesOf([...operators, "Unknown"])],
    line: [all, ...kinds.map((kind) => ({ value: kind, text: t(`lines.kind.${kind}`) })), ...choicesOf(lines)],
    language: [all, ...languages.map((language) => ({ value: language, text: t(`language.${language}`) }))],
  } as const;
  const title = { operator: t("message.operator"), line: t("message.line"), language: t("tariffs.language") } as const;
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
      <Button kind="quiet" aria-label={t("tariffs.removeRow", { position })} onClick={onRemove}>
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
