// Making, changing, testing, switching and removing a webhook, and sending it the events of a time
// again. A secret is shown once.
import { useState } from "react";
import { eventTypes } from "../../../../src/sms/event-types.ts";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { endOfDay, readDay, readMoment, startOfDay, typedDay } from "../../format/jalali.ts";
import { type ButtonProps, Check, Field, formText } from "../../parts/controls.tsx";
import type { FieldSpec } from "../../parts/field-spec.ts";
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
      control: (value) => <EventBoxes stored={value} />,
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
function EventBoxes({ stored }: { readonly stored: unknown }) {
  const t = useTexts();
  // As the API answers it.
  const [chosen, setChosen] = useState((stored ?? []) as readonly string[]);
  const others = chosen.filter((pattern) => !patterns.includes(pattern));
  return (
    <>
      <input type="hidden" name="events" value={JSON.stringify(chosen)} />
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
                setChosen(target.checked ? [...rest, pattern] : rest);
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
        title={t("webhooks.testTitle", { name })}
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
        button={t(`webhooks.${which}`)}
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
      <RemoveDialog
        button={t("webhooks.remove")}
        title={t("webhooks.removeTitle", { name })}
        lead={t("webhooks.removeText")}
        path={path}
        of={{ params }}
      />
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

/** What an empty time of the day means. */
const wholeDay = { from: startOfDay, to: endOfDay } as const;
const bounds = ["from", "to"] as const;
type Bound = (typeof bounds)[number];

interface ReplayEventsProps {
  readonly name: string;
  readonly params: { readonly name: string; readonly id: string };
}

/** From one moment to another, in the zone of the viewer and either calendar. */
function ReplayEvents({ name, params }: ReplayEventsProps) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("webhooks.replay")}
      title={t("webhooks.replayTitle", { name })}
      lead={t("webhooks.replayLead")}
      specs={bounds.map((bound) => ({
        name: bound,
        label: t(bound === "from" ? "filter.since" : "filter.until"),
        kind: "json",
        isLabelled: true,
        control: (_, problem) => <BoundFields bound={bound} problem={problem} />,
      }))}
      onSubmit={async (_, __, form) => {
        const { replayedCount } = await callApi(`POST ${path}/replay`, { params, body: readBounds(t, form) });
        return (
          <p>
            {t("webhooks.replayed")} <Figure value={replayedCount} />
          </p>
        );
      }}
    />
  );
}

function BoundFields({ bound, problem }: { readonly bound: Bound; readonly problem: string | undefined }) {
  const t = useTexts();
  const language = useLanguage();
  const isFrom = bound === "from";
  return (
    <div className={styles["when"]}>
      <Field
        label={t(isFrom ? "filter.since" : "filter.until")}
        name={`${bound}Day`}
        dir="ltr"
        autoComplete="off"
        placeholder={typedDay(language, "2026-12-21")}
        problem={problem}
      />
      <Field
        label={t(isFrom ? "webhooks.fromTime" : "webhooks.toTime")}
        name={`${bound}Time`}
        dir="ltr"
        autoComplete="off"
        placeholder="14:05:30"
        hint={t(isFrom ? "webhooks.fromTimeHint" : "webhooks.toTimeHint")}
      />
    </div>
  );
}

/** Throws what is to be said beside the fields. */
function readBounds(t: Translate, form: HTMLFormElement): Readonly<Record<Bound, string>> {
  const [from, to] = bounds.map((bound) => readBound(form, bound));
  if (from !== undefined && to !== undefined) return { from: from.toISOString(), to: to.toISOString() };
  const wrong = [...(from === undefined ? ["from"] : []), ...(to === undefined ? ["to"] : [])];
  throw withProblems(wrong.map((field) => ({ field, errorMessage: t("webhooks.wrongTime") })));
}

function readBound(form: HTMLFormElement, bound: Bound): Date | undefined {
  const day = formText(form, `${bound}Day`);
  const clock = formText(form, `${bound}Time`).trim();
  if (clock !== "") return readMoment(day, clock);
  const read = readDay(day);
  return read === undefined ? undefined : wholeDay[bound](read);
}
