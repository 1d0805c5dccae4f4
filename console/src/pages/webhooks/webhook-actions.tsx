// Making, changing, testing, switching and removing a webhook, and sending it the events of a time
// again. A secret is shown once.
import { eventTypes } from "../../../../src/sms/event-types.ts";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { endOfDay, readDay, readMoment, startOfDay, typedDay } from "../../format/jalali.ts";
import { type ButtonProps, Check } from "../../parts/controls.tsx";
import { type ControlProps, type FieldSpec, shownText } from "../../parts/field-spec.ts";
import { textsOf } from "../../parts/fields.tsx";
import { FormDialog, ShownOnce, withProblems } from "../../parts/form-dialog.tsx";
import { RemoveDialog } from "../../parts/object-dialog.tsx";
import { Notice } from "../../parts/problem.tsx";
import { Figure } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { leftToRight, type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./webhooks.module.css";

export type Webhook = Answers["GET /accounts/{name}/webhooks"]["items"][number];

export interface WebhookProps {
  readonly account: string;
  readonly webhook: Webhook;
}

const path = "/accounts/{name}/webhooks/{id}";

interface MakeWebhookProps {
  readonly account: string;
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function MakeWebhook({ account, kind = "primary" }: MakeWebhookProps) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("webhooks.make")}
      kind={kind}
      title={t("webhooks.make")}
      lead={t("webhooks.makeLead")}
      specs={webhookSpecs(t)}
      initial={{ events: ["message.*"], batchSize: 1 }}
      onSubmit={async (body) => (
        <NewSecret {...await callApi("POST /accounts/{name}/webhooks", { params: { name: account }, body })} />
      )}
    />
  );
}

function webhookSpecs(t: Translate): readonly FieldSpec[] {
  return [
    { name: "name", label: t("object.name"), kind: "text", required: true, typing: { maxLength: 100 } },
    {
      name: "url",
      label: t("webhooks.url"),
      kind: "text",
      required: true,
      hint: t("webhooks.urlHint", { scheme: leftToRight("https") }),
      typing: { dir: "ltr", inputMode: "url", maxLength: 2048 },
    },
    {
      name: "events",
      label: t("webhooks.events"),
      kind: "json",
      control: (own) => <EventBoxes {...own} />,
    },
    {
      name: "batchSize",
      label: t("webhooks.batchSize"),
      kind: "number",
      required: true,
      hint: t("webhooks.batchSizeHint"),
    },
  ];
}

const kindOf = (type: string): string => type.slice(0, type.indexOf("."));
const kinds = [...new Set(eventTypes.map(kindOf))];
/** Everything, each kind of several events, and the events. */
const patterns = [
  "*",
  ...kinds.flatMap((kind) => {
    const types = eventTypes.filter((type) => kindOf(type) === kind);
    return types.length === 1 ? types : [`${kind}.*`, ...types];
  }),
];

function isCovered(pattern: string, wider: string): boolean {
  return pattern !== wider && (wider === "*" || (wider.endsWith(".*") && pattern.startsWith(wider.slice(0, -1))));
}

/** One box for each pattern. A pattern that a program has stored and that has no box is kept. */
function EventBoxes({ value, onChange }: ControlProps) {
  const t = useTexts();
  const chosen = textsOf(value);
  const others = chosen.filter((pattern) => !patterns.includes(pattern));
  return (
    <>
      {[...patterns, ...others].map((pattern) => {
        const isWithin = chosen.some((wider) => isCovered(pattern, wider));
        const isInKind = patterns.includes(`${kindOf(pattern)}.*`) && !pattern.endsWith("*");
        return (
          <div key={pattern} className={isInKind ? styles["within"] : undefined}>
            <Check
              label={`${wordFor(t, `event.${pattern}`, "")} (${leftToRight(pattern)})`}
              checked={isWithin || chosen.includes(pattern)}
              disabled={isWithin}
              onChange={({ target }) => {
                const rest = chosen.filter((each) => each !== pattern && !isCovered(each, pattern));
                onChange(target.checked ? [...rest, pattern] : rest);
              }}
            />
          </div>
        );
      })}
    </>
  );
}

