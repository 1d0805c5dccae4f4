// Declared fields of a form, each with what the API found wrong with it.
import { type ReactNode, useId, useState } from "react";
import { useTexts } from "../texts/texts.ts";
import { Field, LongField, Select } from "./controls.tsx";
import { type ControlProps, type FieldSpec, shownText } from "./field-spec.ts";
import { problemMark } from "./first-problem.ts";
import type { Fields } from "./merge-typed.ts";
import fieldStyles from "./field.module.css";
import styles from "./fields.module.css";

interface DeclaredFieldsProps {
  readonly specs: readonly FieldSpec[];
  readonly values: Fields;
  readonly problemOf: (name: string) => string | undefined;
}

export function DeclaredFields({ specs, values, problemOf }: DeclaredFieldsProps) {
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

function OneField({ spec, value, problem: found }: OneFieldProps) {
  const { name, label, kind, hint, options } = spec;
  // The API calls a field by its key, which nobody sees here.
  const problem = found && (spec.problem ?? found.replace(name, label));
  if (kind === "json") return <OwnControl spec={spec} value={value} problem={problem} />;
  if (kind === "yesNo") return <YesNo spec={spec} value={value} />;
  if (options === undefined) return <TypedField spec={spec} value={value} problem={problem} />;
  const shown = shownText(value);
  return <Select {...{ label, name, hint, problem }} options={withOwn(options, shown)} defaultValue={shown} />;
}

const longKinds: readonly FieldSpec["kind"][] = ["long", "lines", "phones"];
/** In which people write; the other kinds run from left to right. */
const writtenKinds: readonly FieldSpec["kind"][] = ["text", "long", "lines"];

function TypedField({ spec, value, problem }: OneFieldProps) {
  const { name, label, kind, hint, required = false, isLong = false, typing } = spec;
  const dir = writtenKinds.includes(kind) ? "auto" : "ltr";
  const typed = { label, name, hint, problem, required, dir, spellCheck: false, ...typing };
  if (isLong || longKinds.includes(kind)) {
    const text = kind === "long" ? shownText(value) : textsOf(value).join("\n");
    return (
      <div className={styles["whole"]}>
        <LongField {...typed} defaultValue={text} />
      </div>
    );
  }
  const isSecret = kind === "secret";
  return (
    <Field
      type={isSecret ? "password" : "text"}
      autoComplete={isSecret ? "new-password" : "off"}
      inputMode={kind === "number" ? "numeric" : undefined}
      {...typed}
      defaultValue={shownText(value)}
    />
  );
}

/** A value that is not offered is kept. */
export function withOwn(options: NonNullable<FieldSpec["options"]>, value: string): NonNullable<FieldSpec["options"]> {
  return value === "" || options.some((option) => option.value === value)
    ? options
    : [...options, { value, text: value }];
}

/** Keeps the value of the control in a hidden field, as JSON. */
function OwnControl({ spec: { name, label, hint, control, isLabelled = false }, value, problem }: OneFieldProps) {
  const id = useId();
  const [given, setGiven] = useState(value);
  const shown = isLabelled ? undefined : problem;
  return (
    <fieldset
      className={styles["own"]}
      aria-describedby={shown === undefined ? undefined : `${id}-note`}
      {...{ [problemMark]: shown === undefined ? undefined : "" }}
    >
      <legend className={isLabelled ? "visuallyHidden" : undefined}>{label}</legend>
      <input type="hidden" name={name} value={given === undefined ? "" : JSON.stringify(given)} />
      {control?.({ value: given, onChange: setGiven, problem })}
      {hint !== undefined && <p className={fieldStyles["hint"]}>{hint}</p>}
      {shown !== undefined && (
        <p id={`${id}-note`} className={fieldStyles["problem"]}>
          {shown}
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

// Some of a few names, each by a tick.

interface PicksProps extends Pick<ControlProps, "value"> {
  readonly options: readonly PickOption[];
  readonly onChange: (picked: readonly string[]) => void;
}

interface PickOption {
  readonly value: string;
  /** Absent: the value speaks for itself. */
  readonly text?: string;
}

export function Picks({ options, value: chosen, onChange }: PicksProps) {
  const picked = textsOf(chosen);
  const offered = new Set(options.map(({ value }) => value));
  // What is stored and not offered is kept.
  const all: readonly PickOption[] = [
    ...options,
    ...picked.flatMap((value) => (offered.has(value) ? [] : [{ value }])),
  ];
  return (
    <div className={styles["picks"]}>
      {all.map(({ value, text }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={picked.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...picked, value].sort() : picked.filter((each) => each !== value))
            }
          />
          {text ?? <bdi>{value}</bdi>}
        </label>
      ))}
    </div>
  );
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
