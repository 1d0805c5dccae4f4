// Whether a number is on a block list, putting it there and taking it off: each says at its end how
// the number stands.
import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import { dialled } from "../../format/phone.ts";
import type { ButtonProps } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog, type FieldProblems } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { Notice } from "../../parts/notice.tsx";
import { useTexts, type TextKey } from "../../texts/texts.ts";

type Path = "/block-lists/{name}/numbers/{number}";

export function numbersPath(list: string): `/block-lists/${string}/numbers` {
  return `/block-lists/${encodeURIComponent(list)}/numbers`;
}

function pathOf(list: string, form: HTMLFormElement): `/block-lists/${string}/numbers/${string}` {
  return `${numbersPath(list)}/${encodeURIComponent(formText(form, "number").trim())}`;
}

function NumberField({ problemOf }: { readonly problemOf: FieldProblems }) {
  const t = useTexts();
  return (
    <Field
      label={t("optOuts.number")}
      name="number"
      dir="ltr"
      inputMode="tel"
      autoComplete="off"
      required
      hint={t("optOuts.numberHint")}
      problem={problemOf("number")}
    />
  );
}

interface OutcomeProps {
  readonly text: TextKey;
  readonly list: string;
  readonly number: string;
}

function Outcome({ text, list, number }: OutcomeProps) {
  const t = useTexts();
  return (
    <Notice kind="calm" role="status">
      {t(text, { list, number: `\u2066${dialled(number)}\u2069` })}
    </Notice>
  );
}

export function FindNumber({ list }: { readonly list: string }) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("blockLists.find")}
      title={t("blockLists.findTitle", { list })}
      submit={t("blockLists.find")}
      fields={["number"]}
      onSubmit={async (form) => {
        const { number, isListed } = await callApi<`GET ${Path}`>("GET", pathOf(list, form));
        return <Outcome text={isListed ? "blockLists.isOn" : "blockLists.isNotOn"} list={list} number={number} />;
      }}
    >
      {(problemOf) => <NumberField problemOf={problemOf} />}
    </FormDialog>
  );
}

const changes = {
  add: { method: "PUT", done: "blockLists.isNowOn", before: "blockLists.wasOn" },
  remove: { method: "DELETE", done: "blockLists.isNowOff", before: "blockLists.isNotOn" },
} as const;

export interface ChangeNumberProps {
  readonly list: string;
  readonly change: keyof typeof changes;
  readonly emphasis?: ButtonProps["kind"];
}

export function ChangeNumber({ list, change, emphasis = "plain" }: ChangeNumberProps) {
  const t = useTexts();
  const client = useQueryClient();
  const { method, done, before } = changes[change];
  return (
    <FormDialog
      button={t(`blockLists.${change}`)}
      kind={emphasis}
      title={t(`blockLists.${change}Title`, { list })}
      lead={t(`blockLists.${change}Lead`)}
      submit={t(`blockLists.${change}`)}
      fields={["number"]}
      onSubmit={async (form) => {
        const answer = await callApi<`${typeof method} ${Path}`>(method, pathOf(list, form));
        await Promise.all(
          ["/block-lists", numbersPath(list)].map((path) => client.invalidateQueries({ queryKey: [path] })),
        );
        return <Outcome text={answer.changed ? done : before} list={list} number={answer.number} />;
      }}
    >
      {(problemOf) => <NumberField problemOf={problemOf} />}
    </FormDialog>
  );
}
