// The line of time: exact time, span since the event before, a sentence, and folded what an
// engineer asks for. Money stands beside the line.
import { findMessageState } from "../../../../src/smpp/constants.ts";
import { formatClock, formatDay, formatElapsed } from "../../format/times.ts";
import { useAble } from "../../frame/person.ts";
import { type MessageState, stateOf, StateSign } from "../../parts/state.tsx";
import { Moment, Rials } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import { fieldsOf, isAhead, type LifeEvent, type MessageLife, sentenceOf } from "./message-life.ts";
import { uncertainRanges } from "./uncertain-ranges.ts";
import styles from "./life-line.module.css";

export function LifeLine({ message }: { readonly message: MessageLife }) {
  const now = new Date();
  const { events } = message;
  const isUncertain = stateOf(message) === "open";
  const lastUncertain = isUncertain ? events.findLastIndex((event) => !isAhead(event, now)) : -1;
  const ranges = uncertainRanges(events);
  return (
    <ol className={styles["line"]}>
      {events.map((event, index) => (
        <Event
          key={`${event.kind} ${event.at} ${index}`}
          event={event}
          before={events[index - 1]}
          message={message}
          isAhead={isAhead(event, now)}
          isUncertain={ranges[index] === true || index === lastUncertain}
        />
      ))}
    </ol>
  );
}

interface EventProps {
  readonly event: LifeEvent;
  readonly before: LifeEvent | undefined;
  readonly message: MessageLife;
  readonly isAhead: boolean;
  readonly isUncertain: boolean;
}

function Event({ event, before, message, isAhead: ahead, isUncertain }: EventProps) {
  const t = useTexts();
  const language = useLanguage();
  const showsFields = useAble("see");
  const time = new Date(event.at);
  const isNewDay = before === undefined || formatDay(language, new Date(before.at)) !== formatDay(language, time);
  const fields = showsFields ? fieldsOf(event) : [];
  const isEnd = event.kind === "ended";
  return (
    <li className={styles["event"]} data-ahead={ahead} data-end={isEnd} data-uncertain={isUncertain}>
      {isNewDay && <p className={styles["day"]}>{formatDay(language, time)}</p>}
      <div className={styles["row"]}>
        <span className={styles["sign"]}>
          <StateSign state={signOf(event, message)} />
        </span>
        <span className={styles["time"]}>
          <Moment at={event.at} text={formatClock(language, time)} />
        </span>
        <div className={styles["what"]}>
          <p>
            {sentenceOf(t, language, event, message)}
            {isEnd && message.errorMessage !== undefined && (
              <span className={styles["reason"]}> {message.errorMessage}</span>
            )}
          </p>
          {fields.length > 0 && <Fields fields={fields} />}
        </div>
        <Money event={event} message={message} />
        <span className={styles["span"]}>
          {before !== undefined && !ahead && formatElapsed(language, time.getTime() - new Date(before.at).getTime())}
        </span>
      </div>
    </li>
  );
}

function Fields({ fields }: { readonly fields: readonly (readonly [string, string])[] }) {
  const t = useTexts();
  return (
    <details className={styles["fields"]}>
      <summary>{t("life.fields")}</summary>
      <dl dir="ltr">
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Money({ event, message }: { readonly event: LifeEvent; readonly message: MessageLife }) {
  if (event.kind === "accepted" && message.cost > 0)
    return (
      <span className={styles["money"]}>
        <Rials value={-message.cost} />
      </span>
    );
  if (event.kind === "refunded" && event.amount !== undefined)
    return (
      <span className={styles["money"]}>
        <Rials value={event.amount} />
      </span>
    );
  return <span className={styles["money"]} />;
}

/** One that settles nothing, such as ENROUTE, tells that the operator still has it. */
const signsOfReceipts = { delivered: "delivered", undelivered: "undelivered", none: "sent" } as const;

function signOf({ kind, answer, state }: LifeEvent, message: MessageLife): MessageState {
  switch (kind) {
    case "notTaken":
      return answer === undefined ? "open" : "undelivered";
    case "receipt":
      return signsOfReceipts[findMessageState(state ?? "")?.outcome ?? "none"];
    case "ended":
      return stateOf(message);
    case "taken":
    case "sent":
      return "sent";
    case "turnedAway":
      return "undelivered";
    case "receiptParked":
    case "claimOrphaned":
      return "open";
    default:
      return "waiting";
  }
}
