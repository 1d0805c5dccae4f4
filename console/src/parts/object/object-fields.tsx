// The fields of a form, as their descriptions say, each with what the API found wrong with it.
import { type ReactNode, useId } from "react";
import { useTexts } from "../../texts/texts.ts";
import { Field, LongField } from "../controls.tsx";
import { problemMark } from "../first-problem.ts";
import { type FieldSpec, shownText } from "./field-spec.ts";
import type { Fields } from "./merge-typed.ts";
import { textsOf } from "./picks.tsx";
import fieldStyles from "../field.module.css";
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
      {sectionsOf(usual).map(({ title, specs: within }) =>
        title === undefined ? (
          within.map(show)
        ) : (
          <fieldset key={title} className={styles["section"]}>
            <legend>{title}</legend>
            <div className={styles["pair"]}>{within.map(show)}</div>
          </fieldset>
        ),
      )}
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

interface Section {
  readonly title: string | undefined;
  readonly specs: readonly FieldSpec[];
}

/** Neighbours of one section together. */
function sectionsOf(specs: readonly FieldSpec[]): readonly Section[] {
  return specs.reduce<readonly Section[]>((sections, spec) => {
    const last = sections.at(-1);
    if (last === undefined || last.title !== spec.section) return [...sections, { title: spec.section, specs: [spec] }];
    return [...sections.slice(0, -1), { ...last, specs: [...last.specs, spec] }];
  }, []);
}

interface OneFieldProps {
  readonly spec: FieldSpec;
  readonly value: unknown;
  readonly problem: string | undefined;
}

function OneField({ spec, value, problem }: OneFieldProps) {
  const { name, label, kind, hint, required = false } = spec;
  if (kind === "json") return <OwnControl spec={spec} value={value} problem={problem} />;
  if (kind === "yesNo") return <YesNo spec={spec} value={value} />;
  if (kind === "choice") return <Choice spec={spec} value={shownText(value)} problem={problem} />;
  if (kind === "lines" || kind === "phones" || (kind === "list" && spec.isLong === true)) {
    return (
      <div className={styles["whole"]}>
        <LongField
          label={label}
          name={name}
          dir={kind === "lines" ? "auto" : "ltr"}
          defaultValue={textsOf(value).join("\n")}
          hint={hint}
          problem={problem}
          spellCheck={false}
        />
      </div>
    );
  }
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

function OwnControl({ spec: { label, hint, control, isLabelled }, value, problem }: OneFieldProps) {
  const id = useId();
  return (
    <fieldset
      className={styles["own"]}
      aria-describedby={problem === undefined ? undefined : `${id}-note`}
      {...{ [problemMark]: problem === undefined ? undefined : "" }}
    >
      <legend className={isLabelled === true ? "visuallyHidden" : undefined}>{label}</legend>
      {control?.(value)}
      {hint !== undefined && <p className={fieldStyles["hint"]}>{hint}</p>}
      {problem !== undefined && (
        <p id={`${id}-note`} className={fieldStyles["problem"]}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}

function YesNo({ spec: { name, label, hint }, value }: Pick<OneFieldProps, "spec" | "value">) {
  const id = useId();
  return (
    <div className={styles["yesNo"]}>
      <input id={id} name={name} type="checkbox" defaultChecked={value === true} />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && <p className={fieldStyles["hint"]}>{hint}</p>}
    </div>
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
