// Sending the events of a time to a webhook again: from one moment to another, in the zone of the
// viewer and either calendar.
import { ApiProblem, callApi } from "../../api/client.ts";
import { endOfDay, readDay, readMoment, startOfDay, typedDay } from "../../format/jalali.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog, type FieldProblems } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { Figure } from "../../parts/number-text.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { pathOf, type WebhookProps } from "./webhook.ts";
import styles from "./webhooks.module.css";

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
