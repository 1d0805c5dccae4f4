// One campaign: its state, what was found before it was started, how far it is, and what became of
// each row.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { callApi } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import type { Campaign, CampaignOutcomes } from "../../api/types.ts";
import type { Language } from "../../format/numbers.ts";
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
import { isolated, type Translate, useTexts } from "../../texts/texts.ts";
import { campaignStateText } from "./campaigns-page.tsx";
import { Rows } from "./campaign-rows.tsx";
import styles from "./campaign-page.module.css";

const everyMs = 2_000;
/**
 * The page waits this many times as long as counting the outcomes took before it asks again,
 * because counting reads each message.
 */
const restFactor = 20;
const shortestRestMs = 3_000;

export function CampaignPage({ params }: { readonly params: PageParams }) {
  const t = useTexts();
  const id = params["id"] ?? "";
  const campaign = useAnswer(
    "GET /campaigns/{id}",
    { params: { id } },
    {
      refetchInterval: ({ state }) => (isMoving(state.data) ? everyMs : false),
    },
  );
  const language = useLanguage();
  const seesMessages = useMay("readMessages");
  const outcomes = useOutcomes(id, seesMessages && campaign.data !== undefined && campaign.data.state !== "draft");
  const refresh = (): void => void campaign.refetch();
  const [chosen, setOnly] = useState<string>();
  const failed = (error: Error) => (
    <>
      <PageHead title={t("campaigns.title")} />
      <Problem error={error} onRetry={refresh} />
    </>
  );
  return (
    <Loaded query={campaign} failed={failed}>
      {(data) => (
        <>
          <PageHead
            title={data.name}
            heading={<bdi>{data.name}</bdi>}
            lead={stateText(t, language, data, outcomes)}
            actions={<Steps campaign={data} outcomes={outcomes} onDone={refresh} />}
          />
          <div className={styles["stack"]}>
            {data.pauseReason !== undefined && (
              <Notice kind="attention">{t(`campaign.paused.${data.pauseReason}`)}</Notice>
            )}
            <What campaign={data} />
            {data.state === "draft" ? (
              <Draft campaign={data} onDone={refresh} onShowBlanks={() => setOnly("blank")} />
            ) : (
              <Progress campaign={data} outcomes={outcomes} />
            )}
          </div>
          {/* Of a draft the faults come first, of one that was started all rows. */}
          <Rows campaign={data} only={chosen ?? (data.state === "draft" ? "faulty" : "")} setOnly={setOnly} />
        </>
      )}
    </Loaded>
  );
}

/** Of one whose rows are all accepted, messages may wait for hours: it is done when none waits. */
function stateText(
  t: Translate,
  language: Language,
  campaign: Campaign,
  outcomes: CampaignOutcomes | undefined,
): string {
  if (campaign.state !== "done" || outcomes === undefined) return campaignStateText(t, language, campaign);
  return outcomes.waiting > 0 ? t("campaign.queued", { count: outcomes.waiting }) : t("campaign.state.done");
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

interface StartedProps {
  readonly campaign: Campaign;
  /** Undefined: not known yet. */
  readonly outcomes: CampaignOutcomes | undefined;
}

function Steps({ campaign: { id, state }, outcomes, onDone }: StepProps & StartedProps) {
  const t = useTexts();
  const [, go] = useLocation();
  const maySend = useAble("send");
  const mayPause = useMay("sendBulk", "sendTemplate", "cancel");
  const mayCancel = useMay("cancel");
  const [error, setError] = useState<unknown>();
  const take = (step: "pause" | "resume"): void => {
    setError(undefined);
    callApi(`POST /campaigns/{id}/${step}`, { params: { id } }).then(onDone, setError);
  };
  // Of one that is done, messages may wait: for the sending hours, a link, or those before them.
  const mayStop = state === "sending" || state === "paused" || (state === "done" && (outcomes?.waiting ?? 0) > 0);
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      {mayPause && state === "sending" && <Button onClick={() => take("pause")}>{t("campaign.pause")}</Button>}
      {maySend && state === "paused" && (
        <Button kind="primary" onClick={() => take("resume")}>
          {t("campaign.resume")}
        </Button>
      )}
      {mayCancel && mayStop && (
        <FormDialog
          kind="danger"
          button={t("campaign.stop")}
          title={t("campaign.stopTitle")}
          lead={t("campaign.stopText")}
          onSubmit={async () => {
            await callApi("POST /campaigns/{id}/stop", { params: { id } });
            onDone();
          }}
        />
      )}
      {maySend && state === "draft" && (
        <FormDialog
          kind="danger"
          button={t("campaign.discard")}
          title={t("campaign.discardTitle")}
          lead={t("campaign.discardText")}
          onSubmit={async () => {
            await callApi("POST /campaigns/{id}/discard", { params: { id } });
            go("/campaigns");
          }}
        />
      )}
    </>
  );
}

