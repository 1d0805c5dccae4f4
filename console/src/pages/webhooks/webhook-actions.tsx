// Making, changing, testing, switching and removing a webhook. A secret is shown once.
import { useQueryClient } from "@tanstack/react-query";
import { ApiProblem, callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { endOfDay, readDay, readMoment, startOfDay, typedDay } from "../../format/jalali.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { ConfirmRemoval } from "../../parts/confirm-removal.tsx";
import { type ButtonProps, Field, LongField, formText } from "../../parts/controls.tsx";
import { type FieldProblems, FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/problem.tsx";
import { TaggedFields, tagOf } from "../../parts/tagged-fields.tsx";
import { Copyable, Figure } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
import styles from "./webhooks.module.css";

/** Examples in the hint, each read from left to right. */
const patterns = { one: "\u2066message.delivered\u2069", messages: "\u2066message.*\u2069", all: "\u2066*\u2069" };

const fields = ["name", "url", "events", "batchSize"] as const;

interface MakeWebhookProps {
  readonly account: string;
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function MakeWebhook({ account, kind = "primary" }: MakeWebhookProps) {
  const t = useTexts();
  const changed = useWebhooksChanged(account);
  return (
    <FormDialog
      button={t("webhooks.make")}
      kind={kind}
      title={t("webhooks.make")}
      lead={t("webhooks.makeLead")}
      submit={t("webhooks.make")}
      fields={fields}
      onSubmit={async (form) => {
        const body = readFields(form);
        const made = await callApi<"POST /accounts/{name}/webhooks">("POST", webhooksPath(account), { body });
        await changed();
        return <NewSecret name={made.name} secret={made.secret} />;
      }}
    >
      {(problemOf) => <WebhookFields problemOf={problemOf} />}
    </FormDialog>
  );
}

function WebhookFields({ webhook, problemOf }: { readonly webhook?: Webhook; readonly problemOf: FieldProblems }) {
  const t = useTexts();
  const plain = { dir: "ltr", autoComplete: "off", spellCheck: false } as const;
  return (
    <>
      <Field
        label={t("webhooks.name")}
        name="name"
        dir="auto"
        autoComplete="off"
        required
        maxLength={100}
        defaultValue={webhook?.name}
        problem={problemOf("name")}
      />
      <Field
        {...plain}
        label={t("webhooks.url")}
        name="url"
        inputMode="url"
        required
        maxLength={2048}
        defaultValue={webhook?.url}
        hint={t("webhooks.urlHint", { scheme: "\u2066https\u2069" })}
        problem={problemOf("url")}
      />
      <LongField
        {...plain}
        label={t("webhooks.events")}
        name="events"
        rows={3}
        required
        defaultValue={(webhook?.events ?? ["message.*"]).join("\n")}
        hint={t("webhooks.eventsHint", patterns)}
        problem={problemOf("events")}
      />
      <Field
        {...plain}
        label={t("webhooks.batchSize")}
        name="batchSize"
        inputMode="numeric"
        required
        defaultValue={String(webhook?.batchSize ?? 1)}
        hint={t("webhooks.batchSizeHint")}
        problem={problemOf("batchSize")}
      />
    </>
  );
}

/** What is no number goes as it is, so that the API says so. */
function readFields(form: HTMLFormElement): object {
  const batchSize = asciiDigits(formText(form, "batchSize").trim());
  return {
    name: formText(form, "name").trim(),
    url: formText(form, "url").trim(),
    events: formText(form, "events")
      .split(/[\s,،]+/)
      .filter((pattern) => pattern !== ""),
    batchSize: /^[0-9]{1,9}$/.test(batchSize) ? Number(batchSize) : batchSize,
  };
}

function NewSecret({ name, secret }: { readonly name: string; readonly secret: string }) {
  const t = useTexts();
  return (
    <>
      <Notice kind="attention" role="status">
        {t("webhooks.once")}
      </Notice>
      <div className={styles["secret"]}>
        <bdi>{name}</bdi>
        <Copyable text={secret} name={t("webhooks.secret")} whole />
      </div>
    </>
  );
}

/** Only as the form knows it. */
function ifMatch(form: HTMLFormElement): Readonly<Record<string, string>> {
  return { "if-match": tagOf(form).etag };
}

/** For a form that has nothing to fill in, but is about the present state all the same. */
function PresentState({ path }: { readonly path: ReturnType<typeof pathOf> }) {
  return <TaggedFields<"GET /accounts/{name}/webhooks/{id}"> path={path}>{() => null}</TaggedFields>;
}

export function ChangeWebhook(props: WebhookProps) {
  const t = useTexts();
  const path = pathOf(props);
  const changed = useWebhooksChanged(props.account);
  return (
    <FormDialog
      button={t("webhooks.change")}
      title={t("webhooks.changeTitle", { name: props.webhook.name })}
      submit={t("object.save")}
      fields={fields}
      onSubmit={async (form) => {
        await callApi("PATCH", path, { body: readFields(form), headers: ifMatch(form) });
        await changed();
      }}
    >
      {(problemOf) => (
        <TaggedFields<"GET /accounts/{name}/webhooks/{id}"> path={path}>
          {(seen) => <WebhookFields webhook={seen} problemOf={problemOf} />}
        </TaggedFields>
      )}
    </FormDialog>
  );
}

export function SwitchWebhook(props: WebhookProps) {
  const t = useTexts();
  const changed = useWebhooksChanged(props.account);
  const { enabled, name } = props.webhook;
  const which = enabled ? "disable" : "enable";
  return (
    <FormDialog
      button={t(`webhooks.${which}`)}
      title={t(`webhooks.${which}Title`, { name })}
      lead={t(`webhooks.${which}Lead`)}
      submit={t(`webhooks.${which}`)}
      onSubmit={async (form) => {
        await callApi("PATCH", pathOf(props), { body: { enabled: !enabled }, headers: ifMatch(form) });
        await changed();
      }}
    >
      <PresentState path={pathOf(props)} />
    </FormDialog>
  );
}

export function TestWebhook(props: WebhookProps) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("webhooks.test")}
      title={t("webhooks.testTitle", { name: props.webhook.name })}
      lead={t("webhooks.testLead")}
      submit={t("webhooks.testSend")}
      onSubmit={async () => {
        const path = `${pathOf(props)}/test` as const;
        const result = await callApi<"POST /accounts/{name}/webhooks/{id}/test">("POST", path);
        return <TestResult {...result} />;
      }}
    >
      {null}
    </FormDialog>
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

export function RenewSecret(props: WebhookProps) {
  const t = useTexts();
  const { name } = props.webhook;
  return (
    <FormDialog
      button={t("webhooks.renew")}
      title={t("webhooks.renewTitle", { name })}
      lead={t("webhooks.renewLead")}
      submit={t("webhooks.renew")}
      onSubmit={async (form) => {
        const path = `${pathOf(props)}/secret` as const;
        const headers = ifMatch(form);
        const { secret } = await callApi<"POST /accounts/{name}/webhooks/{id}/secret">("POST", path, {
          headers,
        });
        return <NewSecret name={name} secret={secret} />;
      }}
    >
      <PresentState path={pathOf(props)} />
    </FormDialog>
  );
}

export function RemoveWebhook(props: WebhookProps) {
  const t = useTexts();
  const changed = useWebhooksChanged(props.account);
  return (
    <ConfirmRemoval
      button={t("webhooks.remove")}
      title={t("webhooks.removeTitle", { name: props.webhook.name })}
      text={t("webhooks.removeText")}
      path={pathOf(props)}
      onRemoved={changed}
    />
  );
}

// Sending the events of a time to a webhook again: from one moment to another, in the zone of the
// viewer and either calendar.

/** What an empty time of the day means. */
const wholeDay = { from: startOfDay, to: endOfDay } as const;
const bounds = ["from", "to"] as const;
type Bound = (typeof bounds)[number];

export function ReplayEvents(props: WebhookProps) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("webhooks.replay")}
      title={t("webhooks.replayTitle", { name: props.webhook.name })}
      lead={t("webhooks.replayLead")}
      submit={t("webhooks.replay")}
      fields={bounds}
      onSubmit={async (form) => {
        const path = `${pathOf(props)}/replay` as const;
        const body = readBounds(t, form);
        const { replayedCount } = await callApi<"POST /accounts/{name}/webhooks/{id}/replay">("POST", path, {
          body,
        });
        return (
          <p>
            {t("webhooks.replayed")} <Figure value={replayedCount} />
          </p>
        );
      }}
    >
      {(problemOf) => bounds.map((bound) => <BoundFields key={bound} bound={bound} problemOf={problemOf} />)}
    </FormDialog>
  );
}

