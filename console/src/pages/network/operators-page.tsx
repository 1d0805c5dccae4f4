// The operators: each with a switch that works at once and can be taken back, its prefixes, and the
// numbers that were ported.
import { expectAsShown, getTagged, putTagged } from "../../api/client.ts";
import { useList, useOperatorNames } from "../../api/queries.ts";
import type { Operator, PortedNumber } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Button, Switch } from "../../parts/controls.tsx";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import type { FieldSpec } from "../../parts/object/field-spec.ts";
import { ObjectDialog, type ObjectKind } from "../../parts/object/object-dialog.tsx";
import { RemoveObject } from "../../parts/object/remove-object.tsx";
import { Empty, PageHead, Section } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { Code, Dialled } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { type Turning, useTurning } from "./use-turning.ts";
import styles from "./network.module.css";

const operatorKind: ObjectKind = { path: "/operators", nameKey: "name" };
const portedKind: ObjectKind = { path: "/ported-numbers", nameKey: "number" };

export function OperatorsPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  const query = useList<"GET /operators">("/operators");
  const switching = useTurning(store);
  const specs = operatorSpecs(t);
  return (
    <>
      <PageHead
        title={t("operators.title")}
        lead={t("operators.lead")}
        actions={
          mayChange && (
            <ObjectDialog
              kind={operatorKind}
              button={t("operators.add")}
              emphasis="primary"
              title={t("operators.add")}
              initial={{ enabled: true }}
              specs={[{ name: "name", label: t("operators.name"), kind: "text", required: true }, ...specs]}
            />
          )
        }
      />
      <LastSwitch switching={switching} />
      {switching.error !== undefined && <Problem error={switching.error} />}
      <EndlessList
        name={t("operators.title")}
        query={query}
        keyOf={({ name }) => name}
        columns={columnsOf(t, mayChange, switching)}
        empty={
          <Empty title={t("operators.none")}>
            <p>{t("operators.noneText")}</p>
          </Empty>
        }
      />
      <PortedNumbers />
    </>
  );
}

function columnsOf(t: Translate, mayChange: boolean, switching: Switching): readonly Column<Operator>[] {
  const specs = operatorSpecs(t);
  return [
    {
      key: "switch",
      title: t("operators.sending"),
      cell: (shown) => (
        <Switch
          name={shown.name}
          isOn={shown.enabled}
          text={shown.enabled ? t("operators.on") : t("operators.off")}
          disabled={!mayChange || switching.isBusy(shown.name)}
          onSwitch={(isOn) => switching.turn(shown, isOn)}
        />
      ),
    },
    { key: "name", title: t("operators.name"), cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: "prefixes",
      title: t("operators.prefixes"),
      wide: true,
      cell: ({ prefixes }) => <Code text={prefixes.map((prefix) => `0${prefix}`).join("  ")} />,
    },
    ...(mayChange
      ? [
          {
            key: "actions",
            title: t("object.actions"),
            isActions: true,
            cell: ({ name }: Operator) => (
              <RowActions>
                <ObjectDialog
                  kind={operatorKind}
                  name={name}
                  button={t("object.edit")}
                  emphasis="quiet"
                  title={name}
                  specs={specs}
                />
                <RemoveObject kind={operatorKind} name={name} text={t("operators.removeText")} />
              </RowActions>
            ),
          },
        ]
      : []),
  ];
}

/** What was done last, with the way back. */
function LastSwitch({ switching: { done, turn, isBusy } }: { readonly switching: Switching }) {
  const t = useTexts();
  if (done === undefined) return <div aria-live="polite" />;
  const { now, what: isOn } = done;
  const undo = (
    <Button busy={isBusy(now.name)} onClick={() => turn(now, !isOn)}>
      {t("object.undo")}
    </Button>
  );
  return (
    <div aria-live="polite">
      <Notice kind={isOn ? "calm" : "attention"} action={undo}>
        {t(isOn ? "operators.nowOn" : "operators.nowOff", { name: now.name })}
      </Notice>
    </div>
  );
}

type Switching = Turning<Operator, boolean>;

/** Only what is shown: what somebody has changed meanwhile is told first. */
async function store(shown: Operator, isOn: boolean): Promise<Operator> {
  const path = `/operators/${encodeURIComponent(shown.name)}` as const;
  const { value, etag } = await getTagged<"GET /operators/{name}">(path);
  expectAsShown(value, shown);
  return (await putTagged<"PUT /operators/{name}">(path, { ...value, enabled: isOn }, { etag })).value;
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
  const filters: readonly Filter[] = [{ key: "number", label: t("ported.number"), kind: "number" }];
  const values = useFilterValues(filters);
  const query = useList<"GET /ported-numbers">("/ported-numbers", values);
  const operators = useOperatorNames().map((name) => ({ value: name, text: name }));
  const operator: FieldSpec = { name: "operator", label: t("operators.name"), kind: "choice", options: operators };
  return (
    <Section title={t("ported.title")} lead={t("ported.lead")}>
      <Filters filters={filters} />
      <EndlessList
        name={t("ported.title")}
        query={query}
        keyOf={({ number }) => number}
        columns={portedColumns(t, mayChange, operator)}
        empty={<NonePorted isSearched={values["number"] !== undefined} />}
      />
      {mayChange && (
        <div className={styles["add"]}>
          <ObjectDialog
            kind={portedKind}
            button={t("ported.add")}
            title={t("ported.add")}
            specs={[{ name: "number", label: t("ported.number"), kind: "text", required: true }, operator]}
          />
        </div>
      )}
    </Section>
  );
}

const importExample = "hodhod ported-numbers import numbers.txt";

function NonePorted({ isSearched }: { readonly isSearched: boolean }) {
  const t = useTexts();
  if (isSearched) return <Empty title={t("ported.noneFound")} />;
  return (
    <Empty title={t("ported.none")}>
      <p>{t("ported.noneText")}</p>
      <pre dir="ltr" tabIndex={0}>
        {importExample}
      </pre>
    </Empty>
  );
}

function portedColumns(t: Translate, mayChange: boolean, operator: FieldSpec): readonly Column<PortedNumber>[] {
  return [
    { key: "number", title: t("ported.number"), cell: ({ number }) => <Dialled text={number} /> },
    { key: "operator", title: t("operators.name"), cell: ({ operator: name }) => <bdi>{name}</bdi> },
    {
      key: "source",
      title: t("ported.source"),
      cell: ({ isImported }) => t(isImported ? "ported.imported" : "ported.ofSetup"),
    },
    ...(mayChange
      ? [
          {
            key: "actions",
            title: t("object.actions"),
            isActions: true,
            cell: ({ number, isImported }: PortedNumber) =>
              !isImported && (
                <RowActions>
                  <ObjectDialog
                    kind={portedKind}
                    name={number}
                    button={t("object.edit")}
                    emphasis="quiet"
                    title={number}
                    specs={[operator]}
                  />
                  <RemoveObject kind={portedKind} name={number} text={t("ported.removeText")} />
                </RowActions>
              ),
          },
        ]
      : []),
  ];
}