/** The first texts, and what they lack. */
function Samples({ id, onShowBlanks }: { readonly id: string; readonly onShowBlanks: () => void }) {
  const t = useTexts();
  const { data } = useAnswer("GET /campaigns/{id}/samples", { params: { id } });
  if (data === undefined) return null;
  return (
    <>
      {data.blank.map(({ name, rows }) => (
        <Notice key={name} kind="attention">
          {t("campaign.blankValue", { name: isolated(name), count: rows })}{" "}
          <Button onClick={onShowBlanks}>{t("campaign.showBlanks")}</Button>
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

function Draft({ campaign, onDone, onShowBlanks }: StepProps & { readonly onShowBlanks: () => void }) {
  const t = useTexts();
  const maySend = useAble("send");
  const [schedule, setSchedule] = useState(atOnce);
  const [outcome, setOutcome] = useState<{ busy?: boolean; error?: unknown }>({});
  const { id, rows, faulty, blocked, duplicates, expectedParts, expectedCost, skipDuplicates } = campaign;
  const sendable = rows - faulty - (skipDuplicates ? duplicates : 0);
  const sendAt = readSchedule(schedule);
  const start = (): void => {
    if (sendAt === "wrong" || outcome.busy === true) return;
    setOutcome({ busy: true });
    callApi("POST /campaigns/{id}/start", { params: { id }, body: { sendAt } }).then(onDone, (error: unknown) =>
      setOutcome({ error }),
    );
  };
  return (
    <>
      <Facts
        facts={[
          { name: t("campaign.rows"), value: <Figure value={rows} /> },
          { name: t("campaign.faulty"), value: <Figure value={faulty} /> },
          { name: t("campaign.blocked"), value: <Figure value={blocked} /> },
          { name: t("campaign.duplicates"), value: <Figure value={duplicates} /> },
          { name: t("campaign.toSend"), value: <Figure value={sendable} /> },
          { name: t("message.parts"), value: <Figure value={expectedParts} /> },
          { name: t("message.cost"), value: <Rials value={expectedCost} /> },
        ]}
      />
      {faulty > 0 && <Notice kind="attention">{t("campaign.faultyNotSent")}</Notice>}
      {maySend && <Samples id={id} onShowBlanks={onShowBlanks} />}
      {maySend && (
        <>
          <Schedule value={schedule} error={outcome.error} onChange={setSchedule} />
          {outcome.error !== undefined && !isOfSchedule(outcome.error) && <Problem error={outcome.error} />}
          <CreditAfter account={campaign.account} cost={expectedCost} />
          <p>
            <Button
              kind="primary"
              busy={outcome.busy ?? false}
              disabled={sendable <= 0 || sendAt === "wrong"}
              onClick={start}
            >
              {t(schedule.later ? "send.schedule" : "campaign.start")}
            </Button>
          </p>
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

/** How many of its messages have which status. */
function useOutcomes(id: string, isStarted: boolean): CampaignOutcomes | undefined {
  const tookMs = useRef(0);
  const { data } = useQuery({
    queryKey: ["/campaigns", id, "outcomes"],
    queryFn: async ({ signal }) => {
      const begunAt = performance.now();
      const found = await callApi("GET /campaigns/{id}/outcomes", { params: { id }, signal });
      tookMs.current = performance.now() - begunAt;
      return found;
    },
    enabled: isStarted,
    refetchInterval: () => Math.max(shortestRestMs, restFactor * tookMs.current),
  });
  return data;
}

function Progress({ campaign, outcomes }: StartedProps) {
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
          { name: t("campaign.accepted"), value: <Figure value={campaign.accepted} /> },
          { name: t("campaign.refused"), value: <Figure value={campaign.refused} /> },
          { name: t("campaign.skipped"), value: <Figure value={campaign.skipped} /> },
          {
            name: t("campaign.canceled"),
            value: campaign.state === "stopped" ? <Figure value={campaign.canceled} /> : undefined,
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
            value: outcomes && <Figure value={outcomes[state]} />,
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
