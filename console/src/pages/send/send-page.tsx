// Sending by hand: one text or one template to up to a hundred numbers, now or later. What is typed
// survives a reload of the page.
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { callApi } from "../../api/client.ts";
import { isOfOtherCall } from "../../api/open-call.ts";
import { useAnswer } from "../../api/queries.ts";
import type { Bodies, PreviewAnswer, SendAnswer, SendOptions } from "../../api/types.ts";
import { dialled } from "../../format/numbers.ts";
import { Button, Field, LongField } from "../../parts/controls.tsx";
import { PageHead } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { isOfSchedule, readSchedule, Schedule } from "../../parts/schedule.tsx";
import { Loaded } from "../../parts/table.tsx";
import { TextMeasure } from "../../parts/text-measure.tsx";
import { Moment, Rials } from "../../parts/values.tsx";
import { isolated, useTexts } from "../../texts/texts.ts";
import {
  anew,
  type Attempt,
  changed,
  type Draft,
  isBeyondKey,
  nextAttempt,
  opened,
  refused,
  storeAttempt,
  storedAttempt,
  withSender,
} from "./attempt.ts";
import { placeholdersOf, readRecipients, renderedText } from "./draft-text.ts";
import { LineChoice, TemplateChoice } from "./line-and-template.tsx";
import styles from "./send-page.module.css";

export function SendPage() {
  const t = useTexts();
  const options = useAnswer("GET /send");
  return (
    <>
      <PageHead title={t("send.title")} lead={t("send.lead")} />
      <Loaded query={options}>{(data) => <Composer options={data} />}</Loaded>
    </>
  );
}

/** Without a time as long as that cannot be read: the price is the same. */
function bodyOf(draft: Draft, options: SendOptions): Bodies["POST /send"] | undefined {
  const recipientNumbers = readRecipients(draft.recipients);
  const sendAt = readSchedule(draft.schedule);
  if (recipientNumbers.length === 0) return undefined;
  const template = options.templates.find(({ id }) => id === draft.template);
  if (template === undefined && draft.content === "") return undefined;
  const parameters = placeholdersOf(template?.content ?? "").map((name) => ({ name, value: draft.values[name] ?? "" }));
  // The text would go without what is shown in its place.
  if (parameters.some(({ value }) => value === "")) return undefined;
  return {
    recipientNumbers,
    parameters,
    ...(draft.sender !== "" && { senderNumber: draft.sender }),
    ...(template === undefined ? { content: draft.content } : { templateId: template.id }),
    ...(sendAt !== undefined && sendAt !== "wrong" && { sendAt }),
  };
}

const typingMs = 400;

/** The message in the making, and its sending under one key. */
function useComposer(options: SendOptions) {
  const [search] = useSearchParams();
  const [attempt, setAttempt] = useState(() => {
    const stored = withSender(storedAttempt(), options.lines[0]?.number ?? "");
    const [sender, recipients] = [search.get("line"), search.get("to")];
    // The answer to a received message; what is typed already stays.
    return sender === null || recipients === null ? stored : changed(stored, { sender, recipients });
  });
  const latest = useRef(attempt);
  const [outcome, setOutcome] = useState<{ sent?: SendAnswer; error?: unknown; busy?: boolean }>({});
  const keep = (next: Attempt): void => {
    latest.current = next;
    setAttempt(next);
    storeAttempt(next);
  };
  const { draft, isOpen } = attempt;
  const change = (part: Partial<Draft>): void => {
    keep(changed(latest.current, part));
    if (outcome.busy !== true) setOutcome({});
  };
  const body = bodyOf(draft, options);
  const count = readRecipients(draft.recipients).length;
  const isTooMany = count > options.maximumRecipients;
  const mustAsk = isBeyondKey(attempt);
  const isTimed = readSchedule(draft.schedule) !== "wrong";
  const maySubmit = body !== undefined && isTimed && !isTooMany && !mustAsk && outcome.busy !== true;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!maySubmit) return;
    // The page may have been open since yesterday: its question stands there now.
    if (isBeyondKey(attempt)) {
      setOutcome({});
      return;
    }
    setOutcome({ busy: true });
    // Before the answer: the page may be reloaded meanwhile.
    keep(opened(attempt));
    callApi("POST /send", { body, key: attempt.key }).then(
      (sent) => {
        setOutcome({ sent });
        keep(nextAttempt(draft.sender));
      },
      (error: unknown) => {
        setOutcome({ error });
        keep(refused(latest.current, { error, wasOpen: isOpen }));
      },
    );
  };
  const sendAnew = (): void => {
    keep(anew(latest.current));
    setOutcome({});
  };
  return { draft, isOpen, mustAsk, maySubmit, sendAnew, change, body, isTooMany, outcome, submit };
}

