// The sender lines: what kind each is, which account receives for it, and which links may bring
// messages for it.
import { lineKinds, optOutModes } from "../../../../src/sms/sender-line.ts";
import { choicesOf, useAccountNames, useConnectorNames } from "../../api/queries.ts";
import type { Line } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import type { FieldSpec } from "../../parts/field-spec.ts";
import { Picks } from "../../parts/fields.tsx";
import { ListPage } from "../../parts/list-page.tsx";
import { ObjectActions, ObjectDialog, type ObjectKind } from "../../parts/object-dialog.tsx";
import type { Column } from "../../parts/table.tsx";
import { Dialled } from "../../parts/values.tsx";
import { isolated, type Translate, useTexts, wordFor } from "../../texts/texts.ts";

const kind: ObjectKind = { path: "/lines/{name}", nameKey: "number" };

export function LinesPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  const specs = useLineSpecs();
  return (
    <ListPage
      list="GET /lines"
      title={t("lines.title")}
      lead={t("lines.lead")}
      pageActions={
        mayChange && (
          <ObjectDialog
            kind={kind}
            button={t("lines.add")}
            emphasis="primary"
            initial={{ kind: "dedicated" }}
            specs={[
              { name: "number", label: t("message.line"), kind: "text", required: true, hint: t("lines.numberHint") },
              ...specs,
            ]}
          />
        )
      }
      keyOf={({ number }) => number}
      columns={columnsOf(t)}
      actions={
        mayChange &&
        (({ number }) => <ObjectActions kind={kind} name={number} specs={specs} removeText={t("lines.removeText")} />)
      }
      none={{ title: t("lines.none"), text: t("lines.noneText") }}
    />
  );
}

function useLineSpecs(): readonly FieldSpec[] {
  const t = useTexts();
  const accounts = choicesOf(useAccountNames());
  const connectors = useConnectorNames().map((value) => ({ value }));
  return [
    {
      name: "kind",
      label: t("statement.kind"),
      kind: "choice",
      options: lineKinds.map((value) => ({ value, text: t(`lines.kind.${value}`) })),
    },
    {
      name: "optOut",
      label: t("optOuts.title"),
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
      control: ({ value, onChange }) => (
        <Picks
          options={connectors}
          value={value}
          onChange={(picked) => onChange(picked.length === 0 ? undefined : picked)}
        />
      ),
    },
  ];
}

function columnsOf(t: Translate): readonly Column<Line>[] {
  return [
    { title: t("message.line"), cell: ({ number }) => <Dialled text={number} /> },
    { title: t("statement.kind"), cell: ({ kind: of }) => wordFor(t, `lines.kind.${of}`, of) },
    {
      title: t("lines.inbound"),
      cell: ({ inbound, receiver }) =>
        inbound === undefined ? (
          receiver !== undefined && t("lines.onlyAccount", { account: isolated(receiver) })
        ) : (
          <bdi>{inbound}</bdi>
        ),
    },
    {
      title: t("lines.connectors"),
      minor: true,
      cell: ({ connectors }) => <bdi>{connectors?.join(", ") ?? t("lines.allConnectors")}</bdi>,
    },
  ];
}
