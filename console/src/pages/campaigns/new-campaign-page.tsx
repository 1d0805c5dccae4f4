// A new campaign: a file of numbers, what each of them gets, and the rows sent up as a draft.
import { type SubmitEvent, useRef, useState } from "react";
import { useLocation } from "wouter";
import { fileFaultTexts } from "../../../../src/tables/file-faults.ts";
import { localize } from "../../../../src/texts/localize.ts";
import { callApi } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import type { Campaign, SendOptions } from "../../api/types.ts";
import { Button, Check, Field, FileField, LongField, Select } from "../../parts/controls.tsx";
import { formatNumber } from "../../format/numbers.ts";
import { fieldProblems } from "../../parts/field-problems.ts";
import { PageHead } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Loaded, Table } from "../../parts/table.tsx";
import { TextMeasure } from "../../parts/text-measure.tsx";
import { useLanguage } from "../../preferences.ts";
import { isolated, useTexts } from "../../texts/texts.ts";
import { placeholdersOf, renderedText } from "../send/draft-text.ts";
import { LineChoice, TemplateChoice } from "../send/line-and-template.tsx";
import type { CampaignCells, CheckedRows, Columns } from "./file/campaign-rows.ts";
import { useChecked, useTableFile } from "./file/use-table-file.ts";
import styles from "../send/send-page.module.css";

export function NewCampaignPage() {
  const t = useTexts();
  const options = useAnswer("GET /send");
  return (
    <>
      <PageHead title={t("campaign.new")} lead={t("campaign.newLead")} />
      <Loaded query={options}>{(data) => <CampaignForm options={data} />}</Loaded>
    </>
  );
}

/** `own`: each row has its text in a column. */
type What = "text" | "own" | "template";

interface Plan {
  readonly name: string;
  readonly sender: string;
  readonly what: What;
  readonly content: string;
  readonly template: string;
  readonly skipDuplicates: boolean;
  readonly hasNames: boolean;
  readonly number: number;
  /** Places of the columns of the file, by the names of the values. */
  readonly places: Readonly<Record<string, number>>;
}

const ownText = "text";

interface SampleRow {
  readonly row: readonly string[];
  readonly place: number;
}

function valueNames({ what, content, template }: Plan, options: SendOptions): readonly string[] {
  if (what === "own") return [ownText];
  if (what === "text") return placeholdersOf(content);
  return placeholdersOf(options.templates.find(({ id }) => id === template)?.content ?? "");
}

/** What a person has given so far, and the file. */
function useCampaignForm(options: SendOptions) {
  const language = useLanguage();
  const { file, read, check, take } = useTableFile();
  const [plan, setPlan] = useState<Plan>({
    name: "",
    sender: options.lines[0]?.number ?? "",
    what: "text",
    content: "",
    template: options.templates[0]?.id ?? "",
    skipDuplicates: true,
    hasNames: false,
    number: 0,
    places: {},
  });
  const upload = useUpload(take);
  const change = (part: Partial<Plan>): void => {
    setPlan((now) => ({ ...now, ...part }));
    upload.forget();
  };
  /** What was typed while the file was read stays. */
  const fill = (name: string, guess: Partial<Plan>): void => {
    setPlan((now) => ({ ...now, ...guess, places: {}, name: now.name === "" ? name : now.name }));
    upload.forget();
  };
  const { number, hasNames } = plan;
  const checked = useChecked(file, check, number, hasNames);
  const names = valueNames(plan, options);
  const sample = file.kind === "read" ? file.sample : [];
  const width = Math.max(0, ...sample.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, place) => {
    const number = formatNumber(language, place + 1);
    return { number, value: String(place), text: `${number}: ${(sample[0]?.[place] ?? "").slice(0, 30)}` };
  });
  const placeOf = (name: string): number | undefined => plan.places[name] ?? guessPlace(sample[0] ?? [], name, plan);
  const total = file.kind === "read" ? file.rows - (plan.hasNames ? 1 : 0) : 0;
  return { file, read, plan, change, fill, names, sample, columns, placeOf, total, checked, upload };
}

type Form = ReturnType<typeof useCampaignForm>;

/** Sends the rows up, and goes on after a break where it was. The form is locked meanwhile. */
function useUpload(take: ReturnType<typeof useTableFile>["take"]) {
  const [state, setState] = useState<{ sentUp?: number; error?: unknown }>({});
  const begun = useRef<Campaign>(undefined);
  return {
    ...state,
    /** The plan was changed: the draft goes, because an account has room for a few only. */
    forget: (): void => {
      if (begun.current !== undefined)
        callApi("POST /campaigns/{id}/discard", { params: { id: begun.current.id } }).catch(() => undefined);
      begun.current = undefined;
      setState({});
    },
    /** Answers the id of the draft; undefined if it failed. */
    run: async (body: object, columns: Columns): Promise<string | undefined> => {
      setState({ sentUp: begun.current?.rows ?? 0 });
      try {
        let campaign = begun.current ?? (await callApi("POST /campaigns", { body }));
        for (;;) {
          begun.current = campaign;
          setState({ sentUp: campaign.rows });
          const rows = await take(columns, campaign.rows);
          if (rows === undefined) break;
          if (rows.length === 0) return campaign.id;
          campaign = await sendUp(campaign, rows);
        }
        setState({});
      } catch (error) {
        setState({ error });
      }
      return undefined;
    },
  };
}

