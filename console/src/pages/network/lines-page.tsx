// The sender lines: what kind each is, which account receives for it, and which links may bring
// messages for it.
import { useAccountNames, useConnectorNames, useList } from "../../api/queries.ts";
import type { Line } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import type { FieldSpec } from "../../parts/object/field-spec.ts";
import { ObjectDialog, type ObjectKind } from "../../parts/object/object-dialog.tsx";
import { Picks } from "../../parts/object/picks.tsx";
import { RemoveObject } from "../../parts/object/remove-object.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { Dialled } from "../../parts/values.tsx";
import { type Translate, isTextKey, useTexts } from "../../texts/texts.ts";

const kind: ObjectKind = { path: "/lines", nameKey: "number" };
const optOutModes = ["honour", "require", "append", "off"] as const;
const lineKinds = ["dedicated", "service", "advertising"] as const;

export function LinesPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  const query = useList<"GET /lines">("/lines");
  const specs = useLineSpecs();
  return (
    <>
      <PageHead
        title={t("lines.title")}
        lead={t("lines.lead")}
        actions={
          mayChange && (
            <ObjectDialog
              kind={kind}
              button={t("lines.add")}
              emphasis="primary"
              title={t("lines.add")}
              initial={{ kind: "dedicated" }}
              specs={[
                { name: "number", label: t("lines.number"), kind: "text", required: true, hint: t("lines.numberHint") },
                ...specs,
              ]}
            />
          )
        }
      />
      <EndlessList
        name={t("lines.title")}
        query={query}
        keyOf={({ number }) => number}
        columns={columnsOf(t, mayChange, specs)}
        empty={
          <Empty title={t("lines.none")}>
            <p>{t("lines.noneText")}</p>
          </Empty>
        }
      />
    </>
  );
}

function useLineSpecs(): readonly FieldSpec[] {
  const t = useTexts();
  const accounts = useAccountNames().map((value) => ({ value, text: value }));
  const connectors = useConnectorNames().map((value) => ({ value }));
  return [
    {
      name: "kind",
      label: t("lines.kind"),
      kind: "choice",
      options: lineKinds.map((value) => ({ value, text: t(`lines.kind.${value}`) })),
    },
    {
      name: "optOut",
      label: t("lines.optOut"),
      kind: "choice",
      options: [
        { value: "", text: t("lines.optOutUsual") },
        ...optOutModes.map((value) => ({ value, text: t(`lines.optOut.${value}`) })),
      ],
      hint: t("lines.optOutHint"),
    },
    {
      name: "inbound",
      label: t("lines.inbound"),
      kind: "choice",
      options: [{ value: "", text: t("lines.inboundNone") }, ...accounts],
      hint: t("lines.inboundHint"),
    },
    {
      name: "connectors",
      label: t("lines.connectors"),
      kind: "json",
      hint: t("lines.connectorsHint"),
      control: (value) => <Picks name="connectors" options={connectors} chosen={value} none="" />,
    },
  ];
}

function columnsOf(t: Translate, mayChange: boolean, specs: readonly FieldSpec[]): readonly Column<Line>[] {
  return [
    { key: "number", title: t("lines.number"), cell: ({ number }) => <Dialled text={number} /> },
    { key: "kind", title: t("lines.kind"), cell: ({ kind: of }) => kindText(t, of) },
    { key: "inbound", title: t("lines.inbound"), cell: ({ inbound }) => inbound !== undefined && <bdi>{inbound}</bdi> },
    {
      key: "connectors",
      title: t("lines.connectors"),
      minor: true,
      cell: ({ connectors }) => <bdi>{connectors?.join(", ") ?? t("lines.allConnectors")}</bdi>,
    },
    ...(mayChange
      ? [
          {
            key: "actions",
            title: t("object.actions"),
            isActions: true,
            cell: ({ number }: Line) => (
              <RowActions>
                <ObjectDialog
                  kind={kind}
                  name={number}
                  button={t("object.edit")}
                  emphasis="quiet"
                  title={number}
                  specs={specs}
                />
                <RemoveObject kind={kind} name={number} text={t("lines.removeText")} />
              </RowActions>
            ),
          },
        ]
      : []),
  ];
}

function kindText(t: Translate, kind: string): string {
  const key = `lines.kind.${kind}`;
  return isTextKey(key) ? t(key) : kind;
}
