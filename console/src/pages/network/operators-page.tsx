// The operators: each with a switch that works at once and can be taken back, its prefixes, and the
// numbers that were ported.
import { callApi, callTagged, expectAsShown } from "../../api/client.ts";
import { choicesOf, useOperatorNames } from "../../api/queries.ts";
import type { Operator, PortedNumber } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Switch } from "../../parts/controls.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import type { Filter } from "../../parts/filters.tsx";
import { FilteredList, ListPage } from "../../parts/list-page.tsx";
import { ObjectActions, ObjectDialog, type ObjectKind } from "../../parts/object-dialog.tsx";
import { Section } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Code, Dialled } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { type Changing, LastChange, useChanging } from "./use-changing.tsx";
import styles from "./network.module.css";

const operatorKind: ObjectKind = { path: "/operators/{name}", nameKey: "name" };
const portedKind: ObjectKind = { path: "/ported-numbers/{name}", nameKey: "number" };

export function OperatorsPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  const switching = useChanging(store);
  const specs = operatorSpecs(t);
  return (
    <>
      <ListPage
        list="GET /operators"
        title={t("operators.title")}
        lead={t("operators.lead")}
        pageActions={
          mayChange && (
            <ObjectDialog
              kind={operatorKind}
              button={t("operators.add")}
              emphasis="primary"
              initial={{ enabled: true }}
              specs={[{ name: "name", label: t("message.operator"), kind: "text", required: true }, ...specs]}
            />
          )
        }
        keyOf={({ name }) => name}
        columns={columnsOf(t, mayChange, switching)}
        actions={
          mayChange &&
          (({ name }) => (
            <ObjectActions kind={operatorKind} name={name} specs={specs} removeText={t("operators.removeText")} />
          ))
        }
        none={{ title: t("operators.none"), text: t("operators.noneText") }}
      >
        <LastChange
          change={switching}
          textOf={({ now: { name }, what: isOn }) => t(isOn ? "operators.nowOn" : "operators.nowOff", { name })}
          opposite={(isOn) => !isOn}
        />
      </ListPage>
      <PortedNumbers />
    </>
  );
}

function columnsOf(t: Translate, mayChange: boolean, switching: Switching): readonly Column<Operator>[] {
  return [
    {
      title: t("operators.sending"),
      cell: (shown) => (
        <Switch
          name={shown.name}
          isOn={shown.enabled}
          text={shown.enabled ? t("operators.on") : t("operators.off")}
          disabled={!mayChange || switching.isBusy(shown.name)}
          onSwitch={(isOn) => switching.change(shown, isOn)}
        />
      ),
    },
    { title: t("message.operator"), cell: ({ name }) => <bdi>{name}</bdi> },
    {
      title: t("operators.prefixes"),
      wide: true,
      cell: ({ prefixes }) => <Code text={prefixes.map((prefix) => `0${prefix}`).join("  ")} />,
    },
  ];
}

type Switching = Changing<Operator, boolean>;

/** Only what is shown: what somebody has changed meanwhile is told first. */
async function store(shown: Operator, isOn: boolean): Promise<Operator> {
  const params = { name: shown.name };
  const { value, etag } = await callTagged("GET /operators/{name}", { params });
  expectAsShown(value, shown);
  return callApi("PUT /operators/{name}", { params, body: { ...value, enabled: isOn }, expected: { etag } });
}

function operatorSpecs(t: Translate): readonly FieldSpec[] {
  return [
    { name: "prefixes", label: t("operators.prefixes"), kind: "list", hint: t("operators.prefixesHint") },
    { name: "enabled", label: t("operators.enabled"), kind: "yesNo", hint: t("operators.enabledHint") },
  ];
}

function PortedNumbers() {
  const t = useTexts();
  const mayChange = useAble("network");
  const filters: readonly Filter[] = [{ key: "number", label: t("number"), kind: "number" }];
  const operators = choicesOf(useOperatorNames());
  const operator: FieldSpec = { name: "operator", label: t("message.operator"), kind: "choice", options: operators };
  return (
    <Section title={t("ported.title")} lead={t("ported.lead")}>
      <FilteredList
        list="GET /ported-numbers"
        name={t("ported.title")}
        filters={filters}
        keyOf={({ number }) => number}
        columns={portedColumns(t)}
        actions={
          mayChange &&
          (({ number, isImported }) =>
            !isImported && (
              <ObjectActions kind={portedKind} name={number} specs={[operator]} removeText={t("ported.removeText")} />
            ))
        }
        none={{
          title: t("ported.none"),
          text: t("ported.noneText"),
          children: (
            <pre dir="ltr" tabIndex={0}>
              {importExample}
            </pre>
          ),
        }}
      />
      {mayChange && (
        <div className={styles["add"]}>
          <ObjectDialog
            kind={portedKind}
            button={t("ported.add")}
            specs={[{ name: "number", label: t("number"), kind: "text", required: true }, operator]}
          />
        </div>
      )}
    </Section>
  );
}

const importExample = "hodhod ported-numbers import numbers.txt";

function portedColumns(t: Translate): readonly Column<PortedNumber>[] {
  return [
    { title: t("number"), cell: ({ number }) => <Dialled text={number} /> },
    { title: t("message.operator"), cell: ({ operator: name }) => <bdi>{name}</bdi> },
    {
      title: t("ported.source"),
      cell: ({ isImported }) => t(isImported ? "ported.imported" : "ported.ofSetup"),
    },
  ];
}