function sendUp({ id, rows: first }: Campaign, rows: readonly CampaignCells[]): Promise<Campaign> {
  return callApi("POST /campaigns/{id}/rows", {
    params: { id },
    body: {
      first: first + 1,
      fileRows: rows.map(({ number }) => number),
      rows: rows.map(({ cells }) => cells),
    },
  });
}

function isComplete({ file, plan, names, placeOf, checked, upload }: Form): boolean {
  if (names.some((name) => placeOf(name) === undefined)) return false;
  const hasWhat = plan.what === "own" || (plan.what === "text" ? plan.content !== "" : plan.template !== "");
  const hasRows = file.kind === "read" && checked !== undefined && checked.usable > 0;
  return hasRows && plan.name.trim() !== "" && hasWhat && upload.sentUp === undefined;
}

function CampaignForm({ options }: { readonly options: SendOptions }) {
  const t = useTexts();
  const [, go] = useLocation();
  const form = useCampaignForm(options);
  const { file, plan, change, names, placeOf, total, upload } = form;
  const isReady = isComplete(form);
  const { problemOf, isTold } = fieldProblems(upload.error, ["name"]);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isReady) return;
    const values = names.flatMap((name) => placeOf(name) ?? []);
    const columns: Columns = { hasNames: plan.hasNames, number: plan.number, values };
    void upload.run(campaignBody(plan, names), columns).then((id) => {
      if (id !== undefined) go(`/campaigns/${id}`);
    });
  };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <fieldset className={styles["form"]} disabled={upload.sentUp !== undefined}>
        <FilePart form={form} />
        <Field
          label={t("campaign.name")}
          value={plan.name}
          maxLength={100}
          autoComplete="off"
          problem={problemOf("name")}
          onChange={(event) => change({ name: event.target.value })}
        />
        <LineChoice options={options} value={plan.sender} onChoose={(sender) => change({ sender })} />
        <WhatPart form={form} options={options} />
        {file.kind === "read" && <ColumnsPart form={form} />}
        <Check
          label={t("campaign.skipDuplicates")}
          checked={plan.skipDuplicates}
          onChange={(event) => change({ skipDuplicates: event.target.checked })}
        />
      </fieldset>
      {upload.error !== undefined && !isTold && <Problem error={upload.error} />}
      {upload.sentUp !== undefined && (
        <p role="status">
          {t("campaign.sendingUp")} <progress max={total} value={upload.sentUp} aria-label={t("campaign.sendingUp")} />
        </p>
      )}
      <div>
        <Button kind="primary" type="submit" disabled={!isReady} busy={upload.sentUp !== undefined}>
          {t("campaign.check")}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  readonly form: Form;
}

function FilePart({ form }: PartProps) {
  const t = useTexts();
  const language = useLanguage();
  const { file, read, fill, upload } = form;
  return (
    <>
      <FileField
        label={t("setup.file")}
        hint={t("campaign.fileHint")}
        accept=".csv,.txt,.tsv,.xlsx"
        onChoose={(chosen) => {
          // Before the rows of the other file are there.
          upload.forget();
          void read(chosen).then((next) => {
            fill(chosen.name.replace(/\.\w+$/, ""), next.kind === "read" ? next.columns : {});
          });
        }}
      />
      {file.kind === "reading" && <p role="status">{t("campaign.reading")}</p>}
      {file.kind === "fault" && (
        <Notice kind="alarm" role="alert">
          {localize(fileFaultTexts[file.fault], language, { ...file.place })}
        </Notice>
      )}
      {file.kind === "read" && <FoundRows form={form} />}
    </>
  );
}

function FoundRows({ form: { sample, columns, plan, change, total, checked } }: PartProps) {
  const t = useTexts();
  return (
    <>
      <Table
        asSheet
        name={t("campaign.sample")}
        rows={sample.map((row, place) => ({ row, place }))}
        keyOf={({ place }) => String(place)}
        columns={columns.map(({ number }, place) => ({
          title: number,
          cell: ({ row }: SampleRow) => <bdi>{row[place] ?? ""}</bdi>,
        }))}
      />
      <p>{t("count.rows", { count: total })}</p>
      <Check
        label={t("campaign.hasNames")}
        checked={plan.hasNames}
        onChange={(event) => change({ hasNames: event.target.checked })}
      />
      <Select
        label={t("campaign.numberColumn")}
        value={String(plan.number)}
        options={columns}
        onChoose={(value) => change({ number: Number(value) })}
      />
      {checked !== undefined && checked.bad > 0 && <BadNumbers checked={checked} />}
    </>
  );
}

