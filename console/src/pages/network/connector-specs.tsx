// The settings of a link as fields of a form.
import { useState } from "react";
import { connectorFields } from "../../../../src/connectors/connector-settings.ts";
import type { Answers } from "../../api/endpoints.ts";
import { LongField, Select } from "../../parts/controls.tsx";
import { declaredSpecs, initialValues } from "../../parts/declared-specs.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import type { Fields } from "../../parts/merge-typed.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";

/** What a new link begins with: the defaults of the setup file. */
export const newConnector: Fields = { ...initialValues(connectorFields), type: "smpp", port: 2775 };

export function connectorSpecs(t: Translate, { isNew }: { readonly isNew: boolean }): readonly FieldSpec[] {
  const section = t("connectorField.section.link");
  const name: FieldSpec = { name: "name", label: t("connectors.name"), kind: "text", required: true, section };
  const shared = { paused: "connectors.state.paused", "section.state": "message.state" } as const;
  const specs = declaredSpecs(t, "connectorField", connectorFields, shared).map((spec): FieldSpec => {
    if (spec.name === "tls") {
      const control = (value: unknown, problem: string | undefined) => <TlsControl value={value} problem={problem} />;
      return { ...spec, kind: "json", isLabelled: true, control };
    }
    // A new one has no stored password.
    return spec.name === "password" && isNew ? { ...spec, hint: undefined } : spec;
  });
  return [...(isNew ? [name] : []), ...specs];
}

type Tls = Exclude<Answers["GET /connectors/{name}"]["tls"], boolean>;

type TlsMode = "off" | "on" | "ca" | "unverified";

function TlsControl({ value, problem }: { readonly value: unknown; readonly problem: string | undefined }) {
  const t = useTexts();
  const stored = readTls(value);
  const [mode, setMode] = useState<TlsMode>(modeOf(stored));
  const [ca, setCa] = useState(stored === false ? "" : (stored.ca ?? ""));
  const given: false | Tls =
    mode === "off" ? false : { verify: mode !== "unverified", ...(mode !== "on" && ca.trim() !== "" && { ca }) };
  return (
    <>
      <input type="hidden" name="tls" value={JSON.stringify(given)} />
      <Select
        label={t("connectorField.tls")}
        problem={problem}
        value={mode}
        options={(["off", "on", "ca", "unverified"] as const).map((each) => ({
          value: each,
          text: t(`connectors.tls.${each}`),
        }))}
        onChoose={(chosen) => setMode(chosen as TlsMode)}
      />
      {mode === "ca" && (
        <LongField
          label={t("connectors.tlsCa")}
          dir="ltr"
          spellCheck={false}
          placeholder="-----BEGIN CERTIFICATE-----"
          value={ca}
          onChange={(event) => setCa(event.target.value)}
        />
      )}
    </>
  );
}

function readTls(value: unknown): false | Tls {
  if (value === true) return { verify: true };
  if (typeof value !== "object" || value === null) return false;
  const { ca, verify } = value as { readonly ca?: unknown; readonly verify?: unknown };
  return { verify: verify !== false, ...(typeof ca === "string" && { ca }) };
}

function modeOf(tls: false | Tls): TlsMode {
  if (tls === false) return "off";
  if (!tls.verify) return "unverified";
  return tls.ca === undefined ? "on" : "ca";
}
