// Allowing and refusing messages that a content rule keeps: one, some, a batch, or all of the rule.
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { formatNumber } from "../../format/numbers.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { Select } from "../../parts/select.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";

export type ReviewedMessage = Answers["GET /review"]["items"][number];
export type Decision = "allow" | "refuse";

type Choice = { readonly sentMessageIds: readonly string[] } | { readonly batchId: string } | { readonly rule: string };

/** A call decides a bounded number: it is made again until nothing is left. Answers how many. */
async function decide(decision: Decision, choice: Choice): Promise<number> {
  let total = 0;
  for (;;) {
    const body = { decision, ...choice };
    const { messages, more } = await callApi<"POST /review/decision">("POST", "/review/decision", { body });
    total += messages;
    if (!more) return total;
  }
}

interface DecideProps {
  readonly decision: Decision;
  /** Told on the page: what was decided is in the list no more, and neither is its dialog. */
  readonly onDone: (decision: Decision, count: number) => void;
}

export function DecideOne({ decision, message, onDone }: DecideProps & { readonly message: ReviewedMessage }) {
  const t = useTexts();
  const [scope, setScope] = useState("one");
  const { sentMessageId, batchId, rule } = message;
  const choices: Readonly<Record<string, Choice>> = { batch: { batchId }, rule: { rule } };
  return (
    <FormDialog
      button={t(`review.${decision}`)}
      title={t(`review.${decision}Title`)}
      lead={t(`review.${decision}Lead`)}
      submit={t(`review.${decision}`)}
      onSubmit={async (form) => {
        const choice = choices[formText(form, "scope")] ?? { sentMessageIds: [sentMessageId] };
        onDone(decision, await decide(decision, choice));
      }}
    >
      <Select
        label={t("review.scope")}
        name="scope"
        value={scope}
        onChoose={setScope}
        options={[
          { value: "one", text: t("review.scope.one") },
          { value: "batch", text: t("review.scope.batch") },
          { value: "rule", text: t("review.scope.rule", { rule: `\u2068${rule}\u2069` }) },
        ]}
      />
    </FormDialog>
  );
}

export function DecideSelected({ decision, ids, onDone }: DecideProps & { readonly ids: readonly string[] }) {
  const t = useTexts();
  const language = useLanguage();
  const count = formatNumber(language, ids.length);
  return (
    <FormDialog
      button={t(`review.${decision}Selected`)}
      title={t(`review.${decision}SelectedTitle`, { count })}
      lead={t(`review.${decision}Lead`)}
      submit={t(`review.${decision}`)}
      onSubmit={async () => {
        let total = 0;
        for (let from = 0; from < ids.length; from += idsAtOnce)
          total += await decide(decision, { sentMessageIds: ids.slice(from, from + idsAtOnce) });
        onDone(decision, total);
      }}
    >
      {null}
    </FormDialog>
  );
}

/** What the API takes at a time. */
const idsAtOnce = 1_000;