function BadNumbers({ checked: { usable, bad, firstBad } }: { readonly checked: CheckedRows }) {
  const t = useTexts();
  return (
    <Notice kind={usable === 0 ? "alarm" : "attention"} role="alert">
      {t(usable === 0 ? "campaign.noNumbers" : "campaign.badNumbers", { count: bad })}
      <ul>
        {firstBad.map(({ row, column, cell, isCut }) => (
          <li key={row}>
            {t(cell.trim() === "" ? "campaign.emptyNumber" : isCut ? "campaign.cutNumber" : "campaign.badNumber", {
              row,
              column,
              cell: isolated(cell),
            })}
          </li>
        ))}
        {firstBad.length < bad && <li>{t("rules.more", { count: bad - firstBad.length })}</li>}
      </ul>
    </Notice>
  );
}

function WhatPart({
  form: { plan, sample, names, placeOf, change },
  options,
}: PartProps & { readonly options: SendOptions }) {
  const t = useTexts();
  const placeholder = useLanguage() === "fa" ? "{نام}" : "{name}";
  /** The names of the columns, as the text takes them. */
  const marks = (plan.hasNames ? (sample[0] ?? []) : [])
    .map((name) => `{${name.trim()}}`)
    .filter((mark) => placeholdersOf(mark).length > 0);
  const first = sample[plan.hasNames ? 1 : 0] ?? [];
  const values = Object.fromEntries(names.map((name) => [name, first[placeOf(name) ?? -1] ?? ""]));
  return (
    <>
      <Select
        label={t("campaign.what")}
        value={plan.what}
        options={[
          { value: "text", text: t("campaign.what.text") },
          { value: "own", text: t("campaign.what.own") },
          ...(options.templates.length > 0 ? [{ value: "template", text: t("campaign.what.template") }] : []),
        ]}
        onChoose={(what) => change({ what: what as What })}
      />
      {plan.what === "text" && (
        <>
          <LongField
            label={t("message.text")}
            hint={t("campaign.textHint", { placeholder })}
            dir="auto"
            value={plan.content}
            onChange={(event) => change({ content: event.target.value })}
          />
          {marks.length > 0 && (
            <p>
              {marks.map((mark) => (
                <Button key={mark} kind="quiet" onClick={() => change({ content: plan.content + mark })}>
                  <bdi>{mark}</bdi>
                </Button>
              ))}
            </p>
          )}
          {names.length > 0 && sample.length > 0 && <p>{t("campaign.firstRow")}</p>}
          <TextMeasure text={renderedText(plan.content, values)} maximumParts={options.maximumParts} />
        </>
      )}
      {plan.what === "template" && (
        <TemplateChoice options={options} value={plan.template} onChoose={(template) => change({ template })} />
      )}
    </>
  );
}

function ColumnsPart({ form: { names, plan, placeOf, columns, change } }: PartProps) {
  const t = useTexts();
  return (
    <>
      {names.map((name) => (
        <Select
          key={name}
          label={plan.what === "own" ? t("campaign.textColumn") : t("campaign.columnOf", { name })}
          value={String(placeOf(name) ?? "")}
          options={[
            ...(placeOf(name) === undefined ? [{ value: "", text: t("campaign.chooseColumn") }] : []),
            ...columns,
          ]}
          onChoose={(value) => change({ places: { ...plan.places, [name]: Number(value) } })}
        />
      ))}
    </>
  );
}

const textHeadings = ["متن", "متن پیامک", "پیامک", "text", "message", "sms"];

/**
 * Guesses the column for a placeholder, or for the texts if each row has its own: the one with this
 * name, or the one beside the number if there is no other. A name of a column that is not there may
 * be misspelled.
 */
function guessPlace(names: readonly string[], name: string, { number, what, hasNames }: Plan): number | undefined {
  const wanted = what === "own" ? textHeadings : [name.toLowerCase()];
  const same = names.findIndex((each) => wanted.includes(each.trim().toLowerCase()));
  if (same >= 0) return same;
  return names.length === 2 && (what === "own" || !hasNames) ? 1 - number : undefined;
}

function campaignBody({ name, sender, what, content, template, skipDuplicates }: Plan, columns: readonly string[]) {
  return {
    ...{ name: name.trim(), columns, skipDuplicates },
    ...(sender !== "" && { senderNumber: sender }),
    ...(what === "text" && { content }),
    ...(what === "template" && { templateId: template }),
  };
}
