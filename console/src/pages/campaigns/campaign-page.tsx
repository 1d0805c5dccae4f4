// One campaign: its state, what was found before it was started, how far it is, and what became of
// each row.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { callApi } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import type { Campaign, CampaignOutcomes } from "../../api/types.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble, useMay } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { atOnce, isOfSchedule, readSchedule, Schedule } from "../../parts/schedule.tsx";
import { statuses } from "../../parts/state.tsx";
import { Loaded } from "../../parts/table.tsx";
import { CostlyInRows } from "../../parts/text-measure.tsx";
import { AccountLink, Code, Dialled, Figure, Moment, Percent, Rials } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { isolated, useTexts } from "../../texts/texts.ts";
import { campaignStateText } from "./campaigns-page.tsx";
import { Rows } from "./campaign-rows.tsx";
import styles from "./campaign-page.module.css";

const everyMs = 2_000;

export function CampaignPage({ params }: { readonly params: PageParams }) {
  const campaign = useAnswer(
    "GET /campaigns/{id}",
    { params: { id: params["id"] ?? "" } },
    {
      refetchInterval: ({ state }) => (isMoving(state.data) ? everyMs : false),
    },
  );
  return <Loaded query={campaign}>{(data) => <Shown campaign={data} onDone={() => void campaign.refetch()} />}</Loaded>;
}

function Shown({ campaign, onDone }: StepProps) {
  const t = useTexts();
  const language = useLanguage();
  const outcomes = useOutcomes(campaign);
  const { name, state, pauseReason } = campaign;
  // Of one whose rows are all accepted, messages may wait for hours.
  const waiting = state === "done" ? (outcomes?.waiting ?? 0) : 0;
  return (
    <>
      <PageHead
        title={name}
        heading={<bdi>{name}</bdi>}
        lead={waiting > 0 ? t("campaign.queued", { count: waiting }) : campaignStateText(t, language, campaign)}
        actions={<Steps campaign={campaign} waiting={waiting} onDone={onDone} />}
      />
      <div className={styles["stack"]}>
        {pauseReason !== undefined && <Notice kind="attention">{t(`campaign.paused.${pauseReason}`)}</Notice>}
        <What campaign={campaign} />
        {state === "draft" ? <Draft campaign={campaign} /> : <Progress campaign={campaign} outcomes={outcomes} />}
      </div>
      <Rows campaign={campaign} />
    </>
  );
}

