// The settings of a link as fields of a form.
import { useState } from "react";
import { connectorFields } from "../../../../src/connectors/connector-settings.ts";
import { type SetupField, tlsVersions } from "../../../../src/fields/field.ts";
import type { Answers } from "../../api/types.ts";
import { LongField, Select } from "../../parts/controls.tsx";
import { declaredSpecs, initialValues } from "../../parts/declared-specs.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import type { Fields } from "../../parts/merge-typed.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";

/** What a new link begins with: the defaults of the setup file. */
export const newConnector: Fields = { ...initialValues(connectorFields), type: "smpp", port: 2775 };

export function connectorSpecs(t: Translate, { isNew }: { readonly isNew: boolean }): readonly FieldSpec[] {
  const section = t("connectorField.section.link");
  const name: FieldSpec = { name: "name", label: t("object.name"), kind: "text", required: true, section };
  const shared = { paused: "connectors.state.paused", "section.state": "message.state" } as const;
  const specs = declaredSpecs(t, "connectorField", shownFields, shared).map((spec): FieldSpec => {
    if (spec.name === "tls") {
      const control = (value: unknown, problem: string | undefined) => <TlsControl value={value} problem={problem} />;
      return { ...spec, kind: "json", isLabelled: true, control };
    }
    // A new one has no stored password.
    return spec.name === "password" && isNew ? { ...spec, hint: undefined } : spec;
  });
  return [...(isNew ? [name] : []), ...specs];
}

/** Without those that the control of another field has. */
const shownFields = Object.fromEntries(
  Object.entries<SetupField>(connectorFields).filter(([, { within }]) => within === undefined),
);

type Tls = Exclude<Answers["GET /connectors/{name}"]["tls"], boolean>;

type TlsMode = "off" | "on" | "ca" | "unverified";

function TlsControl({ value, problem }: { readonly value: unknown; readonly problem: string | undefined }) {
  const t = useTexts();
  const stored = readTls(value);
  const [mode, setMode] = useState<TlsMode>(modeOf(stored));
  const [ca, setCa] = useState(stored === false ? "" : (stored.ca ?? ""));
  const [cert, setCert] = useState(stored === false ? "" : (stored.cert ?? ""));
  const [key, setKey] = useState("");
  const [minVersion, setMinVersion] = useState(stored === false ? undefined : stored.minVersion);
  const given: false | (Tls & { readonly key?: string }) =
    mode === "off"
      ? false
      : {
          verify: mode !== "unverified",
          ...(mode !== "on" && ca.trim() !== "" && { ca }),
          ...(cert.trim() !== "" && { cert }),
          ...(key.trim() !== "" && { key }),
          ...(minVersion !== undefined && { minVersion }),
        };
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
      {mode !== "off" && (
        <OwnCertificate
          cert={cert}
          setCert={setCert}
          secretKey={key}
          setKey={setKey}
          version={minVersion}
          setVersion={setMinVersion}
        />
      )}
    </>
  );
}

interface OwnCertificateProps {
  readonly cert: string;
  readonly setCert: (pem: string) => void;
  readonly secretKey: string;
  readonly setKey: (pem: string) => void;
  readonly version: Tls["minVersion"];
  readonly setVersion: (version: Tls["minVersion"]) => void;
}

/** What few operators want: a certificate of this side, or an old version. */
function OwnCertificate({ cert, setCert, secretKey, setKey, version, setVersion }: OwnCertificateProps) {
  const t = useTexts();
  const pem = { dir: "ltr", spellCheck: false } as const;
  return (
    <>
      <LongField
        {...pem}
        label={t("connectors.tlsCert")}
        hint={t("connectors.tlsCertHint")}
        value={cert}
        onChange={(event) => setCert(event.target.value)}
      />
      {cert.trim() !== "" && (
        <LongField
          {...pem}
          label={t("connectors.tlsKey")}
          hint={t("connectors.tlsKeyHint")}
          value={secretKey}
          onChange={(event) => setKey(event.target.value)}
        />
      )}
      <Select
        label={t("connectors.tlsMinVersion")}
        value={version ?? "1.2"}
        options={tlsVersions.map((each) => ({ value: each, text: each }))}
        onChoose={(chosen) => setVersion(tlsVersions.find((each) => each === chosen))}
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