function Composer({ options }: { readonly options: SendOptions }) {
  const t = useTexts();
  const { draft, isOpen, mustAsk, maySubmit, sendAnew, change, body, isTooMany, outcome, submit } =
    useComposer(options);
  const previewed = usePreview(isTooMany ? undefined : body, options);
  const part = { draft, change, options };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <Whom {...part} isTooMany={isTooMany} />
      <What {...part} />
      <Schedule
        value={draft.schedule}
        error={outcome.error ?? previewed.error}
        onChange={(schedule) => change({ schedule })}
      />
      <Price {...previewed} />
      {outcome.error !== undefined && <NotSent error={outcome.error} />}
      {isOpen && !mustAsk && outcome.error === undefined && outcome.busy !== true && (
        <Notice kind="attention">{t("problem.repeatable")}</Notice>
      )}
      {mustAsk && outcome.busy !== true && <Unsettled onAnew={sendAnew} />}
      {outcome.sent !== undefined && <Sent sent={outcome.sent} />}
      <div>
        <Button kind="primary" type="submit" busy={outcome.busy ?? false} disabled={!maySubmit || isRefused(previewed)}>
          {draft.schedule.later ? t("send.schedule") : t("send.send")}
        </Button>
      </div>
      <WouldNotBeSent {...previewed} />
    </form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly options: SendOptions;
}

function Whom({ draft, change, options, isTooMany }: PartProps & { readonly isTooMany: boolean }) {
  const t = useTexts();
  return (
    <>
      <LineChoice options={options} value={draft.sender} onChoose={(sender) => change({ sender })} />
      <LongField
        label={t("send.recipients")}
        hint={t("send.recipientsHint", { maximum: options.maximumRecipients })}
        dir="ltr"
        value={draft.recipients}
        onChange={(event) => change({ recipients: event.target.value })}
      />
      {isTooMany && (
        <Notice kind="attention" action={<Link href="/campaigns/new">{t("campaign.new")}</Link>}>
          {t("send.tooMany", { maximum: options.maximumRecipients })}
        </Notice>
      )}
    </>
  );
}

function What({ draft, change, options }: PartProps) {
  const t = useTexts();
  const template = options.templates.find(({ id }) => id === draft.template);
  const [asTyped] = placeholdersOf(draft.content);
  return (
    <>
      {options.templates.length > 0 && (
        <TemplateChoice
          options={options}
          none={t("send.noTemplate")}
          value={draft.template}
          onChoose={(chosen) => change({ template: chosen })}
        />
      )}
      {template === undefined ? (
        <LongField
          label={t("message.text")}
          hint={asTyped === undefined ? undefined : t("send.asTyped", { name: isolated(`{${asTyped}}`) })}
          dir="auto"
          value={draft.content}
          onChange={(event) => change({ content: event.target.value })}
        />
      ) : (
        placeholdersOf(template.content).map((name) => (
          <Field
            key={name}
            label={name}
            dir="auto"
            autoComplete="off"
            value={draft.values[name] ?? ""}
            onChange={(event) => change({ values: { ...draft.values, [name]: event.target.value } })}
          />
        ))
      )}
      <TextMeasure
        text={template === undefined ? draft.content : renderedText(template.content, draft.values)}
        maximumParts={options.maximumParts}
      />
    </>
  );
}

interface Previewed {
  readonly preview?: PreviewAnswer | undefined;
  /** `preview` is that of what was typed before: the answer for what stands there is to come. */
  readonly isFormer?: boolean;
  readonly error?: unknown;
}

/** Asked for when the typing rests. */
function usePreview(body: Bodies["POST /send"] | undefined, { may }: SendOptions): Previewed {
  const text = body === undefined ? "" : JSON.stringify(body);
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  const preview = useQuery({
    queryKey: ["/preview", asked],
    queryFn: ({ signal }) =>
      callApi("POST /preview", {
        body: JSON.parse(asked) as Bodies["POST /send"],
        signal,
        changesNothing: true,
      }),
    enabled: asked !== "" && may.includes("preview"),
    placeholderData: (previous) => previous,
    // What stands in the way may end while nobody types, such as an operator that is switched off.
    refetchInterval: ({ state }) => state.data?.accepted === 0 && 2_000,
  });
  if (body === undefined) return {};
  const isFormer = preview.isPlaceholderData || asked !== text;
  return { preview: preview.data, isFormer, error: preview.error ?? undefined };
}

