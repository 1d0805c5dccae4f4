// The tariffs: prices of one part by operator, line and language. The most specific row applies.
import { tariffFields } from "../../../../src/fields/network-fields.ts";
import { lineKinds } from "../../../../src/sms/sender-line.ts";
import { choicesOf, useLineNumbers, useOperatorNames } from "../../api/queries.ts";
import type { Price, Tariff } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { DeclaredRows } from "../../parts/declared-rows.tsx";
import type { ControlProps, FieldSpec } from "../../parts/field-spec.ts";
import { ListPage } from "../../parts/list-page.tsx";
import { ObjectActions, ObjectDialog, type ObjectKind } from "../../parts/object-dialog.tsx";
import type { Column } from "../../parts/table.tsx";
import { Figure, Rials } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

const kind: ObjectKind = { path: "/tariffs/{name}", nameKey: "name" };

export function TariffsPage() {
  const t = useTexts();
  const mayChange = useAble("accounts");
  const prices: FieldSpec = {
    name: "prices",
    label: t("tariffs.prices"),
    kind: "json",
    hint: t("tariffs.pricesHint"),
    control: (own) => <PriceRows {...own} />,
  };
  return (
    <ListPage
      list="GET /tariffs"
      title={t("tariffs.title")}
      lead={t("tariffs.lead")}
      pageActions={
        mayChange && (
          <ObjectDialog
            kind={kind}
            button={t("tariffs.add")}
            emphasis="primary"
            initial={{ prices: [everything] }}
            specs={[{ name: "name", label: t("accounts.tariff"), kind: "text", required: true }, prices]}
          />
        )
      }
      keyOf={({ name }) => name}
      columns={columnsOf(t)}
      actions={
        mayChange &&
        (({ name }) => <ObjectActions kind={kind} name={name} specs={[prices]} removeText={t("tariffs.removeText")} />)
      }
      none={{ title: t("tariffs.none"), text: t("tariffs.noneText") }}
    />
  );
}

function columnsOf(t: Translate): readonly Column<Tariff>[] {
  return [
    { title: t("accounts.tariff"), cell: ({ name }) => <bdi>{name}</bdi> },
    { title: t("campaign.rows"), atEnd: true, cell: ({ prices: rows }) => rows.length },
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

const everything = { operator: "*", line: "*", language: "*" } as const;
const languages = ["fa", "en", "other"] as const;

/** The rows of a tariff, to be changed, added and taken out. */
function PriceRows(own: ControlProps) {
  const t = useTexts();
  const all = { value: "*", text: t("routes.all") };
  const operators = choicesOf([...useOperatorNames(), "Unknown"]);
  const lines = [
    ...lineKinds.map((kind) => ({ value: kind, text: t(`lines.kind.${kind}`) })),
    ...choicesOf(useLineNumbers()),
  ];
  const { prices } = tariffFields;
  const ofLanguage = languages.map((language) => ({ value: language, text: t(`language.${language}`) }));
  return prices.kind !== "rows" ? null : (
    <DeclaredRows
      label={t("tariffs.prices")}
      kind={prices}
      {...own}
      initial={everything}
      shown={{
        operator: { title: t("message.operator"), options: [all, ...operators] },
        line: { title: t("message.line"), options: [all, ...lines] },
        language: { title: t("tariffs.language"), options: [all, ...ofLanguage] },
        price: { title: t("tariffs.price") },
      }}
    />
  );
}
