// The tariffs: prices of one part by operator, line and language. The most specific row applies.
import { useList } from "../../api/lists.ts";
import type { Price, Tariff } from "../../api/setup-objects.ts";
import { useAble } from "../../frame/person.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Figure, Rials } from "../../parts/number-text.tsx";
import type { FieldSpec } from "../../parts/object/field-spec.ts";
import { ObjectDialog, type ObjectKind } from "../../parts/object/object-dialog.tsx";
import { RemoveObject } from "../../parts/object/remove-object.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { PriceRows } from "./price-rows.tsx";

const kind: ObjectKind = { path: "/tariffs", nameKey: "name" };

export function TariffsPage() {
  const t = useTexts();
  const mayChange = useAble("accounts");
  const query = useList<"GET /tariffs">("/tariffs");
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
              title={t("tariffs.add")}
              initial={{ prices: [{ operator: "*", line: "*", language: "*", price: "" }] }}
              specs={[{ name: "name", label: t("tariffs.name"), kind: "text", required: true }, prices]}
            />
          )
        }
      />
      <EndlessList
        name={t("tariffs.title")}
        query={query}
        keyOf={({ name }) => name}
        columns={columnsOf(t, mayChange, prices)}
        empty={
          <Empty title={t("tariffs.none")}>
            <p>{t("tariffs.noneText")}</p>
          </Empty>
        }
      />
    </>
  );
}

function columnsOf(t: Translate, mayChange: boolean, prices: FieldSpec): readonly Column<Tariff>[] {
  return [
    { key: "name", title: t("tariffs.name"), cell: ({ name }) => <bdi>{name}</bdi> },
    { key: "rows", title: t("tariffs.rows"), atEnd: true, cell: ({ prices: rows }) => <Figure value={rows.length} /> },
    { key: "range", title: t("tariffs.range"), cell: ({ prices: rows }) => <Range rows={rows} /> },
    ...(mayChange
      ? [
          {
            key: "actions",
            title: t("object.actions"),
            isActions: true,
            cell: ({ name }: Tariff) => (
              <RowActions>
                <ObjectDialog
                  kind={kind}
                  name={name}
                  button={t("object.edit")}
                  emphasis="quiet"
                  title={name}
                  specs={[prices]}
                />
                <RemoveObject kind={kind} name={name} text={t("tariffs.removeText")} />
              </RowActions>
            ),
          },
        ]
      : []),
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
