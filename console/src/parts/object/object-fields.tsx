// The fields of a form, as their descriptions say, each with what the API found wrong with it.
import { useId, type ReactNode } from "react";
import { useTexts } from "../../texts/texts.ts";
import { Field } from "../field.tsx";
import fieldStyles from "../field.module.css";
import { shownText, type FieldSpec } from "./field-spec.ts";
import type { Fields } from "./merge-typed.ts";
import styles from "./object.module.css";

export interface ObjectFieldsProps {
  readonly specs: readonly FieldSpec[];
  readonly values: Fields;
  readonly problemOf: (name: string) => string | undefined;
}

export function ObjectFields({ specs, values, problemOf }: ObjectFieldsProps) {
  const t = useTexts();
  const usual = specs.filter(({ seldom }) => seldom !== true);
  const seldom = specs.filter((spec) => spec.seldom === true);
  const show = (spec: FieldSpec): ReactNode => (
    <OneField key={spec.name} spec={spec} value={values[spec.name]} problem={problemOf(spec.name)} />
  );
  return (
    <>
      {usual.map(show)}
      {seldom.length > 0 && (
        <details
          className={styles["seldom"]}
          open={seldom.some(({ name }) => problemOf(name) !== undefined) || undefined}
        >
          <summary>{t("object.seldom")}</summary>
          <div className={styles["pair"]}>{seldom.map(show)}</div>
        </details>
      )}
    </>
  );
}

interface OneFieldProps {
  readonly spec: FieldSpec;
  readonly value: unknown;
  readonly problem: string | undefined;
}

function OneField({ spec, value, problem }: OneFieldProps) {
  const { name, label, kind, hint, required = false } = spec;
  const id = useId();
  if (kind === "json") {
    return (
      <fieldset className={styles["own"]} aria-describedby={problem === undefined ? undefined : `${id}-note`}>
        <legend>{label}</legend>
        {spec.control?.(value)}
        {hint !== undefined && <p className={fieldStyles["hint"]}>{hint}</p>}
        {problem !== undefined && (
          <p id={`${id}-note`} className={fieldStyles["problem"]}>
            {problem}
          </p>
        )}
      </fieldset>
    );
  }
  if (kind === "yesNo") {
    return (
      <div className={styles["yesNo"]}>
        <input id={id} name={name} type="checkbox" defaultChecked={value === true} />
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && <p className={fieldStyles["hint"]}>{hint}</p>}
      </div>
    );
  }
  if (kind === "choice") return <Choice spec={spec} value={shownText(value)} problem={problem} />;
  return (
    <Field
      label={label}
      name={name}
      type={kind === "secret" ? "password" : "text"}
      autoComplete={kind === "secret" ? "new-password" : "off"}
      dir={kind === "text" ? "auto" : "ltr"}
      inputMode={kind === "number" ? "numeric" : undefined}
      defaultValue={kind === "secret" && value === undefined ? "" : shownText(value)}
      hint={hint}
      problem={problem}
      required={required}
      spellCheck={false}
    />
  );
}

function Choice({
  spec: { name, label, hint, options = [] },
  value,
  problem,
}: OneFieldProps & { readonly value: string }) {
  const id = useId();
  const note = problem ?? hint;
  // A value that is not offered is kept.
  const all =
    options.some((option) => option.value === value) || value === "" ? options : [{ value, text: value }, ...options];
  return (
    <div className={fieldStyles["field"]}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        className={fieldStyles["select"]}
        defaultValue={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      >
        {all.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? fieldStyles["hint"] : fieldStyles["problem"]}>
          {note}
        </p>
      )}
    </div>
  );
}
