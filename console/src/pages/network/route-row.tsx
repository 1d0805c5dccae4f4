// One route: whom it is for, its connectors by preference, and its place, which buttons and Alt
// with the arrow keys change.
import { type KeyboardEvent, useId, useRef } from "react";
import { lineKinds } from "../../../../src/sms/sender-line.ts";
import { choicesOf } from "../../api/queries.ts";
import type { Route } from "../../api/types.ts";
import { Button, Options, Select } from "../../parts/controls.tsx";
import { withOwn } from "../../parts/fields.tsx";
import { Figure } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import fieldStyles from "../../parts/field.module.css";
import styles from "./network.module.css";

interface RouteChoices {
  readonly operators: readonly string[];
  readonly lines: readonly string[];
  readonly connectors: readonly string[];
}

interface RouteRowProps {
  readonly route: Route;
  /** From 1. */
  readonly position: number;
  readonly last: number;
  readonly choices: RouteChoices;
  readonly mayChange: boolean;
  readonly problems: string | undefined;
  readonly onMove: (position: number) => void;
  readonly onChange: (route: Route) => void;
  readonly onRemove: () => void;
}

export function RouteRow(props: RouteRowProps) {
  const { route, position, last, mayChange, problems, onMove, onRemove } = props;
  const t = useTexts();
  const row = useRef<HTMLLIElement>(null);
  const byKey = (event: KeyboardEvent): void => {
    // Alt with an arrow opens the list of a choice within the row.
    if (!mayChange || !event.altKey || event.target instanceof HTMLSelectElement) return;
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    onMove(position + step);
  };
  return (
    <li
      ref={row}
      className={styles["route"]}
      // A list that is put in order by keys: each row can be reached.
      tabIndex={mayChange ? 0 : undefined}
      aria-label={t("routes.row", { position, operator: route.operator, line: route.line })}
      onKeyDown={byKey}
    >
      <span className={styles["position"]}>
        <Figure value={position} />
      </span>
      {mayChange ? <RouteFields {...props} /> : <RouteWords route={route} />}
      {mayChange && (
        <div className={styles["moves"]}>
          <Button
            kind="quiet"
            disabled={position === 1}
            aria-label={t("routes.up", { position })}
            onClick={() => onMove(position - 1)}
          >
            {"↑"}
          </Button>
          <Button
            kind="quiet"
            disabled={position === last}
            aria-label={t("routes.down", { position })}
            onClick={() => onMove(position + 1)}
          >
            {"↓"}
          </Button>
          <Button kind="danger" aria-label={t("routes.removeOne", { position })} onClick={onRemove}>
            {t("object.remove")}
          </Button>
        </div>
      )}
      {problems !== undefined && (
        <p className={fieldStyles["problem"]} role="alert">
          {problems}
        </p>
      )}
    </li>
  );
}

function RouteWords({ route: { operator, line, connectors } }: { readonly route: Route }) {
  const t = useTexts();
  return (
    <div className={styles["words"]}>
      <span>
        {t("message.operator")}: <bdi>{operator === "*" ? t("routes.all") : operator}</bdi>
      </span>
      <span>
        {t("message.line")}: <bdi>{line === "*" ? t("routes.all") : line}</bdi>
      </span>
      <span>
        {t("routes.connectors")}: <bdi>{connectors.join(" › ")}</bdi>
      </span>
    </div>
  );
}

function RouteFields({ route, choices, onChange }: RouteRowProps) {
  const t = useTexts();
  const all = { value: "*", text: t("routes.all") };
  const kindOptions = lineKinds.map((kind) => ({ value: kind, text: t(`lines.kind.${kind}`) }));
  const operators = withOwn([all, ...choicesOf([...choices.operators, "Unknown"])], route.operator);
  const lines = withOwn([all, ...kindOptions, ...choicesOf(choices.lines)], route.line);
  return (
    <div className={styles["fields"]}>
      <Select
        label={t("message.operator")}
        value={route.operator}
        options={operators}
        onChoose={(operator) => onChange({ ...route, operator })}
      />
      <Select
        label={t("message.line")}
        value={route.line}
        options={lines}
        onChoose={(line) => onChange({ ...route, line })}
      />
      <Preference
        names={route.connectors}
        known={choices.connectors}
        onChange={(connectors) => onChange({ ...route, connectors })}
      />
    </div>
  );
}

interface PreferenceProps {
  readonly names: readonly string[];
  readonly known: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** The connectors of a route, the preferred one first. */
function Preference({ names, known, onChange }: PreferenceProps) {
  const t = useTexts();
  const id = useId();
  const others = known.filter((name) => !names.includes(name));
  return (
    <div className={[fieldStyles["field"], styles["preference"]].join(" ")} role="group" aria-labelledby={id}>
      <span id={id} className={styles["label"]}>
        {t("routes.connectors")}
      </span>
      <div className={styles["chips"]}>
        {names.map((name, index) => (
          <span key={name} className={styles["chip"]}>
            <bdi>{name}</bdi>
            {index > 0 && (
              <Button
                kind="quiet"
                aria-label={t("routes.prefer", { name })}
                onClick={() => onChange(moved(names, index, index - 1))}
              >
                {"↑"}
              </Button>
            )}
            <Button
              kind="quiet"
              aria-label={t("routes.takeOut", { name })}
              onClick={() => onChange(names.filter((each) => each !== name))}
            >
              {"×"}
            </Button>
          </span>
        ))}
        {others.length > 0 && (
          <select
            aria-label={t("connectors.add")}
            className={fieldStyles["select"]}
            value=""
            onChange={(event) => onChange([...names, event.target.value])}
          >
            <Options options={[{ value: "", text: t("connectors.add") }, ...choicesOf(others)]} />
          </select>
        )}
      </div>
    </div>
  );
}

// The list with one item at another place. Pure.

export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined) return items;
  const others = items.filter((_, index) => index !== from);
  return [...others.slice(0, to), item, ...others.slice(to)];
}