function BoundFields({ bound, problemOf }: { readonly bound: Bound; readonly problemOf: FieldProblems }) {
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
        required
        placeholder={typedDay(language, "2026-12-21")}
        problem={problemOf(bound)}
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

/** Throws what is to be told beside the fields. */
function readBounds(t: Translate, form: HTMLFormElement): Readonly<Record<Bound, string>> {
  const [from, to] = bounds.map((bound) => readBound(form, bound));
  if (from !== undefined && to !== undefined) return { from: from.toISOString(), to: to.toISOString() };
  const wrong = [...(from === undefined ? ["from"] : []), ...(to === undefined ? ["to"] : [])];
  const validationErrors = wrong.map((field) => ({ field, errorMessage: t("webhooks.wrongTime") }));
  throw new ApiProblem(400, { validationErrors });
}

function readBound(form: HTMLFormElement, bound: Bound): Date | undefined {
  const day = formText(form, `${bound}Day`);
  const clock = formText(form, `${bound}Time`).trim();
  if (clock !== "") return readMoment(day, clock);
  const read = readDay(day);
  return read === undefined ? undefined : wholeDay[bound](read);
}

// A webhook as the API tells it, and its path.

export type Webhook = Answers["GET /accounts/{name}/webhooks"]["items"][number];

export interface WebhookProps {
  readonly account: string;
  readonly webhook: Webhook;
}

export function webhooksPath(account: string): `/accounts/${string}/webhooks` {
  return `/accounts/${encodeURIComponent(account)}/webhooks`;
}

export function pathOf({ account, webhook: { id } }: WebhookProps): `/accounts/${string}/webhooks/${string}` {
  return `${webhooksPath(account)}/${encodeURIComponent(id)}`;
}

/** What follows a change of an account's webhooks: reads the list again. */
export function useWebhooksChanged(account: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [webhooksPath(account)] });
}
