// A new campaign: a file of numbers, what each of them gets, and the rows sent up as a draft.
import { useQuery } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { useLocation } from "wouter";
import { callApi } from "../../api/client.ts";
import type { Campaign, SendOptions } from "../../api/sending.ts";
import { Button } from "../../parts/button.tsx";
import { Waiting } from "../../parts/endless-list.tsx";
import { Field } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Figure } from "../../parts/number-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Select } from "../../parts/select.tsx";
import { Table } from "../../parts/table.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { TextMeasure } from "../../parts/text-measure.tsx";
import { useTexts } from "../../texts/texts.ts";
import { placeholdersOf } from "../send/template-text.ts";
import type { Columns } from "./file/columns.ts";
import { useTableFile } from "./use-table-file.ts";
import styles from "../send/send-page.module.css";

export function NewCampaignPage() {
  const t = useTexts();
  const options = useQuery({
    queryKey: ["/send"],
    queryFn: ({ signal }) => callApi<SendOptions>("GET", "/send", { signal }),
  });
  return (
    <>
      <PageHead title={t("campaign.new")} lead={t("campaign.newLead")} />
      {options.isPending && <Waiting />}
      {options.isError && <Problem error={options.error} onRetry={() => void options.refetch()} />}
      {options.data && <CampaignForm options={options.data} />}
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

function CampaignForm({ options }: { readonly options: SendOptions }) {
  const t = useTexts();
  const [, go] = useLocation();
  const { file, read, take } = useTableFile();
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
  const [upload, setUpload] = useState<{ sentUp?: number; error?: unknown }>({});
  /** The draft that a broken upload goes on with. */
  const [begun, setBegun] = useState<Campaign>();
  const change = (part: Partial<Plan>): void => {
    setPlan({ ...plan, ...part });
    setBegun(undefined);
  };
  const names = valueNames(plan, options);
  const sample = file.kind === "read" ? file.sample : [];
  const width = Math.max(0, ...sample.map((row) => row.length));
  const columnTexts = Array.from({ length: width }, (_, place) => ({
    value: String(place),
    text: `${place + 1} · ${(sample[0]?.[place] ?? "").slice(0, 30)}`,
  }));
  const placeOf = (name: string): number => plan.places[name] ?? guessPlace(sample[0] ?? [], name, plan.number);
  const isBusy = upload.sentUp !== undefined;
  const total = file.kind === "read" ? file.rows - (plan.hasNames ? 1 : 0) : 0;
  const hasWhat = plan.what === "own" || (plan.what === "text" ? plan.content !== "" : plan.template !== "");
  const isReady = file.kind === "read" && plan.name.trim() !== "" && hasWhat && !isBusy && total > 0;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isReady) return;
    setUpload({ sentUp: 0 });
    const columns: Columns = { hasNames: plan.hasNames, number: plan.number, values: names.map(placeOf) };
    sendUp(columns).then(
      (id) => go(`/campaigns/${id}`),
      (error: unknown) => setUpload({ error }),
    );
  };
  const sendUp = async (columns: Columns): Promise<string> => {
    let campaign = begun ?? (await callApi<Campaign>("POST", "/campaigns", { body: campaignBody(plan, names) }));
    setBegun(campaign);
    for (;;) {
      const rows = await take(columns, campaign.rows);
      if (rows.length === 0) return campaign.id;
      const body = { first: campaign.rows + 1, rows };
      campaign = await callApi<Campaign>("POST", `/campaigns/${campaign.id}/rows`, { body });
      setBegun(campaign);
      setUpload({ sentUp: campaign.rows });
    }
  };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <Field
        label={t("campaign.file")}
        hint={t("campaign.fileHint")}
        type="file"
        accept=".csv,.txt,.tsv,.xlsx"
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen === undefined) return;
          setUpload({});
          void read(chosen).then((next) => {
            const name = plan.name === "" ? chosen.name.replace(/\.\w+$/, "") : plan.name;
            change({ name, places: {}, ...(next.kind === "read" && next.guess) });
          });
        }}
      />
      {file.kind === "reading" && <p role="status">{t("campaign.reading")}</p>}
      {file.kind === "fault" && (
        <Notice kind="alarm" role="alert">
          {t(`campaign.fault.${file.fault}`)}
        </Notice>
      )}
      {file.kind === "read" && (
        <>
          <Table
            name={t("campaign.sample")}
            rows={sample.map((row, place) => ({ row, place }))}
            keyOf={({ place }) => String(place)}
            columns={columnTexts.map(({ value }, place) => ({
              key: value,
              title: String(place + 1),
              cell: ({ row }: SampleRow) => <bdi>{row[place] ?? ""}</bdi>,
            }))}
          />
          <p>
            <Figure value={total} /> {t("campaign.rowsFound")}
          </p>
          <label>
            <input
              type="checkbox"
              checked={plan.hasNames}
              onChange={(event) => change({ hasNames: event.target.checked })}
            />{" "}
            {t("campaign.hasNames")}
          </label>
          <Select
            label={t("campaign.numberColumn")}
            value={String(plan.number)}
            options={columnTexts}
            onChoose={(value) => change({ number: Number(value) })}
          />
        </>
      )}
      <Field
        label={t("campaign.name")}
        value={plan.name}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => change({ name: event.target.value })}
      />
      <Select
        label={t("message.line")}
        value={plan.sender}
        options={options.lines.map(({ number }) => ({ value: number, text: number }))}
        onChoose={(sender) => change({ sender })}
      />
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
          <TextArea
            label={t("message.text")}
            hint={t("campaign.textHint")}
            dir="auto"
            className={styles["area"]}
            value={plan.content}
            onChange={(event) => change({ content: event.target.value })}
          />
          <TextMeasure text={plan.content} maximumParts={options.maximumParts} />
        </>
      )}
      {plan.what === "template" && (
        <Select
          label={t("send.template")}
          value={plan.template}
          options={options.templates.map(({ id, content }) => ({ value: id, text: `${id} · ${content.slice(0, 40)}` }))}
          onChoose={(template) => change({ template })}
        />
      )}
      {file.kind === "read" &&
        names.map((name) => (
          <Select
            key={name}
            label={plan.what === "own" ? t("campaign.textColumn") : t("campaign.columnOf", { name })}
            value={String(placeOf(name))}
            options={columnTexts}
            onChoose={(value) => change({ places: { ...plan.places, [name]: Number(value) } })}
          />
        ))}
      <label>
        <input
          type="checkbox"
          checked={plan.skipDuplicates}
          onChange={(event) => change({ skipDuplicates: event.target.checked })}
        />{" "}
        {t("campaign.skipDuplicates")}
      </label>
      {upload.error !== undefined && <Problem error={upload.error} />}
      {isBusy && (
        <p role="status">
          {t("campaign.sendingUp")} <progress max={total} value={upload.sentUp} aria-label={t("campaign.sendingUp")} />
        </p>
      )}
      <div>
        <Button kind="primary" type="submit" disabled={!isReady} busy={isBusy}>
          {t("campaign.check")}
        </Button>
      </div>
    </form>
  );
}

/** A column of that name, else the first one beside the number. */
function guessPlace(names: readonly string[], name: string, number: number): number {
  const same = names.findIndex((each) => each.trim().toLowerCase() === name.toLowerCase());
  if (same >= 0) return same;
  return number === 0 && names.length > 1 ? 1 : 0;
}

function campaignBody({ name, sender, what, content, template, skipDuplicates }: Plan, columns: readonly string[]) {
  return {
    ...{ name: name.trim(), columns, skipDuplicates },
    ...(sender !== "" && { senderNumber: sender }),
    ...(what === "text" && { content }),
    ...(what === "template" && { templateId: template }),
  };
}