/** None of the messages that stand there would be accepted. */
function isRefused({ preview, isFormer }: Previewed): boolean {
  return preview?.accepted === 0 && isFormer !== true;
}

/** Takes its room before the price is known, so that no button below moves under a click. */
function Price({ preview, isFormer }: Previewed) {
  const t = useTexts();
  return (
    <div role="status" className={styles["price"]} aria-busy={isFormer}>
      {preview !== undefined && (
        <p className={styles["figures"]}>
          <Accepted {...preview} />
          <Repeated messages={preview.messages} />
          {t("list.comma")}
          {t("count.parts", { count: preview.parts })}
          {t("list.comma")}
          <Rials value={preview.cost} />
        </p>
      )}
      {preview?.credit !== undefined && (
        <p>
          {t("send.creditAfter")} <Rials value={preview.credit - preview.cost} />
        </p>
      )}
    </div>
  );
}

function Accepted({ accepted, messages }: PreviewAnswer) {
  const t = useTexts();
  if (accepted === messages.length) return t("count.messages", { count: accepted });
  const all = messages.length;
  return <span className={styles["fewer"]}>{t("count.messagesOf", { count: accepted, all })}</span>;
}

/** A number that stands twice gets two messages: a slip more often than a wish. */
function Repeated({ messages }: Pick<PreviewAnswer, "messages">) {
  const t = useTexts();
  const numbers = messages.filter(({ cost }) => cost !== undefined).map(({ recipientNumber }) => recipientNumber);
  const count = numbers.length - new Set(numbers).size;
  return (
    count > 0 && (
      <span className={styles["fewer"]}>
        {t("list.comma")}
        {t("send.repeated", { count })}
      </span>
    )
  );
}

/** Stands below the button, because it may be of any length: the button would move under a click. */
function WouldNotBeSent({ preview, error }: Previewed) {
  if (error !== undefined) return isOfSchedule(error) ? null : <Problem error={error} />;
  return preview !== undefined && <Refused messages={preview.messages} />;
}

const shownRefused = 20;
const inReview = 1308;

/** Lists those of the messages that would be refused, and counts those that a rule holds. */
function Refused({ messages }: { readonly messages: PreviewAnswer["messages"] }) {
  const t = useTexts();
  const held = messages.filter(({ errorCode }) => errorCode === inReview).length;
  const refused = messages.filter(({ errorCode }) => errorCode !== undefined && errorCode !== inReview);
  if (held + refused.length === 0) return null;
  return (
    <Notice kind="attention" role="status">
      {held > 0 && <p>{t("send.held", { count: held })}</p>}
      {refused.length > 0 && (
        <>
          {t("send.refused", { count: refused.length })}
          <ul className={styles["refused"]}>
            {refused.slice(0, shownRefused).map(({ recipientNumber, errorMessage }, index) => (
              <li key={`${index} ${recipientNumber}`}>
                <bdi dir="ltr">{dialled(recipientNumber)}</bdi>: {errorMessage}
              </li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  );
}

function NotSent({ error }: { readonly error: unknown }) {
  const t = useTexts();
  if (isOfSchedule(error)) return null;
  if (!isOfOtherCall(error)) return <Problem error={error} />;
  return (
    <Notice kind="alarm" role="alert" action={<Link href="/messages">{t("messages.title")}</Link>}>
      {t("send.otherWasSent")}
    </Notice>
  );
}

/** Sent a day ago or more, and no answer came: only the person can tell by the list of messages. */
function Unsettled({ onAnew }: { readonly onAnew: () => void }) {
  const t = useTexts();
  return (
    <Notice kind="attention" role="alert" action={<Button onClick={onAnew}>{t("send.unsettledAnew")}</Button>}>
      {t("send.unsettled")} <Link href="/messages">{t("messages.title")}</Link>
    </Notice>
  );
}

function Sent({ sent }: { readonly sent: SendAnswer }) {
  const t = useTexts();
  const accepted = sent.messages.filter(({ sentMessageId }) => sentMessageId !== undefined).length;
  return (
    <>
      <Notice kind="calm" role="status" action={<Link href={`/batches/${sent.batchId}`}>{t("send.watch")}</Link>}>
        {t("send.sent", { count: accepted })} {sent.sendAt !== undefined && <Moment at={sent.sendAt} />}
      </Notice>
      <Refused messages={sent.messages} />
    </>
  );
}
