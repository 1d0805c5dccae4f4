// The settings of a link as fields of a form.
import { connectorFields } from "../../../../src/connectors/connector-settings.ts";
import { type SetupField, tlsVersions } from "../../../../src/fields/field.ts";
import type { Answers } from "../../api/types.ts";
import { choicesOf } from "../../api/queries.ts";
import { LongField, Select } from "../../parts/controls.tsx";
import { declaredSpecs, initialValues } from "../../parts/declared-specs.tsx";
import type { ControlProps, FieldSpec } from "../../parts/field-spec.ts";
import type { Fields } from "../../parts/merge-typed.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";

/** What a new link begins with: the defaults of the setup file. */
export const newConnector: Fields = { ...initialValues(connectorFields), type: "smpp", port: 2775 };

export function connectorSpecs(t: Translate, { isNew }: { readonly isNew: boolean }): readonly FieldSpec[] {
  const section = t("connectorField.section.link");
  const name: FieldSpec = { name: "name", label: t("object.name"), kind: "text", required: true, section };
  const shared = { paused: "connectors.state.paused", "section.state": "message.state" } as const;
  const specs = declaredSpecs(t, "connectorField", shownFields, shared).map((spec): FieldSpec => {
    if (spec.name === "tls")
      return { ...spec, kind: "json", isLabelled: true, control: (own) => <TlsControl {...own} /> };
    // A new one has no stored password.
    return spec.name === "password" && isNew ? { ...spec, hint: undefined } : spec;
  });
  return [...(isNew ? [name] : []), ...specs];
}

/** Without those that the control of another field has. */
const shownFields = Object.fromEntries(
  Object.entries<SetupField>(connectorFields).filter(([, { within }]) => within === undefined),
);

type Tls = Exclude<Answers["GET /connectors/{name}"]["tls"], boolean> & { readonly key?: string };

type TlsChange = { readonly [Key in keyof Tls]?: Tls[Key] | undefined };

const modes = ["off", "on", "ca", "unverified"] as const;
type TlsMode = (typeof modes)[number];

function TlsControl({ value, onChange, problem }: ControlProps) {
  const t = useTexts();
  const tls = readTls(value);
  const change = (part: TlsChange): void => onChange({ ...tls, ...part });
  return (
    <>
      <Select
        label={t("connectorField.tls")}
        problem={problem}
        value={modeOf(tls)}
        options={modes.map((each) => ({ value: each, text: t(`connectors.tls.${each}`) }))}
        onChoose={(mode) => {
          if (mode === "off") onChange(false);
          else change({ verify: mode !== "unverified", ca: mode === "ca" ? "" : undefined });
        }}
      />
      {tls !== false && tls.verify && tls.ca !== undefined && (
        <LongField
          {...pem}
          label={t("connectors.tlsCa")}
          placeholder="-----BEGIN CERTIFICATE-----"
          value={tls.ca}
          onChange={({ target }) => change({ ca: target.value })}
        />
      )}
      {tls !== false && <OwnCertificate tls={tls} onChange={change} />}
    </>
  );
}

const pem = { dir: "ltr", spellCheck: false } as const;

interface OwnCertificateProps {
  readonly tls: Tls;
  readonly onChange: (part: TlsChange) => void;
}

/** What few operators want: a certificate of this side, or an old version. */
function OwnCertificate({ tls: { cert, key, minVersion }, onChange }: OwnCertificateProps) {
  const t = useTexts();
  return (
    <>
      <LongField
        {...pem}
        label={t("connectors.tlsCert")}
        hint={t("connectors.tlsCertHint")}
        value={cert ?? ""}
        onChange={({ target }) => onChange({ cert: target.value || undefined })}
      />
      {cert !== undefined && (
        <LongField
          {...pem}
          label={t("connectors.tlsKey")}
          hint={t("connectors.tlsKeyHint")}
          value={key ?? ""}
          onChange={({ target }) => onChange({ key: target.value || undefined })}
        />
      )}
      <Select
        label={t("connectors.tlsMinVersion")}
        value={minVersion ?? "1.2"}
        options={choicesOf(tlsVersions)}
        onChoose={(chosen) => onChange({ minVersion: tlsVersions.find((each) => each === chosen) })}
      />
    </>
  );
}

function readTls(value: unknown): false | Tls {
  if (value === true) return { verify: true };
  if (typeof value !== "object" || value === null) return false;
  return { ...value, verify: !("verify" in value && value.verify === false) };
}

function modeOf(tls: false | Tls): TlsMode {
  if (tls === false) return "off";
  if (!tls.verify) return "unverified";
  return tls.ca === undefined ? "on" : "ca";
}
