// The settings of a link as fields: those that an operator's sheet names in words, the others by
// their keys in the setup file.
import { useState } from "react";
import type { Answers } from "../../api/endpoints.ts";
import { LongField, Select } from "../../parts/controls.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
import type { Fields } from "../../parts/merge-typed.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";

/** What a new link begins with: the defaults of the setup file. */
export const newConnector: Fields = {
  type: "smpp",
  port: 2775,
  tls: false,
  bindType: "transceiver",
  binds: 1,
  window: 100,
  partsPerSecond: 0,
  systemType: "",
  serviceType: "",
  validityPeriod: "relative",
  defaultAlphabet: "gsm7",
  sourceTon: "auto",
  sourceNpi: "auto",
  destTon: 1,
  destNpi: 1,
  throttledStatuses: [],
  temporaryStatuses: [],
  permanentStatuses: [],
  longMessages: "udh",
  messageIdFormat: "auto",
  uncertain: "resend",
  responseTimeoutMs: 10_000,
  enquireLinkSeconds: 30,
  inactivitySeconds: 120,
  receiptDeadlineHours: 72,
  receiptGroup: "",
  enabled: true,
};

const same = (...values: readonly string[]) => values.map((value) => ({ value, text: value }));
const numbered = (last: number) => same("auto", ...Array.from({ length: last + 1 }, (_, index) => String(index)));

export interface ConnectorForm {
  readonly isNew: boolean;
}

export function connectorSpecs(t: Translate, { isNew }: ConnectorForm): readonly FieldSpec[] {
  const seldom = (name: string, kind: FieldSpec["kind"], options?: FieldSpec["options"]): FieldSpec => ({
    name,
    label: name,
    kind,
    seldom: true,
    ...(options && { options }),
  });
  return [
    ...linkSpecs(t, isNew),
    ...paceSpecs(t),
    ...switchSpecs(t),
    seldom("systemType", "text"),
    seldom("serviceType", "text"),
    seldom("validityPeriod", "choice", same("relative", "absolute", "none")),
    seldom("defaultAlphabet", "choice", same("gsm7", "latin1", "ascii")),
    seldom("sourceTon", "number", numbered(6)),
    seldom("sourceNpi", "number", numbered(18)),
    seldom("destTon", "number"),
    seldom("destNpi", "number"),
    seldom("throttledStatuses", "list"),
    seldom("temporaryStatuses", "list"),
    seldom("permanentStatuses", "list"),
    seldom("longMessages", "choice", same("udh", "sar", "payload")),
    seldom("messageIdFormat", "choice", same("auto", "decimal", "hex")),
    seldom("uncertain", "choice", same("resend", "hold", "fail")),
    seldom("responseTimeoutMs", "number"),
    seldom("enquireLinkSeconds", "number"),
    seldom("inactivitySeconds", "number"),
    seldom("receiptDeadlineHours", "number"),
    seldom("receiptGroup", "text"),
  ];
}

/** What the operator's sheet says. */
function linkSpecs(t: Translate, isNew: boolean): readonly FieldSpec[] {
  const section = t("connectors.section.link");
  return [
    ...(isNew ? [{ name: "name", label: t("connectors.name"), kind: "text", required: true, section } as const] : []),
    { name: "type", label: t("connectors.type"), kind: "choice", options: same("smpp"), section },
    { name: "host", label: t("connectors.host"), kind: "text", required: true, section },
    { name: "port", label: t("connectors.port"), kind: "number", required: true, section },
    { name: "systemId", label: t("connectors.systemId"), kind: "text", required: true, section },
    {
      name: "password",
      label: t("connectors.password"),
      kind: "secret",
      hint: isNew ? undefined : t("connectors.passwordHint"),
      section,
    },
    {
      name: "tls",
      label: t("connectors.tlsMode"),
      kind: "json",
      isLabelled: true,
      section,
      control: (value, problem) => <TlsControl value={value} problem={problem} />,
    },
  ];
}

function paceSpecs(t: Translate): readonly FieldSpec[] {
  const section = t("connectors.section.pace");
  const options = same("transceiver", "transmitter-receiver");
  return [
    { name: "bindType", label: t("connectors.bindType"), kind: "choice", options, section },
    { name: "binds", label: t("connectors.bindCount"), kind: "number", hint: t("connectors.bindsHint"), section },
    { name: "window", label: t("connectors.windowSize"), kind: "number", hint: t("connectors.windowHint"), section },
    { name: "partsPerSecond", label: t("connectors.pace"), kind: "number", hint: t("connectors.paceHint"), section },
  ];
}

function switchSpecs(t: Translate): readonly FieldSpec[] {
  const section = t("message.state");
  const paused: FieldSpec = {
    name: "paused",
    label: t("connectors.state.paused"),
    kind: "yesNo",
    hint: t("connectors.pausedHint"),
    section,
  };
  return [
    { name: "enabled", label: t("connectors.enabled"), kind: "yesNo", hint: t("connectors.enabledHint"), section },
    paused,
  ];
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
        label={t("connectors.tlsMode")}
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