function NewSecret({ name, secret }: { readonly name: string; readonly secret: string }) {
  const t = useTexts();
  return (
    <ShownOnce
      note={t("webhooks.once")}
      values={[
        { name: t("object.name"), text: name },
        { name: t("webhooks.secret"), text: secret },
      ]}
    />
  );
}

export function WebhookActions({ account, webhook: { id, name, enabled } }: WebhookProps) {
  const t = useTexts();
  const params = { name: account, id };
  const about = { name: `GET ${path}`, params } as const;
  const which = enabled ? "disable" : "enable";
  return (
    <>
      <FormDialog
        button={t("connectors.test")}
        title={t("connectors.testTitle", { name })}
        lead={t("webhooks.testLead")}
        submit={t("webhooks.testSend")}
        onSubmit={async () => <TestResult {...await callApi(`POST ${path}/test`, { params })} />}
      />
      <FormDialog
        button={t("object.edit")}
        title={t("object.editTitle", { name })}
        submit={t("object.save")}
        about={about}
        specs={webhookSpecs(t)}
        onSubmit={async (body, { expected }) => {
          await callApi(`PATCH ${path}`, { params, body, expected });
        }}
      />
      <FormDialog
        button={t(`connectors.${which}`)}
        title={t(`webhooks.${which}Title`, { name })}
        lead={t(`webhooks.${which}Lead`)}
        about={about}
        onSubmit={async (_, { expected }) => {
          await callApi(`PATCH ${path}`, { params, body: { enabled: !enabled }, expected });
        }}
      />
      {enabled && <ReplayEvents name={name} params={params} />}
      <FormDialog
        button={t("webhooks.renew")}
        title={t("webhooks.renewTitle", { name })}
        lead={t("webhooks.renewLead")}
        about={about}
        onSubmit={async (_, { expected }) => {
          const { secret } = await callApi(`POST ${path}/secret`, { params, expected });
          return <NewSecret name={name} secret={secret} />;
        }}
      />
      <RemoveDialog name={name} text={t("webhooks.removeText")} path={path} of={{ params }} />
    </>
  );
}

function TestResult({ delivered, durationMs, errorMessage }: Answers["POST /accounts/{name}/webhooks/{id}/test"]) {
  const t = useTexts();
  return (
    <Notice kind={delivered ? "calm" : "alarm"} role="status">
      {delivered ? t("webhooks.testDelivered") : errorMessage} {t("webhooks.milliseconds")}:{" "}
      <Figure value={durationMs} />
    </Notice>
  );
}

const bounds = ["from", "to"] as const;

interface ReplayEventsProps {
  readonly name: string;
  readonly params: { readonly name: string; readonly id: string };
}

/** From one moment to another, in the zone of the viewer and either calendar. */
function ReplayEvents({ name, params }: ReplayEventsProps) {
  const t = useTexts();
  const placeholder = `${typedDay(useLanguage(), "2026-12-21")} 14:05`;
  return (
    <FormDialog
      button={t("webhooks.replay")}
      title={t("webhooks.replayTitle", { name })}
      lead={t("webhooks.replayLead")}
      specs={bounds.map((bound) => ({
        name: bound,
        label: t(bound),
        kind: "text",
        hint: t(`webhooks.${bound}Hint`),
        typing: { dir: "ltr", placeholder },
      }))}
      onSubmit={async (given) => {
        const [from, to] = [readBound(given["from"], startOfDay), readBound(given["to"], endOfDay)];
        if (from === undefined || to === undefined) {
          const errorMessage = t("webhooks.wrongTime");
          throw withProblems(
            [...(from ? [] : ["from"]), ...(to ? [] : ["to"])].map((field) => ({ field, errorMessage })),
          );
        }
        const body = { from: from.toISOString(), to: to.toISOString() };
        const { replayedCount } = await callApi(`POST ${path}/replay`, { params, body });
        return (
          <p>
            {t("webhooks.replayed")} <Figure value={replayedCount} />
          </p>
        );
      }}
    />
  );
}

/** A day, and a time of it. */
function readBound(typed: unknown, ofDay: (day: string) => Date): Date | undefined {
  const [date = "", clock] = shownText(typed).split(/\s+/);
  if (clock !== undefined) return readMoment(date, clock);
  const day = readDay(date);
  return day === undefined ? undefined : ofDay(day);
}