/** Whose it is, and what it sends from where. */
function What({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts();
  const seesAll = useAble("see");
  const { account, senderNumber, templateId, content, createdAt, startedAt } = campaign;
  return (
    <Facts
      facts={[
        {
          name: t("message.account"),
          value: seesAll ? <AccountLink name={account} /> : undefined,
        },
        { name: t("message.line"), value: senderNumber && <Dialled text={senderNumber} /> },
        { name: t("message.template"), value: templateId && <Code text={templateId} /> },
        { name: t("campaign.created"), value: <Moment at={createdAt} /> },
        { name: t("campaign.startedAt"), value: startedAt && <Moment at={startedAt} /> },
        { name: t("message.text"), value: content && <span dir="auto">{content}</span> },
      ]}
    />
  );
}

function isMoving(campaign: Campaign | undefined): boolean {
  return campaign?.state === "sending" || campaign?.canceling === true;
}

interface StepProps {
  readonly campaign: Campaign;
  readonly onDone: () => void;
}

function Steps({ campaign: { id, state }, waiting, onDone }: StepProps & { readonly waiting: number }) {
  const t = useTexts();
  const [, go] = useLocation();
  const maySend = useAble("send");
  const mayPause = useMay("sendBulk", "sendTemplate", "cancel");
  const mayCancel = useMay("cancel");
  const take = useMutation({
    mutationFn: (name: "pause" | "resume") => callApi(`POST /campaigns/{id}/${name}`, { params: { id } }),
    onSuccess: onDone,
  });
  const mayStop = mayCancel && (state === "sending" || state === "paused" || waiting > 0);
  const step = mayPause && state === "sending" ? "pause" : maySend && state === "paused" ? "resume" : undefined;
  const end = mayStop ? "stop" : maySend && state === "draft" ? "discard" : undefined;
  return (
    <>
      {take.error !== null && <Problem error={take.error} />}
      {step !== undefined && (
        <Button kind={step === "resume" ? "primary" : "plain"} onClick={() => take.mutate(step)}>
          {t(`campaign.${step}`)}
        </Button>
      )}
      {end !== undefined && (
        <FormDialog
          kind="danger"
          button={t(`campaign.${end}`)}
          title={t(`campaign.${end}Title`)}
          lead={t(`campaign.${end}Text`)}
          onSubmit={async () => {
            await callApi(`POST /campaigns/{id}/${end}`, { params: { id } });
            if (end === "discard") go("/campaigns");
          }}
        />
      )}
    </>
  );
}

/** The first texts, and what they lack. */
function Samples({ campaign: { id, content, templateId } }: { readonly campaign: Campaign }) {
  const t = useTexts();
  const { data } = useAnswer("GET /campaigns/{id}/samples", { params: { id } });
  if (data === undefined) return null;
  const isOwnText = content === undefined && templateId === undefined;
  return (
    <>
      {data.blank.map(({ name, rows }) => (
        <Notice key={name} kind="attention">
          {t("campaign.blankValue", { name: isOwnText ? t("message.text") : isolated(name), count: rows })}
        </Notice>
      ))}
      <CostlyInRows costly={data.costly} />
      {data.items.length > 0 && (
        <Section title={t("campaign.samples")}>
          <ol className={styles["samples"]}>
            {data.items.map(({ number, content }) => (
              <li key={number} value={number}>
                <bdi>{content}</bdi>
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

function Draft({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts();
  const maySend = useAble("send");
  const [schedule, setSchedule] = useState(atOnce);
  const [refusal, setRefusal] = useState<unknown>();
  const { id, rows, faulty, blocked, duplicates, expectedParts, expectedCost, skipDuplicates } = campaign;
  const sendable = rows - faulty - (skipDuplicates ? duplicates : 0);
  const sendAt = readSchedule(schedule);
  return (
    <>
      <Facts
        facts={[
          { name: t("campaign.rows"), value: rows },
          { name: t("campaign.faulty"), value: faulty },
          { name: t("campaign.blocked"), value: blocked },
          { name: t("campaign.duplicates"), value: duplicates },
          { name: t("campaign.toSend"), value: sendable },
          { name: t("message.parts"), value: expectedParts },
          { name: t("message.cost"), value: <Rials value={expectedCost} /> },
        ]}
      />
      {faulty > 0 && <Notice kind="attention">{t("campaign.faultyNotSent")}</Notice>}
      {maySend && (
        <>
          <Samples campaign={campaign} />
          <Schedule value={schedule} error={refusal} onChange={setSchedule} />
          <CreditAfter account={campaign.account} cost={expectedCost} />
          <div>
            <FormDialog
              kind="primary"
              button={t(schedule.later ? "send.schedule" : "campaign.start")}
              disabled={sendable <= 0 || sendAt === "wrong"}
              title={t("campaign.startTitle")}
              lead={t(schedule.later ? "campaign.scheduleText" : "campaign.startText", {
                count: sendable,
                cost: expectedCost,
              })}
              onSubmit={async () => {
                setRefusal(undefined);
                try {
                  await callApi("POST /campaigns/{id}/start", { params: { id }, body: { sendAt } });
                } catch (error) {
                  if (!isOfSchedule(error)) throw error;
                  // It stands beside the time.
                  setRefusal(error);
                }
              }}
            />
          </div>
        </>
      )}
    </>
  );
}

/** The credit after sending, or how much of it is missing. */
function CreditAfter({ account, cost }: { readonly account: string; readonly cost: number }) {
  const t = useTexts();
  const { data } = useAnswer("GET /accounts/{name}", { params: { name: account } });
  const credit = data?.balance;
  if (credit === undefined || data?.unlimited === true) return null;
  if (credit < cost)
    return (
      <Notice kind="attention" role="status">
        {t("campaign.creditShort", { credit, missing: cost - credit })}
      </Notice>
    );
  return (
    <p>
      {t("send.creditAfter")} <Rials value={credit - cost} />
    </p>
  );
}

/** How many of its messages have which status. Counting reads each of them: of many, it is done less often. */
function useOutcomes({ id, state, rows, canceled }: Campaign): CampaignOutcomes | undefined {
  const isCounted = useMay("readMessages") && state !== "draft";
  const { data, refetch } = useAnswer(
    "GET /campaigns/{id}/outcomes",
    { params: { id } },
    { enabled: isCounted, refetchInterval: Math.max(3_000, rows / 5) },
  );
  useEffect(() => {
    if (isCounted) void refetch();
  }, [isCounted, state, canceled, refetch]);
  return data;
}

interface ProgressProps {
  readonly campaign: Campaign;
  /** Undefined: not known yet. */
  readonly outcomes: CampaignOutcomes | undefined;
}

function Progress({ campaign, outcomes }: ProgressProps) {
  const t = useTexts();
  const seesMessages = useMay("readMessages");
  return (
    <>
      {campaign.fed < campaign.rows && (
        <p>
          <progress max={campaign.rows} value={campaign.fed} aria-label={t("campaign.progress")} />{" "}
          <Figure value={campaign.fed} /> / <Figure value={campaign.rows} />
        </p>
      )}
      <Facts
        facts={[
          { name: t("campaign.accepted"), value: campaign.accepted },
          { name: t("campaign.refused"), value: campaign.refused },
          { name: t("campaign.skipped"), value: campaign.skipped },
          {
            name: t("campaign.state.stopped"),
            value: campaign.state === "stopped" ? campaign.canceled : undefined,
          },
          { name: t("message.cost"), value: <Rials value={campaign.cost} /> },
          {
            name: t("send.refunded"),
            value: outcomes !== undefined && outcomes.refunded > 0 ? <Rials value={outcomes.refunded} /> : undefined,
          },
          { name: t("message.due"), value: campaign.sendAt && <Moment at={campaign.sendAt} /> },
          { name: t("sum.deliveryRate"), value: outcomes && <Percent value={outcomes.deliveryRate} /> },
          ...statuses.map((state) => ({
            name: t(`state.${state}`),
            value: outcomes?.[state],
          })),
        ]}
      />
      {seesMessages && (
        <p>
          <Link href={`/messages?campaign=${campaign.id}`}>{t("campaign.itsMessages")}</Link>
        </p>
      )}
    </>
  );
}
